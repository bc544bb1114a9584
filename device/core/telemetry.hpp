// telemetry.hpp - the board's readings: which are known, which must be told (S1, E39).
//
// What changed is sent at most every 2 s, everything at least every 5 minutes. Sans-I/O; owned by
// Gadget.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/core/limits.hpp"
#include "device/core/text.hpp"
#include "protocol/json_writer.hpp"

namespace gadget::device {

class Telemetry {
 public:
  // A reading as a JSON number, boolean or string; `null` removes it. False: not that, its name or
  // value is too long, or there are kSensors already.
  bool set(std::string_view name, std::string_view json);

  // Writes the object of all present readings, for `hello`.
  void write_all(protocol::JsonWriter& out) const;

  // `hello` was sent with all of them.
  void told_all(Ticks now);

  enum class Due : std::uint8_t { nothing, changes, everything };
  [[nodiscard]] Due due(Ticks now) const;
  // Writes the object for `state`.
  void write(Due due, protocol::JsonWriter& out) const;
  // It was sent.
  void told(Due due, Ticks now);

  [[nodiscard]] bool empty() const;

 private:
  struct Entry {
    FixedText<kSensorNameBytes> name;
    FixedText<kSensorValueBytes> value;  // empty: removed, the hub does not know it yet
    bool changed = false;
  };

  [[nodiscard]] Entry* entry(std::string_view name);

  std::array<Entry, kSensors> entries_;
  Ticks last_sent_ = 0;
  Ticks last_everything_ = 0;
};

}  // namespace gadget::device
