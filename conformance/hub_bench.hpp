// hub_bench.hpp - our own hub under test: a fresh daemon and a fresh state directory for every
// scenario.
//
// Its hooks are the owner's real commands (conformance/README.md lists them), and `advance` on the
// daemon's test clock.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <optional>

#include "conformance/bench.hpp"
#include "conformance/child.hpp"

namespace gadget::conformance {

class HubBench : public Bench {
 public:
  // `settings` are KEY=VALUE, as `! set` takes them.
  explicit HubBench(std::filesystem::path program, std::vector<std::string> settings = {});
  ~HubBench() override;
  [[nodiscard]] bool has(std::string_view capability) const override;
  [[nodiscard]] Result<Endpoint> endpoint() override;
  Result<void> act(const std::vector<std::string>& words) override;
  [[nodiscard]] std::string log_tail() const override;

 private:
  using Words = std::vector<std::string>;
  struct Ran {
    int exit_code = 0;
    std::string output;
  };

  Result<void> start();
  Result<void> restart(int signal);
  [[nodiscard]] Ran run(Words arguments) const;
  Result<void> command(Words arguments);
  Result<void> in_background(Words arguments);
  Result<void> ended(bool success, std::string_view expected);
  [[nodiscard]] Result<std::string> image_file(const Words& words, std::size_t first) const;
  Result<void> update(const Words& words);
  Result<void> update_all(const Words& words);
  Result<void> advance(const std::string& seconds);
  Result<void> image(const Words& words);
  Result<void> expect_device(const Words& words);
  Result<void> expect_count(Words arguments, const std::string& count);

  std::filesystem::path program_;
  std::filesystem::path folder_;
  Words settings_;
  std::optional<Child> child_;
  Endpoint endpoint_;
  std::future<Ran> background_;  // the one `ask`, `action` or `update` that waits for its answer
};

}  // namespace gadget::conformance
