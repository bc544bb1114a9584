// markdown.hpp - what the two renderings of Markdown, screen and voice, share. Stateless; safe from
// any thread.
#pragma once

#include <string>
#include <string_view>

namespace gadget::media {

// Marks that md4c must not see as markup are noncharacters while it runs: clean() lets none in,
// unprotect() takes them out.
//
// protect: the stars of 2*3*4 and x**2 (CommonMark would make emphasis of them), and the brackets
// of footnotes like [^1] (it would make link definitions of them). REQUIRES: cleaned text.
[[nodiscard]] std::string protect(std::string_view cleaned);
[[nodiscard]] std::string unprotect(std::string_view rendered);

// The rendered text without its footnotes' labels, for unprotect() to follow: a voice does not say
// them.
[[nodiscard]] std::string drop_footnotes(std::string_view rendered);

// One sentence or line in which no block can begin, as plain text for the voice: emphasis, code
// marks, links' targets, tags and footnotes' labels gone. REQUIRES: cleaned text.
[[nodiscard]] std::string strip_inline(std::string_view cleaned);

// The text of a character reference ("&amp;", "&#65;"); one that is not known stays as it is.
[[nodiscard]] std::string decode_entity(std::string_view entity);

// HTML without the tags of formatting and without comments, <br> and the ends of blocks as line
// feeds; a tag that is not HTML's (List<String>) is text and stays.
[[nodiscard]] std::string strip_tags(std::string_view html);

}  // namespace gadget::media
