// test_store.hpp - a Store in memory that can be looked into. For tests only.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "device/core/platform.hpp"

namespace gadget::device::test {

// The store outlives the Gadget: a power cut keeps it.
class BenchStore final : public Store {
 public:
  std::optional<std::size_t> get(std::string_view name, std::span<std::byte> out) override {
    const auto found = values.find(std::string{name});
    if (found == values.end() || found->second.size() > out.size()) return std::nullopt;
    std::copy(found->second.begin(), found->second.end(), out.begin());
    return found->second.size();
  }
  bool put(std::string_view name, std::span<const std::byte> value) override {
    if (broken) return false;
    ++writes[std::string{name}];
    values[std::string{name}].assign(value.begin(), value.end());
    return true;
  }
  std::map<std::string, std::vector<std::byte>> values;
  std::map<std::string, int> writes;
  bool broken = false;
};

}  // namespace gadget::device::test
