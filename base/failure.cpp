#include "base/failure.hpp"

#include <array>

namespace gadget {
namespace {

struct Row {
  FailureCode code;
  std::string_view name;
  int exit_code;
  int http_status;
};

constexpr std::array kTable{
    Row{FailureCode::internal, "internal", 1, 500},
    Row{FailureCode::invalid_argument, "invalid_argument", 2, 400},
    Row{FailureCode::not_found, "not_found", 1, 404},
    Row{FailureCode::unavailable, "unavailable", 1, 503},
    Row{FailureCode::no_hub, "no_hub", 3, 503},
    Row{FailureCode::refused, "refused", 4, 409},
    Row{FailureCode::io, "io", 1, 500},
    Row{FailureCode::corrupt, "corrupt", 1, 500},
    Row{FailureCode::timeout, "timeout", 1, 504},
    Row{FailureCode::cancelled, "cancelled", 1, 409},
};

const Row& row(FailureCode code) {
  for (const Row& candidate : kTable) {
    if (candidate.code == code) return candidate;
  }
  return kTable.front();
}

}  // namespace

std::string_view name(FailureCode code) { return row(code).name; }
int exit_code(FailureCode code) { return row(code).exit_code; }
int http_status(FailureCode code) { return row(code).http_status; }

std::string to_line(const Failure& failure) {
  if (failure.hint.empty()) return failure.text;
  return failure.text + " (" + failure.hint + ")";
}

}  // namespace gadget
