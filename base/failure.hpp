// failure.hpp - how everything that runs on a full operating system reports that something did not
// work.
//
// A Failure is a value: a stable code for programs, a sentence for people, and a hint that says
// what to do. The device core and protocol/ have their own, smaller Error (protocol/error.hpp): no
// heap there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace gadget {

// What kind of failure; one table (exit_code, http_status, name) maps it to what each face shows.
enum class FailureCode : std::uint8_t {
  internal,          // a defect of ours
  invalid_argument,  // what the caller gave is wrong: the text names the field
  not_found,         // no such device, file, option
  unavailable,       // cannot be done now: an engine missing, a port in use, a server away
  no_hub,            // no hub answers at the owner socket
  refused,           // the hub (or an authority) said no
  io,                // the disk or the network failed
  corrupt,           // stored data or a downloaded file is damaged
  timeout,           // it took too long
  cancelled,         // the caller asked to stop
};

struct Failure {
  FailureCode code = FailureCode::internal;
  std::string
      text;  // one sentence, no trailing newline: what happened, naming the field or the file
  std::string hint;  // what to do about it; may be empty
};

template <class T>
using Result = tl::expected<T, Failure>;

[[nodiscard]] inline tl::unexpected<Failure> fail(FailureCode code, std::string text,
                                                  std::string hint = {}) {
  return tl::unexpected<Failure>(Failure{code, std::move(text), std::move(hint)});
}

// The stable name of a code ("not_found"), for --json and logs.
[[nodiscard]] std::string_view name(FailureCode code);

// The process exit code: 1 it did not work, 2 wrong usage, 3 no hub there, 4 refused by the hub.
[[nodiscard]] int exit_code(FailureCode code);

// The HTTP status that the owner API answers with.
[[nodiscard]] int http_status(FailureCode code);

// "text (hint)" on one line, as the command line prints it after "hermes-gadget: ".
[[nodiscard]] std::string to_line(const Failure& failure);

}  // namespace gadget
