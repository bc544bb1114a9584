#include "device/model/steps.hpp"

#include <array>
#include <cstdio>

namespace gadget::device::model {
namespace {

struct OpRow {
  const char* name;
  unsigned weight;
};
// In the order of Op.
constexpr std::array<OpRow, kOps> kRows{
    {{"help", 220},      {"hub_line", 160},  {"hub_frame", 80},  {"junk_frame", 10},
     {"cut_line", 8},    {"stale", 14},      {"transport", 8},   {"opened", 12},
     {"alive", 8},       {"closed", 14},     {"button", 120},    {"text", 14},
     {"person", 30},     {"microphone", 60}, {"play", 60},       {"sensor", 16},
     {"event", 8},       {"finish", 20},     {"tick", 120},      {"jump", 24},
     {"network", 6},     {"restart", 3},     {"break_store", 3}, {"update", 20},
     {"break_flash", 3}, {"fill_link", 12},  {"look", 10}}};

constexpr unsigned total_weight() {
  unsigned sum = 0;
  for (const auto& row : kRows) sum += row.weight;
  return sum;
}

Op weighted(std::uint32_t draw) {
  std::size_t at = 0;
  while (draw >= kRows[at].weight) draw -= kRows[at++].weight;
  return static_cast<Op>(at);
}

// What a sequence is about, half of the time: chance alone seldom gets deep into one thing.
struct Theme {
  Op op;
  std::uint8_t a;
  bool a_varies;
};
constexpr std::array<Theme, 10> kEnrolment{{{Op::closed, 0, false},
                                            {Op::help, 0, false},
                                            {Op::help, 0, false},
                                            {Op::help, 0, false},
                                            {Op::help, 15, false},
                                            {Op::help, 15, false},
                                            {Op::help, 14, false},
                                            {Op::button, 0, false},
                                            {Op::button, 0, false},
                                            {Op::restart, 0, true}}};
constexpr std::array<Theme, 10> kActing{{{Op::help, 10, false},
                                         {Op::help, 10, false},
                                         {Op::help, 10, false},
                                         {Op::help, 10, false},
                                         {Op::help, 10, false},
                                         {Op::help, 10, false},
                                         {Op::help, 10, false},
                                         {Op::fill_link, 0, true},
                                         {Op::finish, 0, true},
                                         {Op::tick, 0, true}}};
constexpr std::array<Theme, 10> kSounding{{{Op::help, 4, false},
                                           {Op::help, 6, false},
                                           {Op::help, 7, false},
                                           {Op::hub_frame, 0x19, false},
                                           {Op::hub_frame, 0x19, false},
                                           {Op::hub_frame, 0x19, false},
                                           {Op::hub_frame, 0, true},
                                           {Op::play, 1, false},
                                           {Op::button, 0, false},
                                           {Op::microphone, 0, true}}};
constexpr std::array<Theme, 10> kAsking{{{Op::help, 8, false},
                                         {Op::help, 8, false},
                                         {Op::help, 9, false},
                                         {Op::button, 0, true},
                                         {Op::button, 1, false},
                                         {Op::jump, 0, false},
                                         {Op::jump, 1, false},
                                         {Op::tick, 1, false},
                                         {Op::tick, 0, true},
                                         {Op::person, 0, true}}};
constexpr std::array<Theme, 10> kUpdating{{{Op::update, 8, false},
                                           {Op::update, 8, false},
                                           {Op::update, 8, false},
                                           {Op::update, 8, false},
                                           {Op::update, 8, false},
                                           {Op::update, 8, false},
                                           {Op::update, 0, true},
                                           {Op::help, 13, false},
                                           {Op::tick, 0, true},
                                           {Op::break_flash, 0, true}}};
constexpr std::array<Theme, 10> kLonely{{{Op::text, 0, false},
                                         {Op::text, 0, true},
                                         {Op::event, 0, true},
                                         {Op::event, 1, false},
                                         {Op::closed, 0, false},
                                         {Op::help, 13, false},
                                         {Op::help, 0, false},
                                         {Op::jump, 0, true},
                                         {Op::fill_link, 0, true},
                                         {Op::tick, 1, true}}};
constexpr std::array<Theme, 10> kReading{{{Op::help, 0, false},
                                          {Op::help, 1, false},
                                          {Op::help, 2, false},
                                          {Op::help, 3, false},
                                          {Op::button, 0x83, false},  // UP
                                          {Op::button, 0xC3, false},  // DOWN
                                          {Op::jump, 0, true},
                                          {Op::look, 0, false},
                                          {Op::tick, 0, true},
                                          {Op::person, 6, false}}};
constexpr std::array<const std::array<Theme, 10>*, 7> kThemes{
    &kEnrolment, &kActing, &kSounding, &kAsking, &kUpdating, &kLonely, &kReading};

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31U);
}

Sequence draw(std::uint64_t seed) {
  Random random{seed};
  Sequence sequence;
  sequence.profile = static_cast<std::uint8_t>(random.next());
  const std::uint32_t longest = random.below(10) == 0 ? 400 : 80;
  const std::uint32_t count = 5 + random.below(longest);
  // Most begin with a handshake that works: what follows is about a conversation then.
  if (random.below(8) != 0) sequence.steps.assign(3, Step{.op = Op::help});
  const std::uint32_t about = random.below(2 * kThemes.size());
  while (sequence.steps.size() < count) {
    const std::uint64_t bits = random.next();
    Step step{.op = weighted(random.below(total_weight())),
              .a = static_cast<std::uint8_t>(bits),
              .b = static_cast<std::uint16_t>(bits >> 8U),
              .c = static_cast<std::uint32_t>(bits >> 32U)};
    if (about < kThemes.size() && random.below(4) != 0) {
      const Theme& theme = (*kThemes[about])[random.below(10)];
      step.op = theme.op;
      if (!theme.a_varies) step.a = theme.a;
    }
    sequence.steps.push_back(step);
  }
  return sequence;
}

Sequence from_bytes(std::span<const std::uint8_t> bytes) {
  Sequence sequence;
  if (bytes.empty()) return sequence;
  sequence.profile = bytes[0];
  for (bytes = bytes.subspan(1); bytes.size() >= kStepBytes; bytes = bytes.subspan(kStepBytes)) {
    Step step{.op = static_cast<Op>(bytes[0] % kOps), .a = bytes[1]};
    step.b = static_cast<std::uint16_t>(bytes[2] | bytes[3] << 8U);
    for (std::size_t i = 8; i-- > 4;) step.c = step.c << 8U | bytes[i];
    sequence.steps.push_back(step);
  }
  return sequence;
}

std::vector<std::uint8_t> to_bytes(const Sequence& sequence) {
  std::vector<std::uint8_t> bytes{sequence.profile};
  for (const auto& step : sequence.steps) {
    bytes.push_back(static_cast<std::uint8_t>(step.op));
    bytes.push_back(step.a);
    for (unsigned i = 0; i < 2; ++i) bytes.push_back(static_cast<std::uint8_t>(step.b >> (8 * i)));
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(step.c >> (8 * i)));
  }
  return bytes;
}

std::string describe(const Sequence& sequence) {
  std::string text = "board " + std::to_string(sequence.profile) + "\n";
  for (const auto& step : sequence.steps) {
    std::array<char, 64> line{};
    const int length = std::snprintf(
        line.data(), line.size(), "%s %u %u %u\n", kRows[static_cast<std::size_t>(step.op)].name,
        unsigned{step.a}, unsigned{step.b}, static_cast<unsigned>(step.c));
    text.append(line.data(), static_cast<std::size_t>(length));
  }
  return text;
}

}  // namespace gadget::device::model
