#include "device/core/stored.hpp"

namespace gadget::device {

bool get_stored(Store& store, const char* name, std::span<std::byte> out) {
  return store.get(name, out) == out.size();
}

bool put_stored(Store& store, const char* name, std::span<const std::byte> value) {
  return store.put(name, value);
}

}  // namespace gadget::device
