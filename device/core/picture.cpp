#include "device/core/picture.hpp"

#include <algorithm>

#include "device/core/transitions.hpp"
#include "protocol/binary_frame.hpp"

namespace gadget::device {
namespace {

constexpr Transitions<PicturePhase, PictureEvent, PicturePhase::showing, PictureEvent::lost>
    kTransitions;

constexpr std::string_view kRgb565 = "rgb565";

// A power of two, so that both sides are checked at once.
static_assert((protocol::kMaxDisplaySide & (protocol::kMaxDisplaySide - 1)) == 0);

bool fits(const protocol::ImageBox& box, std::size_t pixels) {
  const auto both =
      (static_cast<std::uint64_t>(box.width) - 1) | (static_cast<std::uint64_t>(box.height) - 1);
  if (both >= std::uint64_t{protocol::kMaxDisplaySide}) return false;
  const auto most = std::min<std::size_t>(pixels, protocol::kMaxImageBytes / 2);
  return static_cast<std::size_t>(box.width) * static_cast<std::size_t>(box.height) <= most;
}

}  // namespace

// Never inlined: near to `this` its members are cheaper (of an ARM).
[[gnu::noinline]] Picture::Picture(std::span<screen::Colour> room, const protocol::ImageBox& box)
    : room_(room) {
  if (fits(box, room.size())) box_ = box;
}

bool Picture::step(PictureEvent event) { return kTransitions.take(phase_, event); }

void Picture::drop() {
  if (step(PictureEvent::gone)) ++counters_.dropped;
}

Picture::Start Picture::start(const protocol::ImageStart& message) {
  // Of 32 bits, all of them: see their fields.
  const auto stream = static_cast<std::uint32_t>(message.stream);
  const auto width = static_cast<std::uint32_t>(message.width);
  const auto height = static_cast<std::uint32_t>(message.height);
  if (!box_ || message.format != kRgb565 || stream < protocol::kMinHubStream ||
      stream > protocol::kMaxHubStream) {
    return Start::ignored;
  }
  if (width > static_cast<std::uint32_t>(box_->width) ||
      height > static_cast<std::uint32_t>(box_->height)) {
    return Start::malformed;
  }
  if (phase_ == PicturePhase::receiving) ++counters_.dropped;
  step(PictureEvent::start);
  stream_ = static_cast<std::uint8_t>(stream);
  width_ = static_cast<std::uint16_t>(width);
  height_ = static_cast<std::uint16_t>(height);
  numbered_ = false;
  size_ = 0;
  ttl_ = static_cast<Ticks>(protocol::ttl_ms(message.ttl_s, kImageMs));
  return Start::begun;
}

bool Picture::chunk(std::uint8_t stream, std::uint16_t sequence,
                    std::span<const std::byte> payload) {
  if (phase_ != PicturePhase::receiving || stream != stream_) return false;
  if (numbered_) {
    const int distance = protocol::sequence_distance(sequence_, sequence);
    if (distance <= 0) {  // a repeat: its bytes are there (E17)
      ++counters_.repeated;
      return true;
    }
    if (distance > 1) {
      drop();
      return true;
    }
  }
  numbered_ = true;
  sequence_ = sequence;
  const std::size_t all = std::size_t{2} * width_ * height_;
  if (payload.size() > all - size_) {
    drop();
    return true;
  }
  // Byte by byte: a chunk may begin and end in the midst of a pixel, and the machine may be big
  // endian (T7 is not).
  for (const std::byte byte : payload) {
    screen::Colour& pixel = room_[size_ / 2];
    const auto value = std::to_integer<unsigned>(byte);
    pixel = static_cast<screen::Colour>(size_ % 2 == 0 ? value : pixel | value << 8U);
    ++size_;
  }
  return true;
}

bool Picture::end(std::int64_t stream) {
  if (phase_ != PicturePhase::receiving || stream != stream_) return false;
  const std::size_t came = size_ / 2;  // half a pixel is none
  if (came == 0) {
    drop();
    return false;
  }
  const std::size_t all = std::size_t{width_} * height_;
  std::fill(room_.begin() + static_cast<std::ptrdiff_t>(came),
            room_.begin() + static_cast<std::ptrdiff_t>(all), screen::Colour{0});
  step(PictureEvent::end);
  ++revision_;
  ++counters_.shown;
  return true;
}

void Picture::shown(Ticks now) {
  if (!step(PictureEvent::shown)) return;
  shown_at_ = now;
}

bool Picture::tick(Ticks now) {
  if (phase_ != PicturePhase::showing || ttl_ == kForever || now - shown_at_ < ttl_) return false;
  return step(PictureEvent::gone);
}

screen::ImageView Picture::view() const {
  if (!ready()) return {};
  return {room_.first(std::size_t{width_} * height_), width_, height_, revision_};
}

}  // namespace gadget::device
