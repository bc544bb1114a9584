#include "hub/server/outbox.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace gadget::hub {
namespace {

// The stream that a text of our own writing names; -1 when it names none. No text of people comes
// before it in the messages that frame media.
int stream_of(std::string_view text) {
  constexpr std::string_view member = "\"stream\":";
  const auto at = text.find(member);
  if (at == std::string_view::npos) return -1;
  int stream = -1;
  std::from_chars(text.data() + at + member.size(), text.data() + text.size(), stream);
  return stream;
}

}  // namespace

// What was taken goes when it is half of all: each message moves once at most.
void Outbox::Queue::pop_front() {
  messages_[first_] = {};
  if (++first_ == messages_.size()) return clear();
  if (first_ * 2 < messages_.size()) return;
  messages_.erase(messages_.begin(), messages_.begin() + offset());
  first_ = 0;
}

// The room for a few messages is kept, so that a conversation allocates nothing for them.
void Outbox::Queue::clear() {
  constexpr std::size_t kKeptMessages = 8;
  first_ = 0;
  if (messages_.capacity() > kKeptMessages) {
    messages_ = {};
  } else {
    messages_.clear();
  }
}

Outbox::Lane Outbox::lane_of(Link::Kind kind) {
  switch (kind) {
    case Link::Kind::audio: return audio;
    case Link::Kind::image: return image;
    case Link::Kind::firmware: return firmware;
    case Link::Kind::control:
    case Link::Kind::delta:
    case Link::Kind::audio_end: break;
  }
  return control;
}

Outbox::Added Outbox::add_text(std::string_view text, Link::Kind kind) {
  const auto bytes = std::as_bytes(std::span(text));
  if (kind == Link::Kind::delta) drop_waiting_delta();
  const bool names_stream = lane_of(kind) != control || kind == Link::Kind::audio_end;
  const int stream = names_stream ? stream_of(text) : -1;
  return add({true, {bytes.begin(), bytes.end()}, kind, stream, {}, {}});
}

Outbox::Added Outbox::add_binary(std::vector<std::byte> bytes, Link::Kind kind,
                                 std::uint8_t stream) {
  return add({false, std::move(bytes), kind, stream, {}, {}});
}

Outbox::Added Outbox::add_shared(std::vector<std::byte> begin, std::span<const std::byte> payload,
                                 std::shared_ptr<const void> owner, Link::Kind kind,
                                 std::uint8_t stream) {
  return add({false, std::move(begin), kind, stream, payload, std::move(owner)});
}

Outbox::Added Outbox::add(Message message) {
  const std::size_t needed = cost(message);
  while (waiting_bytes() + needed > kOutboxBytes) {
    if (!drop_oldest(image) && !drop_oldest(audio)) return Added::too_slow;
  }
  waiting_ += needed;
  auto& queue = queues_[lane_of(message.kind)];
  queue.push_back(std::move(message));
  return Added::queued;
}

// The newest one goes to the end: in the place of the old one it could overtake its `turn.start`.
void Outbox::drop_waiting_delta() {
  drop_matching(control, [](const Message& m) { return m.kind == Link::Kind::delta; });
}

// An image with a gap shows nothing (E46), so the rest of it goes too.
bool Outbox::drop_oldest(Lane lane) {
  if (queues_[lane].empty()) return false;
  const int stream = queues_[lane].front().stream;
  if (lane == image && stream >= 0) {
    drop_matching(lane, [stream](const Message& m) { return m.stream == stream; });
  } else {
    waiting_ -= cost(queues_[lane].front());
    queues_[lane].pop_front();
  }
  return true;
}

void Outbox::drop_matching(Lane lane, const auto& matches) {
  queues_[lane].erase_if([&](const Message& message) {
    if (!matches(message)) return false;
    waiting_ -= cost(message);
    return true;
  });
}

void Outbox::drop_stream(std::uint8_t stream) {
  for (const Lane lane : {audio, image, firmware}) {
    drop_matching(lane, [stream](const Message& m) { return m.stream == stream; });
  }
}

void Outbox::drop_media() {
  for (const Lane lane : {audio, image, firmware}) {
    drop_matching(lane, [](const Message&) { return true; });
  }
}

void Outbox::clear() {
  for (auto& queue : queues_) queue.clear();
  waiting_ = 0;
}

std::span<const Outbox::Message> Outbox::take() {
  while (!empty()) {
    auto& queue = queues_[next_lane()];
    const std::size_t bytes = cost(queue.front());
    if (!batch_.empty() && in_flight_ + bytes > kOutboxBatchBytes) break;
    waiting_ -= bytes;
    in_flight_ += bytes;
    batch_.push_back(std::move(queue.front()));
    queue.pop_front();
  }
  return batch_;
}

// REQUIRES: something waits.
Outbox::Lane Outbox::next_lane() const {
  if (!queues_[control].empty() && !waits_for_its_audio(queues_[control].front())) return control;
  for (const Lane lane : {audio, image}) {
    if (!queues_[lane].empty()) return lane;
  }
  return firmware;
}

bool Outbox::waits_for_its_audio(const Message& message) const {
  return message.kind == Link::Kind::audio_end &&
         std::any_of(queues_[audio].begin(), queues_[audio].end(),
                     [&](const Message& frame) { return frame.stream == message.stream; });
}

void Outbox::written() {
  batch_.clear();
  in_flight_ = 0;
}

bool Outbox::empty() const {
  return std::all_of(queues_.begin(), queues_.end(),
                     [](const auto& queue) { return queue.empty(); });
}

}  // namespace gadget::hub
