// sentences.hpp - sentences as a text streams in, so that the voice starts with the first while the
// rest is still written.
//
// SentenceSplitter cuts plain text. SpokenReply takes the Markdown of an agent and gives sentences
// ready for a Synthesizer. Both are pure state: no I/O, no clock; one owner, not thread-safe. What
// comes out does not depend on how the text was cut on its way in, and the time taken is linear in
// its length.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gadget::media {

// The longest sentence, in code points; a longer one is cut behind its last comma or space within.
// A voice needs about 20 s for it, and starts the sooner the shorter it is.
inline constexpr std::size_t kMaxSentence = 300;

// The longest piece that holds an address ("://"), in bytes: addresses are not spoken, so they are
// not cut either.
inline constexpr std::size_t kMaxSentenceWithLinkBytes = 2048;

class SentenceSplitter {
 public:
  // The next piece of text; gives the sentences that are complete by now, trimmed, none empty. A
  // line feed ends a sentence; "3.14", "e.g.", "Dr.", "9:30" and "..." before a small letter do
  // not. A full stop counts when what follows it is known.
  [[nodiscard]] std::vector<std::string> push(std::string_view delta);

  // The same with the whole text so far (R4: `reply.delta` is cumulative); takes what is beyond the
  // last call's length.
  [[nodiscard]] std::vector<std::string> update(std::string_view cumulative);

  // The text has ended: the rest. Ready for a new text.
  [[nodiscard]] std::vector<std::string> finish();

  // Forgets what was pushed since the last complete sentence.
  void discard_rest();

 private:
  [[nodiscard]] std::vector<std::string> take(bool final);
  [[nodiscard]] std::size_t find_end(bool final);
  [[nodiscard]] std::size_t forced_end(bool anywhere) const;

  std::string buffer_;
  std::size_t start_ = 0;     // of the sentence that is being read, in buffer_
  std::size_t scan_ = 0;      // up to here it has no end
  std::size_t length_ = 0;    // its code points up to scan_
  bool long_link_ = false;    // the sentence is too long, but an address
  std::size_t consumed_ = 0;  // of the cumulative text
};

class SpokenReply {
 public:
  // The next piece of Markdown; gives the sentences that can be spoken by now. Code blocks and
  // tables are left out, addresses are "link", symbols words; items and headings end with a full
  // stop.
  [[nodiscard]] std::vector<std::string> push(std::string_view delta);

  // As SentenceSplitter::update.
  [[nodiscard]] std::vector<std::string> update(std::string_view cumulative);

  // The reply has ended: the rest. If there was only what cannot be said (code, a table): one
  // sentence that says where it is.
  [[nodiscard]] std::vector<std::string> finish();

 private:
  enum class Line { undecided, text, skip };

  void take_line_piece(std::string_view piece, std::vector<std::string>& out);
  void end_line(std::vector<std::string>& out);
  void decide(bool complete, std::vector<std::string>& out);
  void begin_text(std::string_view text, bool new_block, std::vector<std::string>& out);
  void end_paragraph(std::vector<std::string>& out);
  void speak(const std::vector<std::string>& raw, std::vector<std::string>& out);

  SentenceSplitter splitter_;
  Line line_ = Line::undecided;
  std::string head_;  // the beginning of a line whose kind is not known yet
  bool in_heading_ = false;
  bool in_paragraph_ = false;  // the line before was text, which this one may continue
  bool in_table_ = false;
  char fence_mark_ = 0;  // of the code block that is open
  std::size_t fence_length_ = 0;
  bool spoke_ = false;
  bool left_out_ = false;
  std::size_t consumed_ = 0;
};

// Plain text in the words that a voice says: "21 degrees Celsius", "5 percent", "2 times 3"; emoji
// and leftover markup gone. Empty if there is nothing to say.
[[nodiscard]] std::string speakable(std::string_view plain);

}  // namespace gadget::media
