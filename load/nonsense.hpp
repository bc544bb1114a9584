// nonsense.hpp - a hostile client: everything that a stranger, or a device gone mad, can throw at a
// hub, at a rate that one machine manages.
#pragma once

#include <map>
#include <random>

#include "load/scenario.hpp"

namespace gadget::load {

class Hostile {
 public:
  // `first_known`: devices from here on are enrolled, and are the hostile ones that authenticate.
  Hostile(Loop& loop, const Endpoint& endpoint, std::size_t first_known);
  ~Hostile();

  // A little of everything; called every millisecond.
  void act();
  void stop();
  // Connections that were begun, and what became of them: "1008 protocol" -> 12.
  [[nodiscard]] std::uint64_t begun() const { return begun_; }
  [[nodiscard]] const std::map<std::string, std::uint64_t>& ends() const { return ends_; }

 private:
  class Stranger;
  class Madman;
  const Endpoint& endpoint_;
  std::minstd_rand random_{1};
  std::vector<std::unique_ptr<Stranger>> strangers_;
  std::vector<std::unique_ptr<Madman>> madmen_;
  std::map<std::string, std::uint64_t> ends_;
  std::uint64_t begun_ = 0;
  std::uint64_t turn_ = 0;
};

}  // namespace gadget::load
