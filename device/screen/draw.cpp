// draw.cpp - from a model to a picture: which parts a state has; and the text of a picture.
#include <algorithm>
#include <array>
#include <cstring>

#include "device/screen/layout.hpp"
#include "device/screen/model.hpp"
#include "device/screen/scene.hpp"
#include "device/screen/utf8.hpp"

namespace gadget::device::screen {
namespace {

constexpr std::array<const char*, kStates> kNames{
    "boot",     "setup", "offline", "connecting", "pairing",  "ready",    "listening", "thinking",
    "replying", "card",  "image",   "question",   "updating", "settings", "error"};

bool idle(const ScreenModel& model) { return model.state == State::ready && model.reply.empty(); }

void draw_with(const ScreenModel& model, Canvas& canvas, std::uint64_t now_ms, const FontSet& fonts,
               TextSink* sink) {
  Scene scene{model,
              canvas,
              Pen(canvas, sink),
              now_ms,
              plan_of(canvas.width(), canvas.height(), model.shape, fonts),
              model.mono ? kText : accent(model.state)};
  Key plan;
  plan.add(static_cast<int>(model.state)).add(idle(model) ? 1U : 0U);
  const bool pattern = model.state == State::settings && model.test_pattern != 0;
  plan.add(fonts.medium.latin != nullptr ? 1U : 0U).add(fonts.medium.wide != nullptr ? 1U : 0U);
  plan.add((model.mono ? 1U : 0U) + (model.shape == Shape::round ? 2U : 0U) + (pattern ? 4U : 0U));
  const int overlay = overlay_lines(model, scene.plan);
  plan.add(overlay);
  canvas.set_plan(plan.value(), kBackground);
  if (pattern) return draw_pattern(scene);
  // Idle, the time stands large below the face, unless a notice covers that place.
  draw_bar(scene, !idle(model) || overlay > 0);
  switch (model.state) {
    case State::boot:
    case State::setup:
    case State::offline:
    case State::connecting:
    case State::listening:
    case State::thinking:
    case State::updating:
    case State::error: draw_big_face(scene); break;
    case State::ready:
      if (idle(model)) {
        draw_big_face(scene);
      } else {
        draw_conversation(scene);
      }
      break;
    case State::replying: draw_conversation(scene); break;
    case State::pairing: draw_pairing(scene); break;
    case State::question: draw_question(scene); break;
    case State::card: draw_card(scene); break;
    case State::image: draw_image(scene); break;
    case State::settings: draw_settings(scene); break;
  }
  draw_overlay(scene);
}

Plan plan_for(int width, int height, Shape shape, const FontSet& fonts) {
  return plan_of(std::clamp(width, 0, kMaxSide), std::clamp(height, 0, kMaxSide), shape, fonts);
}

bool is_white(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Keeps what is written, white space as it comes from the pen.
class Copy final : public TextSink {
 public:
  explicit Copy(std::span<char> out) : out_(out) {}

  void text(std::string_view piece) override {
    if (full_) return;
    while (!piece.empty()) {
      const std::size_t bytes = first_character(piece).bytes;
      if (bytes > out_.size() - size_) {
        full_ = true;
        return;
      }
      std::memcpy(out_.data() + size_, piece.data(), bytes);
      size_ += bytes;
      piece.remove_prefix(bytes);
    }
  }
  [[nodiscard]] std::string_view view() const { return {out_.data(), size_}; }

 private:
  std::span<char> out_;
  std::size_t size_ = 0;
  bool full_ = false;
};

// Looks for a text in what is written, while it is written.
class Search final : public TextSink {
 public:
  explicit Search(std::string_view needle) : needle_(needle) {
    while (!needle_.empty() && is_white(needle_.front())) needle_.remove_prefix(1);
    while (!needle_.empty() && is_white(needle_.back())) needle_.remove_suffix(1);
  }

  void text(std::string_view piece) override {
    for (const char c : piece) {
      const bool white = is_white(c);
      if (!(white && white_)) take(white ? ' ' : c);
      white_ = white;
    }
  }
  [[nodiscard]] bool found() const { return found_ || needle_.empty(); }

 private:
  // The needle's character at `at`, with runs of white space as one space.
  [[nodiscard]] char at(std::size_t at) const { return is_white(needle_[at]) ? ' ' : needle_[at]; }
  [[nodiscard]] std::size_t after(std::size_t at) const {
    if (!is_white(needle_[at])) return at + 1;
    while (at < needle_.size() && is_white(needle_[at])) ++at;
    return at;
  }

  void take(char c) {
    if (found()) return;
    while (true) {
      if (at(matched_) == c) {
        matched_ = after(matched_);
        found_ = matched_ == needle_.size();
        return;
      }
      if (matched_ == 0) return;
      fall_back();
    }
  }

  // What was matched does not go on: its longest end that is also a beginning of the needle is
  // still matched.
  void fall_back() {
    for (std::size_t start = after(0); start < matched_; start = after(start)) {
      std::size_t from = start;
      std::size_t length = 0;
      while (from < matched_ && at(from) == at(length)) {
        from = after(from);
        length = after(length);
      }
      if (from == matched_) {
        matched_ = length;
        return;
      }
    }
    matched_ = 0;
  }

  std::string_view needle_;
  std::size_t matched_ = 0;
  bool white_ = true;
  bool found_ = false;
};

}  // namespace

std::string_view name(State state) {
  const auto at = static_cast<std::size_t>(state);
  return at < kNames.size() ? kNames[at] : "";
}

std::optional<State> state_named(std::string_view word) {
  const auto* const at = std::find(kNames.begin(), kNames.end(), word);
  if (at == kNames.end()) return std::nullopt;
  return static_cast<State>(at - kNames.begin());
}

void draw(const ScreenModel& model, Canvas& canvas, std::uint64_t now_ms, const FontSet& fonts) {
  draw_with(model, canvas, now_ms, fonts, nullptr);
}

std::uint16_t page_count(const ScreenModel& model, int width, int height, const FontSet& fonts) {
  const Plan plan = plan_for(width, height, model.shape, fonts);
  const bool card = model.state == State::card;
  const Rect box = card ? card_box(plan, !model.card.title.empty()) : reply_box(plan);
  return pages_in(box, plan.body, card ? model.card.body : model.reply);
}

std::size_t page_end(const ScreenModel& model, int width, int height, std::uint16_t page,
                     const FontSet& fonts) {
  const Plan plan = plan_for(width, height, model.shape, fonts);
  const Rect box = reply_box(plan);
  Lines lines(model.reply, plan.body, box.w);
  Line line;
  const int rows = (page + 1) * std::max(1, box.h / plan.body.height());
  for (int row = 0; row < rows && lines.next(line);) ++row;
  return line.end;
}

Room room_of(int width, int height, Shape shape, const FontSet& fonts) {
  const Plan plan = plan_for(width, height, shape, fonts);
  const Rect box = reply_box(plan);
  // An n is about as wide as the letters of a text are on average.
  return {std::max(1, box.w / std::max(1, advance(plan.body, U'n'))),
          std::max(1, box.h / std::max(1, plan.body.height())), plan.main.w, plan.main.h};
}

std::string_view text_of(const ScreenModel& model, int width, int height, std::span<char> out,
                         const FontSet& fonts) {
  Copy copy(out);
  Canvas measuring({}, width, height);
  draw_with(model, measuring, 0, fonts, &copy);
  std::string_view text = copy.view();
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  return text;
}

bool visible(const ScreenModel& model, int width, int height, std::string_view needle,
             const FontSet& fonts) {
  Search search(needle);
  Canvas measuring({}, width, height);
  draw_with(model, measuring, 0, fonts, &search);
  return search.found();
}

}  // namespace gadget::device::screen
