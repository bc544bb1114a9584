#include "media/sentences.hpp"

#include <algorithm>
#include <array>

#include "media/utf8.hpp"

namespace gadget::media {
namespace {

constexpr std::size_t kNone = std::string::npos;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Never the end of a sentence.
constexpr std::string_view kAlwaysMore[] = {"e.g", "i.e",  "eg", "ie",  "dr", "mr", "mrs",
                                            "ms",  "prof", "st", "vs",  "cf", "mt", "gen",
                                            "col", "capt", "lt", "rev", "hon"};
// No end when a number follows.
constexpr std::string_view kMoreBeforeNumber[] = {"no",  "nos", "fig", "p",    "pp",  "vol", "ch",
                                                  "sec", "art", "jan", "feb",  "mar", "apr", "jun",
                                                  "jul", "aug", "sep", "sept", "oct", "nov", "dec"};
// No end when a small letter follows.
constexpr std::string_view kMoreBeforeSmall[] = {"etc", "a.m", "p.m",  "u.s", "u.k", "inc",
                                                 "ltd", "co",  "corp", "jr",  "sr",  "approx",
                                                 "est", "min", "max",  "hr",  "hrs", "ca"};

template <std::size_t N>
bool is_one_of(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

// A row of full stops that long is drawing, not writing: cut like any long text.
constexpr std::size_t kMaxStopBytes = 2 * kMaxSentence;

// The longest word that can be an abbreviation.
constexpr std::size_t kMaxAbbreviation = 8;

// Full stops of scripts without spaces: the ideographic one, fullwidth ! and ?, the halfwidth one.
// And the ellipsis.
constexpr std::array<std::string_view, 4> kWideStops{"\u3002", "\uff01", "\uff1f", "\uff61"};
constexpr std::string_view kEllipsisSign = "\u2026";
constexpr std::array<std::string_view, 7> kWideClosers{"\u201d", "\u2019", "\u00bb", "\u300d",
                                                       "\u300f", "\uff09", "\u3011"};
constexpr std::array<std::string_view, 5> kWideCommas{"\uff0c", "\u3001", "\uff1b", "\uff1a",
                                                      "\u2014"};

template <std::size_t N>
std::size_t match_any(const std::array<std::string_view, N>& list, std::string_view text) {
  for (const auto sign : list) {
    if (text.starts_with(sign)) return sign.size();
  }
  return 0;
}

// A row of full stops and what closes behind it (quotes, brackets, emphasis).
struct Stop {
  std::size_t end = 0;
  std::size_t dots = 0;
  bool firm = false;  // ! or ?
  bool wide = false;  // ends without a space
  bool ellipsis = false;
};

Stop read_stop(std::string_view text, std::size_t at) {
  Stop stop;
  const auto limit = at + kMaxStopBytes;
  while (at <= limit) {
    const auto rest = text.substr(std::min(at, text.size()));
    if (rest.starts_with('.')) {
      ++stop.dots;
      ++at;
    } else if (rest.starts_with('!') || rest.starts_with('?')) {
      stop.firm = true;
      ++at;
    } else if (rest.starts_with(kEllipsisSign)) {
      stop.ellipsis = true;
      at += kEllipsisSign.size();
    } else if (const auto wide = match_any(kWideStops, rest); wide > 0) {
      stop.wide = true;
      at += wide;
    } else {
      break;
    }
  }
  stop.ellipsis = stop.ellipsis || stop.dots >= 2;
  while (at < text.size() && at <= limit + kMaxStopBytes) {
    if (std::string_view("\"')]*_`").find(text[at]) != kNone) {
      ++at;
    } else if (const auto closer = match_any(kWideClosers, text.substr(at)); closer > 0) {
      at += closer;
    } else {
      break;
    }
  }
  stop.end = at;
  return stop;
}

bool begins_stop(std::string_view rest) {
  return rest[0] == '.' || rest[0] == '!' || rest[0] == '?' || rest.starts_with(kEllipsisSign) ||
         match_any(kWideStops, rest) > 0;
}

// Whether the last character is cut off.
bool ends_incomplete(std::string_view text) {
  for (std::size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if (byte < 0x80) return false;
    if (byte >= 0xC0) return (byte >= 0xF0 ? 4U : byte >= 0xE0 ? 3U : 2U) > back;
  }
  return false;
}

// The lower-case word in front of `dot`, without what opens before it.
std::string word_before(std::string_view sentence, std::size_t dot) {
  std::size_t start = dot;
  while (start > 0 && dot - start <= kMaxAbbreviation && !is_space(sentence[start - 1]) &&
         std::string_view("(\"'[*_").find(sentence[start - 1]) == kNone) {
    --start;
  }
  std::string word(sentence.substr(start, dot - start));
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return is_upper(c) ? static_cast<char>(c | 0x20) : c; });
  return word;
}

enum class Verdict { end, more, unless_number, unless_small };

// What one full stop at `dot` of `sentence` means, by the word before it.
Verdict judge(std::string_view sentence, std::size_t dot) {
  const std::string word = word_before(sentence, dot);
  if (word.empty() || word.size() > kMaxAbbreviation) return Verdict::end;
  if (is_one_of(kAlwaysMore, word)) return Verdict::more;
  if (is_one_of(kMoreBeforeNumber, word)) return Verdict::unless_number;
  if (is_one_of(kMoreBeforeSmall, word)) return Verdict::unless_small;
  // An initial ("J. Smith"), and the number of an item at the beginning ("1. Milk").
  if (word.size() == 1 && is_lower(word[0]) && is_upper(sentence[dot - 1]) && word != "i")
    return Verdict::more;
  if (word.size() == dot && std::all_of(word.begin(), word.end(), is_digit)) return Verdict::more;
  return Verdict::end;
}

}  // namespace

std::vector<std::string> SentenceSplitter::push(std::string_view delta) {
  consumed_ += delta.size();
  buffer_ += delta;
  return take(false);
}

std::vector<std::string> SentenceSplitter::update(std::string_view cumulative) {
  if (cumulative.size() <= consumed_) return {};
  return push(cumulative.substr(consumed_));
}

std::vector<std::string> SentenceSplitter::finish() {
  auto sentences = take(true);
  *this = SentenceSplitter{};
  return sentences;
}

void SentenceSplitter::discard_rest() {
  buffer_.clear();
  start_ = scan_ = length_ = 0;
  long_link_ = false;
}

std::vector<std::string> SentenceSplitter::take(bool final) {
  std::vector<std::string> out;
  for (;;) {
    // Space before a sentence belongs to none.
    while (start_ < buffer_.size() && is_space(buffer_[start_])) ++start_;
    if (scan_ < start_) scan_ = start_;
    const std::size_t end = find_end(final);
    if (end == kNone) break;
    std::size_t last = end;
    while (last > start_ && is_space(buffer_[last - 1])) --last;
    if (last > start_) out.emplace_back(buffer_, start_, last - start_);
    start_ = scan_ = end;
    length_ = 0;
    long_link_ = false;
  }
  buffer_.erase(0, start_);
  scan_ -= start_;
  start_ = 0;
  return out;
}

// Where the sentence at start_ ends, or kNone when that is not known yet.
std::size_t SentenceSplitter::find_end(bool final) {
  const std::string_view text = buffer_;
  if (start_ >= text.size()) return kNone;
  while (scan_ < text.size()) {
    const auto rest = text.substr(scan_);
    if (rest[0] == '\n') return scan_;
    if (!final && rest.size() < 4 && ends_incomplete(rest)) return kNone;
    if (begins_stop(rest)) {
      const Stop stop = read_stop(text, scan_);
      const bool known =
          final || (stop.end < text.size() && !ends_incomplete(text.substr(stop.end)));
      if (stop.end - start_ > kMaxStopBytes) return forced_end(true);
      if (!known) return kNone;
      if (stop.wide) return stop.end;
      if (stop.end == text.size() || is_space(text[stop.end])) {
        Verdict verdict = Verdict::end;
        if (stop.ellipsis) verdict = Verdict::unless_small;
        if (!stop.ellipsis && stop.dots == 1) verdict = judge(text.substr(start_), scan_ - start_);
        if (stop.firm) verdict = Verdict::end;
        if (verdict == Verdict::unless_number || verdict == Verdict::unless_small) {
          auto next = stop.end;
          while (next < text.size() && (text[next] == ' ' || text[next] == '\t')) ++next;
          if (next >= text.size() && !final) return kNone;
          const char first = next < text.size() ? text[next] : '\n';
          const bool more = verdict == Verdict::unless_number ? is_digit(first) : is_lower(first);
          verdict = more ? Verdict::more : Verdict::end;
        }
        if (verdict == Verdict::end) return stop.end;
      }
      for (; scan_ < stop.end; ++scan_) length_ += is_continuation(text[scan_]) ? 0 : 1;
    } else {
      ++scan_;
      if (!is_continuation(rest[0])) ++length_;
    }
    if (length_ <= kMaxSentence) continue;
    if (long_link_) {
      // An address that is longer than a sentence goes on to its end.
      if (is_space(text[scan_ - 1]) || scan_ - start_ > kMaxSentenceWithLinkBytes) return scan_;
      continue;
    }
    long_link_ = text.substr(start_, scan_ - start_).find("://") != kNone;
    const auto end = forced_end(!long_link_);
    if (end != kNone) return end;
  }
  return final ? text.size() : kNone;
}

// The best place to cut a sentence that is too long: behind a comma, else at a space, else
// (`anywhere`) at the limit.
std::size_t SentenceSplitter::forced_end(bool anywhere) const {
  const std::string_view text = buffer_;
  std::size_t limit = start_;
  for (std::size_t count = 0; count < kMaxSentence && limit < text.size(); ++count) {
    (void)next_code_point(text, limit);
  }
  std::size_t space = kNone;
  // A cut in the first quarter would make the pieces short.
  for (std::size_t at = limit; at > start_ + (limit - start_) / 4; --at) {
    if (is_space(text[at - 1])) {
      if (space == kNone) space = at;
      if (at >= 2 && std::string_view(",;:").find(text[at - 2]) != kNone) return at;
    }
    if (match_any(kWideCommas, text.substr(at - 1)) > 0) {
      const auto end = at - 1 + match_any(kWideCommas, text.substr(at - 1));
      if (end <= limit) return end;
    }
  }
  if (space != kNone) return space;
  return anywhere ? limit : kNone;
}

}  // namespace gadget::media
