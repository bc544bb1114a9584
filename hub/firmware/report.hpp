// report.hpp - an update in a sentence for the owner, and what to do about it.
#pragma once

#include <string>

#include "hub/firmware/updates.hpp"

namespace gadget::hub {

struct Report {
  std::string text;  // one sentence, without a full stop
  std::string hint;  // what to do; may be empty
};

[[nodiscard]] Report report(const UpdateView& update);
[[nodiscard]] Report report(const FleetView& fleet);

}  // namespace gadget::hub
