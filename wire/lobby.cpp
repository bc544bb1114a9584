#include "wire/lobby.hpp"

#include <algorithm>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <arpa/inet.h>

namespace gadget::wire {

struct Lobby::State {
  struct Guest {
    std::string group;
    std::list<std::uint64_t>::iterator in_group;
    std::function<void()> evict;
  };
  std::mutex mutex;
  LobbyLimits limits;
  std::uint64_t next_id = 1;
  std::unordered_map<std::uint64_t, Guest> guests;
  std::map<std::string, std::list<std::uint64_t>> groups;  // ids in the order of their coming

  void add(std::uint64_t id, Guest guest) {
    auto& list = groups[guest.group];
    guest.in_group = list.insert(list.end(), id);
    guests.emplace(id, std::move(guest));
  }
  // Gives back the guest that was there.
  std::function<void()> remove(std::uint64_t id) {
    const auto found = guests.find(id);
    if (found == guests.end()) return {};
    const auto group = groups.find(found->second.group);
    group->second.erase(found->second.in_group);
    if (group->second.empty()) groups.erase(group);
    auto evict = std::move(found->second.evict);
    guests.erase(found);
    return evict;
  }
  [[nodiscard]] bool full(const std::string& group) const {
    const auto found = groups.find(group);
    return (found == groups.end() ? 0 : found->second.size()) >= limits.per_address;
  }
  // The oldest of the address that holds most. Linear in the number of addresses, which the total
  // bounds.
  std::function<void()> make_room() {
    const auto most = std::max_element(
        groups.begin(), groups.end(),
        [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
    return most == groups.end() ? std::function<void()>{} : remove(most->second.front());
  }
};

Lobby::Lobby(LobbyLimits limits) : state_(std::make_unique<State>()) { state_->limits = limits; }
Lobby::~Lobby() = default;

std::shared_ptr<Lobby> Lobby::make(LobbyLimits limits) {
  return std::shared_ptr<Lobby>{new Lobby{limits}};
}

Lobby::Place Lobby::enter(std::string_view address, std::function<void()> evict) {
  std::function<void()> evicted;
  Place place;
  {
    const std::lock_guard lock{state_->mutex};
    auto group = address_group(address);
    if (state_->full(group)) return place;
    if (state_->guests.size() >= state_->limits.total) evicted = state_->make_room();
    place.id_ = state_->next_id++;
    place.lobby_ = shared_from_this();
    state_->add(place.id_, {std::move(group), {}, std::move(evict)});
  }
  if (evicted) evicted();
  return place;
}

void Lobby::leave(std::uint64_t id) {
  std::function<void()> unused;  // destroyed without the lock
  const std::lock_guard lock{state_->mutex};
  unused = state_->remove(id);
}

bool Lobby::move(std::uint64_t id, std::string_view address) {
  const std::lock_guard lock{state_->mutex};
  const auto found = state_->guests.find(id);
  if (found == state_->guests.end()) return true;  // evicted meanwhile; its socket is being closed
  auto group = address_group(address);
  if (found->second.group == group) return true;
  if (state_->full(group)) return false;
  auto evict = state_->remove(id);
  state_->add(id, {std::move(group), {}, std::move(evict)});
  return true;
}

std::size_t Lobby::waiting() const {
  const std::lock_guard lock{state_->mutex};
  return state_->guests.size();
}

void Lobby::set_limits(LobbyLimits limits) {
  const std::lock_guard lock{state_->mutex};
  state_->limits = limits;
}

Lobby::Place::Place(Place&& other) noexcept
    : lobby_(std::move(other.lobby_)), id_(std::exchange(other.id_, 0)) {}

Lobby::Place& Lobby::Place::operator=(Place&& other) noexcept {
  if (this != &other) {
    leave();
    lobby_ = std::move(other.lobby_);
    id_ = std::exchange(other.id_, 0);
  }
  return *this;
}

Lobby::Place::~Place() { leave(); }

void Lobby::Place::leave() {
  if (lobby_) lobby_->leave(id_);
  lobby_.reset();
}

bool Lobby::Place::move_to(std::string_view address) {
  return !lobby_ || lobby_->move(id_, address);
}

std::string address_group(std::string_view address) {
  std::string text{address.substr(0, address.find('%'))};
  in6_addr six{};
  if (inet_pton(AF_INET6, text.c_str(), &six) != 1) return text;
  char out[INET6_ADDRSTRLEN] = {};
  if (IN6_IS_ADDR_V4MAPPED(&six)) {
    in_addr four{};
    std::memcpy(&four, six.s6_addr + 12, sizeof four);
    inet_ntop(AF_INET, &four, out, sizeof out);
    return out;
  }
  std::memset(six.s6_addr + 8, 0, 8);
  inet_ntop(AF_INET6, &six, out, sizeof out);
  return std::string{out} + "/64";
}

}  // namespace gadget::wire
