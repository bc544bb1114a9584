#include "protocol/words.hpp"

#include <cstring>

namespace gadget::protocol {

const char* text_at(const char* texts, std::size_t index) {
  for (; index > 0; --index) texts += std::strlen(texts) + 1;
  return texts;
}

bool begins_with(const std::string_view& text, const char* beginning) {
  for (std::size_t i = 0; beginning[i] != '\0'; ++i) {
    if (i == text.size() || text[i] != beginning[i]) return false;
  }
  return true;
}

}  // namespace gadget::protocol
