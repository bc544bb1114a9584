// sim.hpp - the virtual gadget: the device core on a desktop, over TCP or TLS, with a screen, a
// microphone and a speaker of files. `hermes-gadget sim` is run_sim().
//
// Without a script it is a terminal: typed lines are sent, what the screen says is printed. With
// one it does the steps of the script (script.hpp) and ends. Either may have a window (window.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gadget::ports::desktop {

inline constexpr std::string_view kDefaultUrl = "ws://127.0.0.1:8765/gadget";

struct SimOptions {
  std::string url;               // empty: the hub that is set on the device, or kDefaultUrl
  std::filesystem::path state;   // folder of the device's key; empty: XDG
  std::filesystem::path script;  // empty: interactive; "-": from stdin
  bool window = false;           // a window, with the sound of this machine; else the terminal
  std::string name;              // empty: the device id
  std::string profile = "desktop";
  std::string token;               // GADGET_ACCESS_TOKEN of the hub
  std::filesystem::path ca_file;   // roots to trust for wss://; empty: the system's
  std::string pin;                 // SHA-256 of the hub's public key, hex
  std::filesystem::path timeline;  // what happened as JSON lines; empty: nowhere
  std::string voice = "rms";       // of `say`: rms, slt, awb, kal (Flite) or espeak (a process)
  bool quiet = false;              // prints no time line with a script
  std::filesystem::path record;    // every input of the core, for replay; empty: none
  bool heap_check = false;         // fails when the core took memory from the heap
  bool no_clock = false;           // as a board without one: T2's floor judges certificates
  bool steps = false;              // takes steps from stdin while it runs, answers each: `done N`
};

// Runs until it is told to quit. Returns the exit code: 0, 1 it did not work (said on stderr), 2
// the script or an option is wrong (said on stderr, with the line).
[[nodiscard]] int run_sim(const SimOptions& options);

}  // namespace gadget::ports::desktop
