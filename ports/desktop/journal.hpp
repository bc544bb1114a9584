// journal.hpp - everything that crosses the edge of the device core, in order: what it is told,
// what it asks for and is answered, what it does. One journal writes it into a file
// (record_writer.hpp), the other holds a file against a core that runs again (replay.hpp).
//
// Lines of a record, after its head:
//
//   < TIME WHAT ...        the core is told something, at that time in milliseconds
//   ? WHAT ... = ANSWER    within that call it asks for something
//   > WHAT ...             within that call it does something
//
// The core is one thread, so that their order is always the same. Nothing here is reached unless a
// record is made or played.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "device/core/limits.hpp"

namespace gadget::ports::desktop {

class Journal {
 public:
  Journal() = default;
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  virtual ~Journal() = default;

  virtual void told(device::Millis now, std::string_view what) = 0;
  // Returns what the core is answered. `outside` finds it out; a replay does not call it.
  virtual std::string asked(std::string_view what, const std::function<std::string()>& outside) = 0;
  virtual void did(std::string_view what) = 0;
};

}  // namespace gadget::ports::desktop
