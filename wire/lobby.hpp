// lobby.hpp - the sockets that are not authenticated yet, bounded in all and per address (E3).
//
// A socket takes a place when it is accepted and gives it back when it is authenticated or gone. At
// the cap of its address a newcomer is turned away; at the cap of all, the oldest socket of the
// address that holds most goes. An IPv4 address counts by itself, IPv6 by /64. Shared by all
// listeners of a hub; safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gadget::wire {

struct LobbyLimits {
  std::size_t total = 1024;       // sockets in all (E3)
  std::size_t per_address = 256;  // sockets of one address (E3)
};

class Lobby : public std::enable_shared_from_this<Lobby> {
 public:
  [[nodiscard]] static std::shared_ptr<Lobby> make(LobbyLimits limits = {});

  // One socket's place, given back on destruction.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept;
    Place& operator=(Place&& other) noexcept;
    ~Place();
    void leave();
    // Counts for another address from now on (behind a proxy). False: that one is full, the place
    // is kept as it was.
    [[nodiscard]] bool move_to(std::string_view address);
    explicit operator bool() const { return lobby_ != nullptr; }

   private:
    friend class Lobby;
    std::shared_ptr<Lobby> lobby_;
    std::uint64_t id_ = 0;
  };

  // Takes a place; an empty one when the address is full. `evict` closes that socket; it is called
  // at most once, from the thread of the newcomer, without a lock held, possibly just after the
  // place was given back.
  [[nodiscard]] Place enter(std::string_view address, std::function<void()> evict);

  [[nodiscard]] std::size_t waiting() const;
  void set_limits(LobbyLimits limits);

 private:
  explicit Lobby(LobbyLimits limits);
  void leave(std::uint64_t id);
  [[nodiscard]] bool move(std::uint64_t id, std::string_view address);
  struct State;
  std::unique_ptr<State> state_;

 public:
  ~Lobby();
};

// What counts as one address: "10.1.2.3" itself, the first 64 bits of IPv6, IPv4-mapped as IPv4.
[[nodiscard]] std::string address_group(std::string_view address);

}  // namespace gadget::wire
