// cleared.hpp - a base that clears the memory of an object before its members are initialised.
//
// No member relies on it: each says itself what it begins with. But a compiler sees that a zero
// which a member is given lies there already, and leaves out the store: one block is cleared, less
// code than a store a member.
#pragma once

#include <cstddef>
#include <cstring>

namespace gadget::device {

class Cleared {
 protected:
  // REQUIRES: `object` is the one under construction, of `bytes`; this is its first base, and
  // there is no other.
  Cleared(void* object, std::size_t bytes) { std::memset(object, 0, bytes); }
};

}  // namespace gadget::device
