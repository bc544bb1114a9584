// conversation.hpp - what the agent keeps of a conversation in memory: what "it" is, and what it
// asked.
//
// Never stored; forgotten by session.new (C8) or with the device (H13). One owner: the agent's
// loop.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "hub/agent/agent.hpp"
#include "hub/agent/builtin/schedule.hpp"
#include "hub/agent/builtin/understand.hpp"

namespace gadget::hub::builtin {

// After this long an open question of the agent's ("For how long?") is over, and "it" means
// nothing.
inline constexpr Millis kMemoryMs = 120'000;

struct Conversation {
  Millis last_ms = 0;  // monotonic: when it was last used
  Pending pending = Pending::none;
  Intent open;  // what the pending answer completes
  std::string last_reply;
  std::vector<std::uint64_t> last_entries;  // "cancel it"
  Entry::Kind last_kind = Entry::Kind::timer;
  std::string last_list;
  std::string last_action;
  std::map<std::string, double, std::less<>> numbers;  // levels that were set; outlive the rest
};

// What an answer is: said, and shown.
struct Answer {
  std::string text;
  std::string card_title = {};
  std::string card_body = {};
  bool forget = false;  // the conversation ends with it
};

}  // namespace gadget::hub::builtin
