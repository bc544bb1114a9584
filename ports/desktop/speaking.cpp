#include "ports/desktop/speaking.hpp"

#include <cstdlib>
#include <filesystem>
#include <memory>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include <flite/flite.h>
cst_voice* register_cmu_us_rms(const char* folder);
cst_voice* register_cmu_us_slt(const char* folder);
cst_voice* register_cmu_us_awb(const char* folder);
cst_voice* register_cmu_us_kal16(const char* folder);
}

extern char** environ;

namespace gadget::ports::desktop {
namespace {

struct DeleteWave {
  void operator()(cst_wave* wave) const { delete_wave(wave); }
};

Result<media::Recording> speak_flite(cst_voice* voice, const std::string& text) {
  const std::unique_ptr<cst_wave, DeleteWave> wave{flite_text_to_wave(text.c_str(), voice)};
  if (!wave) return fail(FailureCode::unavailable, "Flite cannot speak that text");
  media::Recording recording;
  recording.rate_hz = static_cast<std::uint32_t>(wave->sample_rate);
  recording.samples.assign(wave->samples, wave->samples + wave->num_samples);
  return recording;
}

// A process: the program is under the GPL and stays outside.
Result<media::Recording> speak_espeak(const std::string& text) {
  std::string file = (std::filesystem::temp_directory_path() / "gadget-say-XXXXXX").string();
  const int descriptor = mkstemp(file.data());
  if (descriptor < 0) return fail(FailureCode::io, "cannot write to " + file);
  close(descriptor);
  const struct Remove {
    const std::string& path;
    ~Remove() { unlink(path.c_str()); }
  } remove{file};
  // `--`: a text that begins with a dash is no option.
  const char* arguments[] = {"espeak-ng", "-w", file.c_str(), "--", text.c_str(), nullptr};
  pid_t child = 0;
  if (posix_spawnp(&child, "espeak-ng", nullptr, nullptr, const_cast<char* const*>(arguments),
                   environ) != 0) {
    return fail(FailureCode::unavailable, "espeak-ng cannot be started",
                "install it, or use --voice rms");
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    return fail(FailureCode::unavailable, "espeak-ng does not work",
                "install it, or use --voice rms");
  }
  return media::read_wav(file);
}

}  // namespace

Result<media::Recording> speak(std::string_view voice, const std::string& text) {
  static const int initialised = flite_init();
  (void)initialised;
  if (voice == "espeak") return speak_espeak(text);
  if (voice == "rms") return speak_flite(register_cmu_us_rms(nullptr), text);
  if (voice == "slt") return speak_flite(register_cmu_us_slt(nullptr), text);
  if (voice == "awb") return speak_flite(register_cmu_us_awb(nullptr), text);
  if (voice == "kal") return speak_flite(register_cmu_us_kal16(nullptr), text);
  return fail(FailureCode::invalid_argument, "there is no voice \"" + std::string{voice} + "\"",
              "the voices are rms, slt, awb, kal and espeak");
}

}  // namespace gadget::ports::desktop
