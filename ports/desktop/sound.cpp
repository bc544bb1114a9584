#include <algorithm>

#include "ports/desktop/sdl_library.hpp"
#include "ports/desktop/window.hpp"

namespace gadget::ports::desktop {
namespace {

// What is queued for the speaker: enough for a late step of ours, little enough for barge-in.
constexpr std::uint32_t kAheadMs = 80;
constexpr std::uint16_t kDeviceSamples = 512;

class SdlSound final : public Sound {
 public:
  explicit SdlSound(const Sdl& sdl) : sdl_(sdl) {}
  ~SdlSound() override {
    if (microphone_ != 0) sdl_.CloseAudioDevice(microphone_);
    if (speaker_ != 0) sdl_.CloseAudioDevice(speaker_);
    sdl_.QuitSubSystem(SDL_INIT_AUDIO);
  }

  // SDL converts between the board's rate and the device's.
  bool open(std::uint32_t rate_hz, bool capture) {
    SDL_AudioSpec wanted{};
    SDL_AudioSpec got{};
    wanted.freq = static_cast<int>(rate_hz);
    wanted.format = AUDIO_S16SYS;
    wanted.channels = 1;
    wanted.samples = kDeviceSamples;
    const auto device = sdl_.OpenAudioDevice(nullptr, capture ? 1 : 0, &wanted, &got, 0);
    if (device == 0) return false;
    if (capture) {
      microphone_ = device;
    } else {
      speaker_ = device;
      ahead_ = rate_hz * kAheadMs / 1'000;
      sdl_.PauseAudioDevice(device, 0);
    }
    return true;
  }

  [[nodiscard]] bool has_microphone() const override { return microphone_ != 0; }
  [[nodiscard]] bool has_speaker() const override { return speaker_ != 0; }

  void listen(bool on) override {
    if (microphone_ == 0 || on == listening_) return;
    listening_ = on;
    sdl_.ClearQueuedAudio(microphone_);
    sdl_.PauseAudioDevice(microphone_, on ? 0 : 1);
  }

  std::size_t hear(std::span<std::int16_t> out) override {
    if (!listening_) return 0;
    const auto bytes =
        sdl_.DequeueAudio(microphone_, out.data(), static_cast<Uint32>(out.size_bytes()));
    return bytes / sizeof(std::int16_t);
  }

  [[nodiscard]] std::size_t wanted() const override {
    const std::size_t queued = sdl_.GetQueuedAudioSize(speaker_) / sizeof(std::int16_t);
    return ahead_ - std::min(ahead_, queued);
  }

  void play(std::span<const std::int16_t> samples) override {
    sdl_.QueueAudio(speaker_, samples.data(), static_cast<Uint32>(samples.size_bytes()));
  }

 private:
  const Sdl& sdl_;
  SDL_AudioDeviceID microphone_ = 0;
  SDL_AudioDeviceID speaker_ = 0;
  std::size_t ahead_ = 0;
  bool listening_ = false;
};

}  // namespace

std::unique_ptr<Sound> open_sound(const Profile& profile, std::string& missing) {
  if (profile.mic_hz == 0 && profile.speaker_hz == 0) return nullptr;
  const auto sdl = Sdl::load();
  if (!sdl) {
    missing = "no microphone, no speaker: " + to_line(sdl.error());
    return nullptr;
  }
  if ((*sdl)->InitSubSystem(SDL_INIT_AUDIO) != 0) {
    missing = "no microphone, no speaker: " + std::string{(*sdl)->GetError()};
    return nullptr;
  }
  auto sound = std::make_unique<SdlSound>(**sdl);
  const auto open = [&](std::uint32_t rate_hz, bool capture, const char* what) {
    if (rate_hz == 0 || sound->open(rate_hz, capture)) return;
    if (!missing.empty()) missing += "; ";
    missing += std::string{what} + " (" + (*sdl)->GetError() + ")";
  };
  open(profile.mic_hz, true, "no microphone: type instead");
  open(profile.speaker_hz, false, "no speaker: read instead");
  return sound;
}

}  // namespace gadget::ports::desktop
