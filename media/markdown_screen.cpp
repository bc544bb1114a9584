// Markdown for screens: md4c finds the structure, ScreenWriter writes it down as plain lines.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <md4c.h>

#include "media/markdown.hpp"
#include "media/text.hpp"
#include "media/utf8.hpp"

namespace gadget::media {
namespace {

// A table of 80 KB can have 64 million cells: rows may be shorter than the header. Beyond so many
// blocks for each byte the text is shown as it came.
constexpr std::size_t kMaxBlocksPerByte = 4;

// What md4c gets at once. Some of its steps (definitions of links, blank lines in deep lists) take
// time with the square of the length, measured up to 0.5 s for 64 KB; in pieces of this size the
// whole stays linear, below 30 ms a piece.
constexpr std::size_t kPieceBytes = 16 * 1024;

// Nested lists are set in by 2 columns a level, up to this level: screens are 8 columns and more.
constexpr std::size_t kMaxIndentLevels = 4;

constexpr unsigned kDialect =
    MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_NOINDENTEDCODEBLOCKS;

class ScreenWriter {
 public:
  // The plain text, or nothing if md4c had to be stopped.
  static std::optional<std::string> render(std::string_view markdown) {
    ScreenWriter writer;
    writer.blocks_left_ = kMaxBlocksPerByte * markdown.size() + 16;
    MD_PARSER parser{};
    parser.flags = kDialect;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
      return static_cast<ScreenWriter*>(self)->enter_block(type, detail);
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
      return static_cast<ScreenWriter*>(self)->leave_block(type);
    };
    parser.enter_span = [](MD_SPANTYPE type, void*, void* self) {
      return static_cast<ScreenWriter*>(self)->enter_span(type);
    };
    parser.leave_span = [](MD_SPANTYPE type, void* detail, void* self) {
      return static_cast<ScreenWriter*>(self)->leave_span(type, detail);
    };
    parser.text = [](MD_TEXTTYPE type, const char* text, MD_SIZE size, void* self) {
      return static_cast<ScreenWriter*>(self)->text(type, std::string_view(text, size));
    };
    if (md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &writer) != 0) {
      return std::nullopt;
    }
    return std::move(writer.out_);
  }

 private:
  struct List {
    bool ordered = false;
    unsigned next = 1;
  };

  int enter_block(MD_BLOCKTYPE type, void* detail) {
    // Negative: md4c 0.4.8 goes on in the next row after a positive one.
    if (blocks_left_ == 0) return -1;
    --blocks_left_;
    switch (type) {
      case MD_BLOCK_UL:
        start_block(!after_paragraph_);
        lists_.push_back({});
        break;
      case MD_BLOCK_OL:
        start_block(!after_paragraph_);
        lists_.push_back({true, static_cast<const MD_BLOCK_OL_DETAIL*>(detail)->start});
        break;
      case MD_BLOCK_LI: enter_item(*static_cast<const MD_BLOCK_LI_DETAIL*>(detail)); break;
      case MD_BLOCK_P:
      case MD_BLOCK_H:
      case MD_BLOCK_HR:
      case MD_BLOCK_CODE: start_block(true); break;
      case MD_BLOCK_HTML:
        start_block(true);
        html_.clear();
        in_html_block_ = true;
        break;
      case MD_BLOCK_TABLE: start_block(!after_paragraph_); break;
      case MD_BLOCK_TR:
        start_block(false);
        cells_ = 0;
        break;
      case MD_BLOCK_TH:
      case MD_BLOCK_TD:
        if (cells_++ > 0) add(", ");
        break;
      default: break;
    }
    return 0;
  }

  int leave_block(MD_BLOCKTYPE type) {
    switch (type) {
      case MD_BLOCK_UL:
      case MD_BLOCK_OL: lists_.pop_back(); break;
      case MD_BLOCK_HTML:
        in_html_block_ = false;
        add(strip_tags(html_));
        break;
      case MD_BLOCK_CODE: trim_end(); break;
      default: break;
    }
    after_heading_ = type == MD_BLOCK_H;
    after_paragraph_ = type == MD_BLOCK_P;
    if (type == MD_BLOCK_LI) fresh_item_ = false;
    return 0;
  }

  void enter_item(const MD_BLOCK_LI_DETAIL& item) {
    new_line();
    List& list = lists_.back();
    indent(lists_.size() - 1);
    out_ += list.ordered ? std::to_string(list.next++) + ". " : "- ";
    if (item.is_task != 0) out_ += item.task_mark == ' ' ? "[ ] " : "[x] ";
    fresh_item_ = true;
  }

  // A block begins on a line of its own, behind a blank one if it is `airy`; the first of an item
  // behind its mark.
  void start_block(bool airy) {
    if (fresh_item_) {
      fresh_item_ = false;
      if (airy) return;
    }
    if (out_.empty()) return;
    new_line();
    if (lists_.empty()) {
      if (airy && !after_heading_) out_ += '\n';
    } else {
      indent(lists_.size());
    }
  }

  void trim_end() {
    while (!out_.empty() && (out_.back() == '\n' || out_.back() == ' ')) out_.pop_back();
  }
  void new_line() {
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
  }
  void indent(std::size_t levels) { out_.append(2 * std::min(levels, kMaxIndentLevels), ' '); }

  void break_line() {
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_ += '\n';
    indent(lists_.size());
  }

  void add(std::string_view piece) {
    fresh_item_ = false;
    for (std::size_t line = 0;;) {
      const auto end = piece.find('\n', line);
      out_ += piece.substr(line, end == std::string_view::npos ? end : end - line);
      if (end == std::string_view::npos) return;
      break_line();
      line = end + 1;
    }
  }

  int enter_span(MD_SPANTYPE type) {
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) link_starts_.push_back(out_.size());
    return 0;
  }

  // A link or picture without a text of its own is shown by its address, or as what it is.
  int leave_span(MD_SPANTYPE type, void* detail) {
    if (type != MD_SPAN_A && type != MD_SPAN_IMG) return 0;
    const bool empty = out_.size() == link_starts_.back();
    link_starts_.pop_back();
    if (!empty) return 0;
    if (type == MD_SPAN_IMG) {
      add("[image]");
    } else {
      const MD_ATTRIBUTE& href = static_cast<const MD_SPAN_A_DETAIL*>(detail)->href;
      add(std::string_view(href.text, href.size));
    }
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view piece) {
    switch (type) {
      case MD_TEXT_BR:
      case MD_TEXT_SOFTBR: break_line(); break;
      case MD_TEXT_ENTITY: add(decode_entity(piece)); break;
      case MD_TEXT_HTML:
        if (in_html_block_) {
          html_ += piece;  // a tag may reach over lines: judged as a whole at the end
        } else {
          add(strip_tags(piece));
        }
        break;
      case MD_TEXT_NULLCHAR: break;
      default: add(piece);
    }
    return 0;
  }

  std::string out_;
  std::string html_;
  std::vector<List> lists_;
  std::vector<std::size_t> link_starts_;  // where in out_ the open links and pictures began
  std::size_t blocks_left_ = 0;
  std::size_t cells_ = 0;
  bool fresh_item_ = false;  // an item's mark was written, nothing behind it yet
  bool after_heading_ = false;
  bool after_paragraph_ = false;  // what it announces, a list or table, follows without a gap
  bool in_html_block_ = false;
};

// A fence that a line opens or closes: its character and length; 0 if the line is none.
struct Fence {
  char mark = 0;
  std::size_t length = 0;
};

Fence fence_of(std::string_view line) {
  const auto start = line.find_first_not_of(' ');
  if (start > 3) return {};  // a blank line too: npos
  const char mark = line[start];
  if (mark != '`' && mark != '~') return {};
  const auto end = std::min(line.find_first_not_of(mark, start), line.size());
  return end - start >= 3 ? Fence{mark, end - start} : Fence{};
}

// Follows the fences of a text line by line, to know at a cut whether code is open.
class FenceTracker {
 public:
  void line(std::string_view line) {
    const Fence fence = fence_of(line);
    if (fence.length == 0) return;
    if (open_.length == 0) {
      open_ = fence;
    } else if (fence.mark == open_.mark && fence.length >= open_.length) {
      open_ = {};
    }
  }
  // What opens the code again that a cut would leave.
  [[nodiscard]] std::string reopen() const {
    return open_.length == 0
               ? std::string{}
               : std::string(std::min<std::size_t>(open_.length, 80), open_.mark) + "\n";
  }

 private:
  Fence open_;
};

// Where the piece that begins at `start` ends: behind a blank line if there is one, else a line, a
// word, a character.
std::size_t piece_end(std::string_view text, std::size_t start) {
  if (text.size() - start <= kPieceBytes) return text.size();
  const auto window = text.substr(start, kPieceBytes);
  for (const std::string_view gap : {"\n\n", "\n", " "}) {
    const auto at = window.rfind(gap);
    if (at != std::string_view::npos && at > kPieceBytes / 2) return start + at + gap.size();
  }
  return boundary_before(text, start + kPieceBytes);
}

std::string render_in_pieces(std::string_view text) {
  std::string out;
  std::string carried;
  FenceTracker fences;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = piece_end(text, start);
    const std::string_view piece = text.substr(start, end - start);
    const std::string source = carried + std::string(piece);
    out += ScreenWriter::render(source).value_or(source);
    if (end < text.size()) {
      while (out.ends_with('\n')) out.pop_back();
      out += piece.ends_with("\n\n") ? "\n\n" : piece.ends_with('\n') ? "\n" : "";
    }
    for (std::size_t line = 0; line < piece.size();) {
      const auto line_end = std::min(piece.find('\n', line), piece.size());
      fences.line(piece.substr(line, line_end - line));
      line = line_end + 1;
    }
    carried = fences.reopen();
    start = end;
  }
  return out;
}

// At most one blank line in a row, none at the ends, no spaces at the ends of lines.
std::string tidy_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t start = 0; start < text.size();) {
    const auto end = std::min(text.find('\n', start), text.size());
    const auto last = text.substr(0, end).find_last_not_of(" \t");
    const bool blank = last == std::string_view::npos || last < start;
    if (!blank) {
      out += text.substr(start, last + 1 - start);
      out += '\n';
    } else if (!out.empty() && !out.ends_with("\n\n")) {
      out += '\n';
    }
    start = end + 1;
  }
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

// Runs of blank lines say no more than one does, and cost md4c time in deep lists.
std::string collapse_blank_lines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c != '\n' || !out.ends_with("\n\n")) out += c;
  }
  return out;
}

}  // namespace

std::string markdown_to_screen(std::string_view markdown) {
  const std::string source = collapse_blank_lines(protect(clean(markdown)));
  // References such as &#x202E; can bring back what was cleaned away.
  return tidy_lines(clean(unprotect(render_in_pieces(source))));
}

std::string strip_inline(std::string_view cleaned) {
  // A word joiner in front: no list, heading or fence can begin behind it.
  constexpr std::string_view kGuard = "\u2060";
  const std::string source = std::string(kGuard) + protect(cleaned);
  const std::string plain =
      clean(unprotect(drop_footnotes(ScreenWriter::render(source).value_or(source))));
  return plain.starts_with(kGuard) ? plain.substr(kGuard.size()) : plain;
}

}  // namespace gadget::media
