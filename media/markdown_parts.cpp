// The parts of Markdown that md4c leaves to its user: references to characters, tags, and marks
// that are none.

#include <algorithm>
#include <array>
#include <charconv>

#include "media/markdown.hpp"
#include "media/utf8.hpp"

namespace gadget::media {
namespace {

// Noncharacters, which cleaned text does not have.
constexpr char32_t kStar = 0xFDD0;
constexpr char32_t kNoteOpen = 0xFDD1;
constexpr char32_t kNoteClose = 0xFDD2;

// The longest label of a footnote that is seen as one.
constexpr std::size_t kMaxNoteBytes = 32;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }

// Whether `count` stars between `before` and `after` multiply rather than emphasize.
bool multiplies(char before, char after, std::size_t count) {
  const bool left = is_alphanumeric(before) || before == ')';
  if (count == 1) return left && (is_alphanumeric(after) || after == '(');
  return count == 2 && left && is_digit(after);
}

// The length of a footnote's label "[^1]" at the beginning of `text`, 0 if there is none.
std::size_t footnote_length(std::string_view text) {
  if (!text.starts_with("[^")) return 0;
  const auto end = text.substr(0, kMaxNoteBytes).find(']');
  if (end == std::string_view::npos || end == 2) return 0;
  const auto label = text.substr(2, end - 2);
  const bool plain = std::all_of(label.begin(), label.end(),
                                 [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
  return plain ? end + 1 : 0;
}

struct Entity {
  std::string_view name;
  char32_t value;
};
constexpr Entity kEntities[] = {
    {"amp", '&'},      {"lt", '<'},       {"gt", '>'},       {"quot", '"'},     {"apos", '\''},
    {"nbsp", 0xA0},    {"copy", 0xA9},    {"reg", 0xAE},     {"trade", 0x2122}, {"hellip", 0x2026},
    {"mdash", 0x2014}, {"ndash", 0x2013}, {"lsquo", 0x2018}, {"rsquo", 0x2019}, {"ldquo", 0x201C},
    {"rdquo", 0x201D}, {"laquo", 0xAB},   {"raquo", 0xBB},   {"deg", 0xB0},     {"euro", 0x20AC},
    {"pound", 0xA3},   {"yen", 0xA5},     {"cent", 0xA2},    {"times", 0xD7},   {"divide", 0xF7},
    {"plusmn", 0xB1},  {"frac12", 0xBD},  {"frac14", 0xBC},  {"frac34", 0xBE},  {"sup2", 0xB2},
    {"sup3", 0xB3},    {"micro", 0xB5},   {"middot", 0xB7},  {"bull", 0x2022},  {"larr", 0x2190},
    {"rarr", 0x2192},  {"uarr", 0x2191},  {"darr", 0x2193},  {"le", 0x2264},    {"ge", 0x2265},
    {"ne", 0x2260},    {"asymp", 0x2248}, {"infin", 0x221E}, {"minus", 0x2212}, {"sect", 0xA7},
    {"para", 0xB6},    {"auml", 0xE4},    {"ouml", 0xF6},    {"uuml", 0xFC},    {"Auml", 0xC4},
    {"Ouml", 0xD6},    {"Uuml", 0xDC},    {"szlig", 0xDF},   {"eacute", 0xE9},  {"egrave", 0xE8},
    {"check", 0x2713}, {"ensp", ' '},     {"emsp", ' '},     {"thinsp", ' '},   {"shy", 0xAD},
};

// Tags that only format: what they enclose is the text.
constexpr std::string_view kInlineTags[] = {
    "a",     "abbr", "b",      "big",    "cite",  "code",   "del",  "dfn", "em",
    "font",  "i",    "img",    "ins",    "kbd",   "mark",   "q",    "s",   "samp",
    "small", "span", "strike", "strong", "sub",   "sup",    "time", "tt",  "u",
    "var",   "wbr",  "td",     "th",     "label", "button", "input"};
constexpr std::string_view kBlockTags[] = {
    "br",         "p",       "div",     "li",      "ul",      "ol",     "tr",     "table",  "thead",
    "tbody",      "h1",      "h2",      "h3",      "h4",      "h5",     "h6",     "hr",     "pre",
    "blockquote", "details", "summary", "section", "article", "header", "footer", "center", "dl",
    "dt",         "dd",      "body",    "html",    "head",    "figure"};

template <std::size_t N>
bool is_one_of(const std::string_view (&list)[N], std::string_view name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// The lower-case name of the tag whose inside (between < and >) this is; empty if it is none.
std::string tag_name(std::string_view inside) {
  if (inside.starts_with('/')) inside.remove_prefix(1);
  std::string name;
  for (const char c : inside) {
    if (!is_alphanumeric(c)) break;
    name += is_letter(c) ? static_cast<char>(c | 0x20) : c;
    if (name.size() > 16) return {};
  }
  const std::string_view rest = inside.substr(name.size());
  const bool ends_well =
      rest.empty() || rest[0] == ' ' || rest[0] == '\n' || rest[0] == '\t' || rest[0] == '/';
  return ends_well ? name : std::string{};
}

}  // namespace

std::string protect(std::string_view cleaned) {
  std::string out;
  out.reserve(cleaned.size() + cleaned.size() / 8);
  for (std::size_t at = 0; at < cleaned.size();) {
    if (cleaned[at] == '*') {
      const std::size_t end = std::min(cleaned.find_first_not_of('*', at), cleaned.size());
      const char before = at > 0 ? cleaned[at - 1] : ' ';
      const char after = end < cleaned.size() ? cleaned[end] : ' ';
      const bool literal = multiplies(before, after, end - at);
      for (; at < end; ++at) {
        if (literal) {
          append_utf8(out, kStar);
        } else {
          out += '*';
        }
      }
    } else if (const auto length = footnote_length(cleaned.substr(at)); length > 0) {
      append_utf8(out, kNoteOpen);
      out += cleaned.substr(at + 2, length - 3);
      append_utf8(out, kNoteClose);
      at += length;
      if (at < cleaned.size() && cleaned[at] == ':')
        ++at;  // "[^1]: the note" becomes "[1] the note"
    } else {
      out += cleaned[at++];
    }
  }
  return out;
}

std::string unprotect(std::string_view rendered) {
  std::string out;
  out.reserve(rendered.size());
  for (std::size_t at = 0; at < rendered.size();) {
    const std::size_t start = at;
    switch (next_code_point(rendered, at)) {
      case kStar: out += '*'; break;
      case kNoteOpen: out += '['; break;
      case kNoteClose: out += ']'; break;
      default: out += rendered.substr(start, at - start);
    }
  }
  return out;
}

std::string drop_footnotes(std::string_view rendered) {
  std::string out;
  out.reserve(rendered.size());
  bool inside = false;
  for (std::size_t at = 0; at < rendered.size();) {
    const std::size_t start = at;
    const char32_t c = next_code_point(rendered, at);
    if (c == kNoteOpen) inside = true;
    if (!inside) out += rendered.substr(start, at - start);
    if (c == kNoteClose) inside = false;
  }
  return out;
}

std::string decode_entity(std::string_view entity) {
  std::string verbatim(entity);
  if (entity.size() < 3) return verbatim;
  entity = entity.substr(1, entity.size() - 2);
  if (entity.starts_with('#')) {
    const bool hex = entity.size() > 1 && (entity[1] == 'x' || entity[1] == 'X');
    const auto digits = entity.substr(hex ? 2 : 1);
    std::uint32_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
    if (error != std::errc{} || end != digits.data() + digits.size()) return verbatim;
    const bool scalar = value > 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
    std::string out;
    append_utf8(out, scalar ? char32_t{value} : kReplacement);
    return out;
  }
  for (const auto& [name, value] : kEntities) {
    if (name != entity) continue;
    std::string out;
    append_utf8(out, value);
    return out;
  }
  return verbatim;
}

std::string strip_tags(std::string_view html) {
  std::string out;
  out.reserve(html.size());
  for (std::size_t at = 0; at < html.size();) {
    if (html[at] != '<') {
      out += html[at++];
      continue;
    }
    if (html.substr(at).starts_with("<!--")) {
      const auto end = html.find("-->", at + 4);
      at = end == std::string_view::npos ? html.size() : end + 3;
      continue;
    }
    // A tag ends before the next one begins; without that bound a row of < would be searched again
    // and again.
    const auto end = html.find_first_of("<>", at + 1);
    if (end == std::string_view::npos || html[end] == '<') {
      const auto stop = std::min(end, html.size());
      out += html.substr(at, stop - at);
      at = stop;
      continue;
    }
    const std::string name = tag_name(html.substr(at + 1, end - at - 1));
    if (name == "br") {
      out += '\n';
    } else if (is_one_of(kBlockTags, name)) {
      if (!out.empty() && out.back() != '\n') out += '\n';
    } else if (!is_one_of(kInlineTags, name)) {
      out += html.substr(at, end + 1 - at);
    }
    at = end + 1;
  }
  return out;
}

}  // namespace gadget::media
