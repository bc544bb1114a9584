// device_bench.hpp - our own device under test: a fresh virtual gadget, told what to do step by
// step.
//
// Its hooks are the steps of a gadget's script (docs/sim.md), and before the first of them `start
// [profile=P] [name=N] [token=T]`.
#pragma once

#include <filesystem>
#include <optional>

#include "conformance/bench.hpp"
#include "conformance/child.hpp"

namespace gadget::conformance {

class DeviceBench : public Bench {
 public:
  explicit DeviceBench(std::filesystem::path program);
  ~DeviceBench() override;
  [[nodiscard]] bool has(std::string_view capability) const override;
  // Starts the gadget; there is nothing to connect to.
  [[nodiscard]] Result<Endpoint> endpoint() override;
  Result<void> act(const std::vector<std::string>& words) override;
  void listens_at(std::uint16_t port) override { port_ = port; }
  [[nodiscard]] std::string log_tail() const override;

 private:
  Result<void> start(const std::vector<std::string>& options);

  std::filesystem::path program_;
  std::filesystem::path folder_;
  std::uint16_t port_ = 0;
  std::optional<Child> child_;
  int steps_ = 0;
};

}  // namespace gadget::conformance
