// SpokenReply: finds the kind of each line as soon as its beginning shows it, and lets the text of
// those that can be said through to the splitter.

#include <algorithm>

#include "media/markdown.hpp"
#include "media/sentences.hpp"
#include "media/text.hpp"

namespace gadget::media {
namespace {

// What is said when an answer is only code or a table.
constexpr const char* kOnlyOnScreen = "The answer is on the screen.";

// A line whose kind is still unknown after so many bytes is text. Rulers and rows of dashes are
// shorter.
constexpr std::size_t kMaxHeadBytes = 256;

constexpr std::string_view kRulerMarks = "-*_=:| \t\r";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view without_indent(std::string_view line) {
  const auto start = line.find_first_not_of(" \t\r");
  return start == std::string_view::npos ? std::string_view{} : line.substr(start);
}

// The length of an item's mark ("- ", "12. "), 0 if there is none.
std::size_t item_mark(std::string_view line) {
  if (line.size() >= 2 && std::string_view("-*+").find(line[0]) != std::string_view::npos) {
    return line[1] == ' ' || line[1] == '\t' ? 2 : 0;
  }
  std::size_t digits = 0;
  while (digits < line.size() && digits < 9 && is_digit(line[digits])) ++digits;
  const bool marked = digits > 0 && line.size() >= digits + 2 &&
                      (line[digits] == '.' || line[digits] == ')') && line[digits + 1] == ' ';
  return marked ? digits + 2 : 0;
}

// Whether `line` may still become a mark, so that it is too soon to tell.
bool may_be_item_mark(std::string_view line) {
  std::size_t digits = 0;
  while (digits < line.size() && digits < 9 && is_digit(line[digits])) ++digits;
  if (digits > 0) {
    const auto rest = line.substr(digits);
    return rest.empty() || rest == "." || rest == ")";
  }
  return line.size() == 1 && std::string_view("-*+").find(line[0]) != std::string_view::npos;
}

// The definition of a link ("[1]: https://...") has nothing to say.
bool is_link_definition(std::string_view line) {
  const auto close = line.find("]:");
  return line.starts_with('[') && !line.starts_with("[^") && close != std::string_view::npos &&
         close > 1;
}

bool has_word(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
  });
}

// A voice lowers its tone at a full stop; without one, items run into each other.
void end_with_stop(std::string& sentence) {
  std::string_view inside = sentence;
  while (!inside.empty() &&
         std::string_view("\"')").find(inside.back()) != std::string_view::npos) {
    inside.remove_suffix(1);
  }
  for (const std::string_view stop :
       {".", "!", "?", ",", ";", ":", "\u3002", "\uff01", "\uff1f", "\u061f", "\u0964"}) {
    if (inside.ends_with(stop)) return;
  }
  sentence += '.';
}

}  // namespace

std::vector<std::string> SpokenReply::push(std::string_view delta) {
  consumed_ += delta.size();
  std::vector<std::string> out;
  for (std::size_t at = 0; at < delta.size();) {
    const auto end = std::min(delta.find('\n', at), delta.size());
    if (end > at) take_line_piece(delta.substr(at, end - at), out);
    if (end < delta.size()) end_line(out);
    at = end + 1;
  }
  return out;
}

std::vector<std::string> SpokenReply::update(std::string_view cumulative) {
  if (cumulative.size() <= consumed_) return {};
  return push(cumulative.substr(consumed_));
}

std::vector<std::string> SpokenReply::finish() {
  std::vector<std::string> out;
  end_line(out);
  speak(splitter_.finish(), out);
  if (!spoke_ && left_out_) out.emplace_back(kOnlyOnScreen);
  *this = SpokenReply{};
  return out;
}

void SpokenReply::take_line_piece(std::string_view piece, std::vector<std::string>& out) {
  switch (line_) {
    case Line::skip: return;
    case Line::text: speak(splitter_.push(piece), out); return;
    case Line::undecided: break;
  }
  // Only as much as the decision needs goes to the head, so that it falls the same however the text
  // was cut.
  while (!piece.empty() && line_ == Line::undecided) {
    const char c = piece.front();
    piece.remove_prefix(1);
    // Indentation and the marks of quotes before the text say nothing about its kind.
    if (head_.empty() && (c == ' ' || c == '\t' || c == '\r' || c == '>')) continue;
    head_ += c;
    decide(false, out);
  }
  if (!piece.empty()) take_line_piece(piece, out);
}

void SpokenReply::end_line(std::vector<std::string>& out) {
  if (line_ == Line::undecided) decide(true, out);
  if (line_ == Line::text) in_paragraph_ = true;
  if (in_heading_) end_paragraph(out);  // what follows a heading is a new sentence
  in_heading_ = false;
  line_ = Line::undecided;
  head_.clear();
}

void SpokenReply::end_paragraph(std::vector<std::string>& out) {
  if (in_paragraph_) speak(splitter_.push("\n"), out);
  in_paragraph_ = false;
}

void SpokenReply::begin_text(std::string_view text, bool new_block, std::vector<std::string>& out) {
  if (new_block) {
    speak(splitter_.push("\n"), out);
  } else if (in_paragraph_) {
    speak(splitter_.push(" "), out);
  }
  line_ = Line::text;
  speak(splitter_.push(text), out);
}

// Finds what kind of line head_ begins; leaves it undecided when that needs more of it. `complete`:
// it is all of the line.
void SpokenReply::decide(bool complete, std::vector<std::string>& out) {
  const std::string_view line = head_;
  const bool full = head_.size() >= kMaxHeadBytes;
  if (fence_mark_ != 0) {
    if (!complete && !full) return;
    line_ = Line::skip;
    const auto end = std::min(line.find_first_not_of(fence_mark_), line.size());
    if (complete && end >= fence_length_ && without_indent(line.substr(end)).empty())
      fence_mark_ = 0;
    return;
  }
  if (line.empty()) {
    in_table_ = false;
    end_paragraph(out);
    line_ = Line::skip;
    return;
  }
  if (line[0] == '|' || in_table_) {
    end_paragraph(out);
    left_out_ = true;
    line_ = Line::skip;
    return;
  }
  if (!full && !complete &&
      (may_be_item_mark(line) || line == "`" || line == "``" || line == "~" || line == "~~"))
    return;
  if (line.starts_with("```") || line.starts_with("~~~")) {
    const auto end = std::min(line.find_first_not_of(line[0]), line.size());
    if (end == line.size() && !complete && !full) return;
    // Backticks with more behind them on the same line are code within a text.
    if (line[0] == '`' && line.find('`', end) != std::string_view::npos)
      return begin_text(line, false, out);
    if (!complete && !full) return;
    end_paragraph(out);
    fence_mark_ = line[0];
    fence_length_ = end;
    left_out_ = true;
    line_ = Line::skip;
    return;
  }
  if (line.find_first_not_of(kRulerMarks) == std::string_view::npos && item_mark(line) == 0) {
    if (!complete && !full) return;
    // Below a row of cells: the head of a table without outer bars. It was not meant for the ear.
    if (line.find('|') != std::string_view::npos && line.find('-') != std::string_view::npos) {
      splitter_.discard_rest();
      in_table_ = left_out_ = true;
    }
    end_paragraph(out);
    line_ = Line::skip;
    return;
  }
  if (line[0] == '#') {
    const auto end = std::min(line.find_first_not_of('#'), line.size());
    if (end == line.size() && !complete && !full) return;
    if (end <= 6 && end < line.size() && line[end] == ' ') {
      in_heading_ = true;
      return begin_text(line.substr(end + 1), true, out);
    }
    return begin_text(line, false, out);
  }
  if (const auto mark = item_mark(line); mark > 0) {
    auto rest = line.substr(mark);
    // A task: "[ ] " and "[x] " say nothing to the ear.
    if (rest.starts_with('[') && rest.size() < 4 && !complete) return;
    if (rest.starts_with("[ ] ") || rest.starts_with("[x] ") || rest.starts_with("[X] "))
      rest.remove_prefix(4);
    if (rest.empty() && !complete) return;
    if (!is_digit(line[0])) return begin_text(rest, true, out);
    const auto number = line.substr(0, mark - 2);
    return begin_text(std::string(number) + ". " + std::string(rest), true, out);
  }
  if (line[0] == '[' && !complete && !full) {
    const auto close = line.find(']');
    if (close == std::string_view::npos || close + 1 == line.size()) return;
  }
  if (is_link_definition(line)) {
    line_ = Line::skip;
    return;
  }
  begin_text(line, false, out);
}

void SpokenReply::speak(const std::vector<std::string>& raw, std::vector<std::string>& out) {
  for (const auto& sentence : raw) {
    std::string spoken = speakable(strip_inline(clean(sentence)));
    if (!has_word(spoken)) continue;
    end_with_stop(spoken);
    spoke_ = true;
    out.push_back(std::move(spoken));
  }
}

std::string markdown_to_speech(std::string_view markdown) {
  SpokenReply reply;
  std::string out;
  const auto add = [&out](const std::vector<std::string>& sentences) {
    for (const auto& sentence : sentences) {
      if (!out.empty()) out += ' ';
      out += sentence;
    }
  };
  add(reply.push(markdown));
  add(reply.finish());
  return out;
}

}  // namespace gadget::media
