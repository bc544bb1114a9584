#include "conformance/scenario.hpp"

#include <cctype>

#include "base/files.hpp"

namespace gadget::conformance {
namespace {

constexpr std::size_t kMaxScenarioBytes = 1 << 20;

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_id(std::string_view word) {
  if (word.size() < 2 || word.size() > 4) return false;
  const std::size_t letters =
      word[1] == '-' ? 2 : 1;  // B-35 of the list of faults, B3 of the contract
  if (std::isupper(static_cast<unsigned char>(word[0])) == 0 || word.size() == letters)
    return false;
  for (const char c : word.substr(letters)) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) return false;
  }
  return true;
}

// "A: rest" names a connection; an arrow must follow.
std::string take_connection(std::string_view& line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || colon == 0 || colon > 16) return {};
  const std::string_view name = line.substr(0, colon);
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) return {};
  }
  line = trimmed(line.substr(colon + 1));
  return std::string(name);
}

// Whether the line begins with `word` alone; takes it.
bool take_word(std::string_view& line, std::string_view word) {
  if (!line.starts_with(word)) return false;
  if (line.size() > word.size() && line[word.size()] != ' ') return false;
  line = trimmed(line.substr(word.size()));
  return true;
}

Result<Step> parse_step(std::string_view line, const std::string& where) {
  using enum Step::Kind;
  Step step;
  step.source = std::string(line);
  step.connection = take_connection(line);
  const bool named = !step.connection.empty();
  const auto is = [&](std::string_view word, Step::Kind kind) {
    if (!take_word(line, word)) return false;
    step.kind = kind;
    return true;
  };
  const bool known = is("->", to_hub) || is("<-", to_device) ||
                     (!named && (is("open", open) || is("drop", drop) || is("!", hook) ||
                                 is("within", within) || is("needs", needs)));
  if (!known)
    return fail(FailureCode::invalid_argument, where + "cannot read this line: " + step.source);
  if (line.empty() && step.kind != open && step.kind != drop) {
    return fail(FailureCode::invalid_argument, where + "something is missing: " + step.source);
  }
  step.text = std::string(line);
  return step;
}

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false;
  bool any = false;
  std::size_t braces = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (braces == 0 && c == '"') {
      quoted = !quoted;
      any = true;
      continue;
    }
    if (!quoted) {
      if (c == '{' || c == '[') ++braces;
      if ((c == '}' || c == ']') && braces > 0) --braces;
    }
    if (!quoted && braces == 0 && (c == ' ' || c == '\t')) {
      if (any) words.push_back(std::move(word));
      word.clear();
      any = false;
      continue;
    }
    word.push_back(c);
    any = true;
  }
  if (any) words.push_back(std::move(word));
  return words;
}

Result<Scenario> parse_scenario(std::string_view text, const std::filesystem::path& file) {
  Scenario scenario;
  scenario.file = file;
  std::size_t number = 0;
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::string where = file.string() + ":" + std::to_string(++number) + ": ";
    if (first) {
      if (!line.starts_with('#')) {
        return fail(FailureCode::invalid_argument,
                    where + "the first line must be '# IDS.. sentence'");
      }
      std::string_view rest = trimmed(line.substr(1));
      for (;;) {
        const std::string_view word = rest.substr(0, rest.find(' '));
        if (!is_id(word)) break;
        scenario.ids.emplace_back(word);
        rest = trimmed(rest.substr(word.size()));
      }
      scenario.title = std::string(rest);
      if (scenario.ids.empty() || scenario.title.empty()) {
        return fail(FailureCode::invalid_argument,
                    where + "the first line must be '# IDS.. sentence'");
      }
      first = false;
      continue;
    }
    if (line.empty() || line.starts_with('#')) continue;
    auto step = parse_step(line, where);
    if (!step) return tl::unexpected<Failure>(step.error());
    step->line = number;
    scenario.steps.push_back(std::move(*step));
  }
  if (scenario.steps.empty())
    return fail(FailureCode::invalid_argument, file.string() + ": no steps");
  return scenario;
}

Result<Scenario> read_scenario(const std::filesystem::path& file) {
  const auto text = files::read(file, kMaxScenarioBytes);
  if (!text) return tl::unexpected<Failure>(text.error());
  return parse_scenario(*text, file);
}

}  // namespace gadget::conformance
