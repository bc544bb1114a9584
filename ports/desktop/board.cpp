#include "ports/desktop/board.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>

#include "base/files.hpp"
#include "media/png.hpp"
#include "media/resampler.hpp"

namespace gadget::ports::desktop {
namespace {

using device::Millis;

// Silence between two voices that a recording keeps: enough to hear that there was a pause.
constexpr Millis kGapMs = 500;
// Half an hour of voice, 58 MB at 16 kHz. Beyond: what follows is played and not kept.
constexpr Millis kMaxRecordingMs = 1'800'000;
// What microphone and speaker take in one step at most. After a pause of the whole process (a
// laptop that slept) they go on from now instead of catching up.
constexpr Millis kMaxStepMs = 200;
constexpr std::uint32_t kMaxRateHz = 48'000;
constexpr std::size_t kChunk = kMaxRateHz * kMaxStepMs / 1'000;

constexpr std::string_view kRoomTemperature = "21.5";

std::uint64_t samples_at(Millis elapsed, std::uint32_t rate_hz) {
  return static_cast<std::uint64_t>(elapsed) * rate_hz / 1'000;
}

// How many samples a device of `rate_hz` must move now to be in step with the clock.
std::size_t due(Millis elapsed, std::uint32_t rate_hz, std::uint64_t& done) {
  const std::uint64_t target = samples_at(elapsed, rate_hz);
  const std::uint64_t most = samples_at(kMaxStepMs, rate_hz);
  if (target > done + most) done = target - most;
  const auto count = static_cast<std::size_t>(target - std::min(target, done));
  done += count;
  return count;
}

}  // namespace

struct Board::Memory
    : device::GadgetMemory<kMaxRateHz, 4 + kMaxRateHz / 25 * 2, 40'960, 16'384, 4'096> {
  std::vector<device::screen::Colour> picture;
};

Board::Board(BoardOptions options, BoardLink& link, device::Store& store, Watch watch)
    : options_(std::move(options)),
      link_(link),
      store_(store),
      watch_(std::move(watch)),
      pixels_(static_cast<std::size_t>(options_.profile.width) *
              static_cast<std::size_t>(options_.profile.height)),
      canvas_(pixels_, options_.profile.width, options_.profile.height) {}

Board::~Board() { power_cut(); }

Millis Board::now() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool Board::power_on() {
  auto config = config_of(options_.profile);
  config.name = options_.name;
  config.token = options_.token;
  config.hub = options_.hub;
  memory_ = std::make_unique<Memory>();
  device::GadgetBuffers buffers = memory_->view();
  if (config.display && config.display->image) {
    const auto& box = *config.display->image;
    memory_->picture.resize(static_cast<std::size_t>(box.width * box.height));
    buffers.image = memory_->picture;
  }
  gadget_ = std::make_unique<device::Gadget>(
      config,
      device::Platform{.link = link_,
                       .store = store_,
                       .entropy = *this,
                       .screen = this,
                       .microphone = this,
                       .speaker = nullptr,
                       .lamp = options_.profile.lamp ? this : nullptr,
                       .actions = nullptr,
                       .watcher = this},
      buffers);
  link_.attach(gadget_.get());
  started_ = now();
  heard_ = sounded_ = 0;
  (void)gadget_->sensor(started_, "temperature_c", kRoomTemperature);
  if (!network_) gadget_->network(started_, false);
  return gadget_->start(started_);
}

void Board::power_cut() {
  link_.attach(nullptr);
  gadget_.reset();
  to_hear_.clear();
}

void Board::network(bool up) {
  if (network_ == up) return;
  network_ = up;
  if (!up) link_.cut();
  gadget_->network(now(), up);
}

void Board::tick() {
  const Millis at = now();
  run_microphone(at);
  run_speaker(at);
  gadget_->tick(at);
}

// ---- Sound

Result<void> Board::hear(const std::vector<std::int16_t>& samples, std::uint32_t rate_hz) {
  if (options_.profile.mic_hz == 0) {
    return fail(FailureCode::invalid_argument, "this board has no microphone");
  }
  const auto converted = media::resample(samples, rate_hz, options_.profile.mic_hz);
  if (!converted) return tl::unexpected{converted.error()};
  to_hear_.insert(to_hear_.end(), converted->begin(), converted->end());
  return {};
}

void Board::run_microphone(Millis at) {
  const std::uint32_t rate = options_.profile.mic_hz;
  if (rate == 0) return;
  std::array<std::int16_t, kChunk> chunk{};
  const std::size_t count = due(at - started_, rate, heard_);
  const std::size_t known = std::min(count, to_hear_.size());
  std::copy_n(to_hear_.begin(), known, chunk.begin());
  to_hear_.erase(to_hear_.begin(), to_hear_.begin() + static_cast<std::ptrdiff_t>(known));
  if (count > 0) gadget_->microphone(at, std::span{chunk}.first(count));
}

void Board::run_speaker(Millis at) {
  const std::uint32_t rate = options_.profile.speaker_hz;
  if (rate == 0) return;
  std::array<std::int16_t, kChunk> chunk{};
  const std::size_t count = due(at - started_, rate, sounded_);
  if (count == 0) return;
  const auto samples = std::span{chunk}.first(count);
  const std::size_t voice = gadget_->play(at, samples);
  voiced_ += voice;
  record(samples, voice > 0);
}

void Board::record(std::span<const std::int16_t> samples, bool voice) {
  const std::uint32_t rate = options_.profile.speaker_hz;
  if (played_.size() >= samples_at(kMaxRecordingMs, rate)) return;
  const bool silent =
      !voice && std::all_of(samples.begin(), samples.end(), [](std::int16_t s) { return s == 0; });
  if (silent) {
    if (played_.empty() || gap_ >= samples_at(kGapMs, rate)) return;
    gap_ += samples.size();
  } else {
    gap_ = 0;
  }
  played_.insert(played_.end(), samples.begin(), samples.end());
}

double Board::spoken_s() const {
  const std::uint32_t rate = options_.profile.speaker_hz;
  return rate == 0 ? 0 : static_cast<double>(voiced_) / rate;
}

// ---- The screen

bool Board::shows(std::string_view text) const {
  device::screen::ScreenModel model;
  gadget_->fill(now(), model);
  return device::screen::visible(model, options_.profile.width, options_.profile.height, text,
                                 *config_of(options_.profile).fonts);
}

std::string Board::screen_text() const {
  device::screen::ScreenModel model;
  gadget_->fill(now(), model);
  std::array<char, 8'192> room{};
  return std::string{device::screen::text_of(model, options_.profile.width, options_.profile.height,
                                             room, *config_of(options_.profile).fonts)};
}

Result<void> Board::screenshot(const std::string& path) {
  device::screen::ScreenModel model;
  gadget_->fill(now(), model);
  show(model, now());
  const auto png =
      media::encode_png_rgb565(pixels_, static_cast<std::uint32_t>(options_.profile.width),
                               static_cast<std::uint32_t>(options_.profile.height));
  if (!png) return tl::unexpected{png.error()};
  return files::write(path, *png);
}

// ---- What the core asks for

void Board::fill(std::span<std::byte> out) {
  static std::random_device device;  // the kernel's generator
  for (auto& byte : out) byte = static_cast<std::byte>(device());
}

void Board::show(const device::screen::ScreenModel& model, Millis now) {
  device::screen::draw(
      model, canvas_, static_cast<std::uint64_t>(now),
      options_.profile.utf8 ? device::screen::kLatinFonts : device::screen::kAsciiFonts);
}

// The microphone always runs; the core takes what it wants.
void Board::listen(bool) {}

void Board::set(std::uint32_t rgb) { lamp_ = rgb; }

void Board::noticed(device::Fact fact, std::string_view text, Millis) { watch_(fact, text); }

}  // namespace gadget::ports::desktop
