#include "ports/desktop/board.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <random>

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
constexpr std::size_t kChunk = kMaxStepSamples;

// What a restart that the console asked for leaves to the connection's close.
constexpr Millis kRestartMs = 500;

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

Board::Board(BoardOptions options, BoardLink& link, device::Store& store, Watch watch)
    : link_(link),
      sound_(options.sound),
      flash_(options.flash != nullptr && options.flash->slot_bytes() > 0 ? options.flash : nullptr),
      slots_(flash_ != nullptr ? std::optional<device::AbSlots>{std::in_place, *flash_, 0}
                               : std::nullopt),
      watch_(std::move(watch)),
      core_(options.core, platform(options.core.profile, store), options.journal,
            options.stand_in) {}

device::Platform Board::platform(const Profile& profile, device::Store& store) {
  return {.link = link_,
          .store = store,
          .entropy = *this,
          .screen = nullptr,  // drawn by the core's own panel
          .microphone = this,
          .speaker = nullptr,  // asked all the time
          .lamp = profile.lamp ? this : nullptr,
          .backlight = profile.display ? this : nullptr,
          .actions = nullptr,
          .firmware = slots_ ? &*slots_ : nullptr,
          .watcher = this};
}

Board::~Board() { power_cut(); }

Millis Board::now() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

bool Board::power_on() {
  started_ = now();
  heard_ = sounded_ = 0;
  std::string firmware;
  if (slots_) {
    const std::uint8_t slot = device::boot(*flash_);
    slots_ = device::AbSlots{*flash_, slot};
    firmware = flash_->version_in(slot);
  }
  core_.power_on(started_, firmware);
  link_.attach(&core_);
  (void)core_.sensor(started_, "temperature_c", kRoomTemperature);
  if (!network_) core_.network(started_, false);
  return core_.start(started_);
}

void Board::power_cut() {
  link_.attach(nullptr);
  core_.power_off(now());
  to_hear_.clear();
  if (sound_ != nullptr) sound_->listen(false);
}

void Board::network(bool up) {
  if (network_ == up) return;
  network_ = up;
  if (!up) link_.cut();
  core_.network(now(), up);
}

void Board::tick() {
  const Millis at = now();
  run_microphone(at);
  run_speaker(at);
  core_.tick(at);
  if (core_.take_restart()) restart_at_ = at + kRestartMs;
  const bool updated = flash_ != nullptr && flash_->take_reboot();
  if (updated || (restart_at_ != 0 && at >= restart_at_)) {
    restart_at_ = 0;
    power_cut();
    (void)power_on();  // a store that keeps no key any more: the screen says so
  }
}

// ---- Sound

Result<void> Board::hear(const std::vector<std::int16_t>& samples, std::uint32_t rate_hz) {
  if (profile().mic_hz == 0) {
    return fail(FailureCode::invalid_argument, "this board has no microphone");
  }
  const auto converted = media::resample(samples, rate_hz, profile().mic_hz);
  if (!converted) return tl::unexpected{converted.error()};
  to_hear_.insert(to_hear_.end(), converted->begin(), converted->end());
  return {};
}

void Board::run_microphone(Millis at) {
  const std::uint32_t rate = profile().mic_hz;
  if (rate == 0) return;
  std::array<std::int16_t, kChunk> chunk{};
  std::size_t count = due(at - started_, rate, heard_);
  const std::size_t known = std::min(count, to_hear_.size());
  if (known == 0 && sound_ != nullptr && sound_->has_microphone()) {
    // By its own clock; while nobody wants it, it is off and there is nothing.
    count = sound_->hear(chunk);
    if (count > 0) core_.microphone(at, std::span{chunk}.first(count));
    return;
  }
  std::copy_n(to_hear_.begin(), known, chunk.begin());
  to_hear_.erase(to_hear_.begin(), to_hear_.begin() + static_cast<std::ptrdiff_t>(known));
  if (count > 0) core_.microphone(at, std::span{chunk}.first(count));
}

void Board::run_speaker(Millis at) {
  const std::uint32_t rate = profile().speaker_hz;
  if (rate == 0) return;
  std::array<std::int16_t, kChunk> chunk{};
  const bool loud = sound_ != nullptr && sound_->has_speaker();
  const std::size_t count = loud ? std::min(sound_->wanted(), samples_at(kMaxStepMs, rate))
                                 : due(at - started_, rate, sounded_);
  if (count == 0) return;
  const auto samples = std::span{chunk}.first(count);
  const std::size_t voice = core_.play(at, samples);
  if (loud) sound_->play(samples);
  voiced_ += voice;
  record(samples, voice > 0);
}

void Board::record(std::span<const std::int16_t> samples, bool voice) {
  const std::uint32_t rate = profile().speaker_hz;
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
  const std::uint32_t rate = profile().speaker_hz;
  return rate == 0 ? 0 : static_cast<double>(voiced_) / rate;
}

// ---- What the core asks for

void Board::fill(std::span<std::byte> out) {
  static std::random_device device;  // the kernel's generator
  for (auto& byte : out) byte = static_cast<std::byte>(device());
}

// What is fed to the microphone is heard all the time and the core takes what it wants; the one of
// this machine is on only while somebody wants it.
void Board::listen(bool on) {
  if (sound_ != nullptr) sound_->listen(on);
}

void Board::set(std::uint32_t rgb) { lamp_ = rgb; }

void Board::set(int percent) { backlight_ = percent; }

void Board::noticed(device::Fact fact, std::string_view text, Millis) { watch_(fact, text); }

}  // namespace gadget::ports::desktop
