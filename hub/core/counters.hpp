// counters.hpp - what happened since the hub was started, in numbers: what /metrics shows.
//
// Plain values of the hub's loop. The names are from our own code, never from a device, so there
// are few of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "hub/agent/agent.hpp"

namespace gadget::hub {

class CountsByName {
 public:
  void add(std::string_view name) {
    const auto at = counts_.find(name);
    if (at != counts_.end()) {
      ++at->second;
    } else {
      counts_.emplace(name, 1);
    }
  }
  [[nodiscard]] const std::map<std::string, std::uint64_t, std::less<>>& all() const {
    return counts_;
  }

 private:
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

class MillisHistogram {
 public:
  // Upper bounds, included; a last one without bound follows.
  static constexpr std::array<Millis, 10> kBounds{5,   10,  25,    50,    100,
                                                  250, 500, 1'000, 2'500, 10'000};

  void add(Millis ms) {
    const auto bound = std::lower_bound(kBounds.begin(), kBounds.end(), ms);
    ++counts_[static_cast<std::size_t>(bound - kBounds.begin())];
    sum_ms_ += ms;
  }
  // How many fell into each bound, not summed up.
  [[nodiscard]] const std::array<std::uint64_t, kBounds.size() + 1>& counts() const {
    return counts_;
  }
  [[nodiscard]] Millis sum_ms() const { return sum_ms_; }

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  Millis sum_ms_ = 0;
};

struct Counters {
  std::uint64_t connections = 0;    // sockets that were upgraded
  std::uint64_t welcomes = 0;       // handshakes that succeeded
  std::uint64_t enrolments = 0;     // of them, of devices that were not known
  std::uint64_t text_messages = 0;  // from devices, whole ones
  std::uint64_t binary_messages = 0;
  std::uint64_t received_bytes = 0;  // in both
  std::uint64_t malformed = 0;       // E1
  std::uint64_t dropped = 0;         // well-formed, at the wrong time or of unknown ids (E1)
  CountsByName refusals;             // by error code (E2)
  CountsByName closes;               // by code: what the hub closed, and how
  CountsByName turns;                // by outcome
  CountsByName questions;            // by outcome
  CountsByName actions;              // done, refused, timeout, unavailable
  CountsByName pictures;             // sent, or why not: a failure's name
  CountsByName updates;              // what firmware updates came to: offered, installed, ...
  std::uint64_t firmware_bytes = 0;  // of images, given to links
  MillisHistogram
      first_audio_ms;       // end of speech, or a text's arrival, to the first frame of voice
  MillisHistogram ours_ms;  // of that, what the hub itself took
};

}  // namespace gadget::hub
