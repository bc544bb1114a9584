// The calls about what was and what comes: turns, and the hub's log.
#include <algorithm>

#include <boost/json/array.hpp>

#include "hub/owner/answers.hpp"
#include "hub/owner/calls.hpp"
#include "hub/owner/events.hpp"
#include "hub/owner/feeds.hpp"
#include "hub/owner/rows.hpp"

namespace gadget::hub {

namespace asio = boost::asio;
namespace json = boost::json;
using wire::HttpRequest;
using wire::OwnerResponse;

namespace {

// Entries of one answer when its caller does not say, and at most.
constexpr std::int64_t kUsualEntries = 50;
constexpr std::int64_t kMostEntries = 1'000;

// What is asked for: of one device or of all, from a level on, after a number.
struct Wanted {
  std::string device;  // its id; empty: all
  LogFact::Level level = LogFact::Level::debug;
  std::size_t limit = 0;
  std::optional<std::uint64_t> after;
};

Result<Wanted> wanted_of(const HttpRequest& request, Hub& hub) {
  auto fields = Fields::parse_query(request.query(), {});
  if (!fields) return tl::unexpected(std::move(fields.error()));
  Wanted wanted;
  const auto device = fields->text_or("device", "");
  if (!device) return tl::unexpected(device.error());
  if (!device->empty()) {
    const auto id = hub.find(*device);
    if (!id) return tl::unexpected(id.error());
    wanted.device = id->text();
  }
  const auto level = fields->text_or("level", "debug");
  if (!level) return tl::unexpected(level.error());
  if (!parse_level(*level, wanted.level)) {
    return fail(FailureCode::invalid_argument, "there is no level \"" + *level + "\"",
                "it is debug, info, warning or error");
  }
  const auto limit = fields->whole_or("limit", kUsualEntries);
  if (!limit) return tl::unexpected(limit.error());
  wanted.limit = static_cast<std::size_t>(std::clamp<std::int64_t>(*limit, 0, kMostEntries));
  std::string after = request.header("Last-Event-ID");  // a follower that comes back
  if (after.empty()) {
    auto said = fields->text_or("after", "");
    if (!said) return tl::unexpected(std::move(said.error()));
    after = std::move(*said);
  }
  if (after.empty()) return wanted;
  const auto number = whole_number(after);
  if (!number) return fail(FailureCode::invalid_argument, "after is a whole number");
  wanted.after = static_cast<std::uint64_t>(*number);
  return wanted;
}

// ---- Turns ----

json::object row_of(std::uint64_t number, const TurnRecord& turn) {
  json::object timeline;
  for (const auto& [point, ms] : turn.timeline) timeline[point] = ms;
  json::object row{{"number", number},
                   {"time", iso_time(turn.ended_wall_ms)},
                   {"device", turn.device.text()},
                   {"turn", turn.turn},
                   {"kind", turn.kind},
                   {"outcome", name(turn.outcome)},
                   {"hub_ms", turn.ours_ms},
                   {"timeline", std::move(timeline)}};
  if (turn.has_texts) {
    row["asked"] = turn.asked;
    row["answered"] = turn.answered;
  }
  return row;
}

auto taker(const Wanted& wanted, const TurnRecord*) {
  return [&wanted](const TurnRecord& turn) {
    return wanted.device.empty() || turn.device.text() == wanted.device;
  };
}

// ---- The log ----

json::object row_of(std::uint64_t number, const LogLine& line) {
  json::object fields;
  std::string event;
  for (auto& [key, value] : fields_of(line.text)) {
    if (key == "event") {
      event = std::move(value);
    } else {
      fields[key] = value;
    }
  }
  return {
      {"number", number},          {"time", iso_time(line.wall_ms)}, {"level", name(line.level)},
      {"event", std::move(event)}, {"fields", std::move(fields)},    {"line", line.text}};
}

auto taker(const Wanted& wanted, const LogLine*) {
  return [&wanted](const LogLine& line) {
    return line.level >= wanted.level &&
           (wanted.device.empty() || field_of(line.text, "device") == wanted.device);
  };
}

// ---- Both ----

template <class T>
json::object list_of(const Feed<T>& feed, const Wanted& wanted, std::string_view name) {
  const auto takes = taker(wanted, static_cast<const T*>(nullptr));
  const auto found = wanted.after ? feed.after(*wanted.after, wanted.limit, takes)
                                  : feed.latest(wanted.limit, takes);
  json::array rows;
  for (const auto& [number, value] : found.entries) rows.push_back(row_of(number, value));
  json::object out;
  out[name] = std::move(rows);
  out["newest"] = found.seen;
  return out;
}

template <class T>
struct Follower {
  Follower(Feed<T>& its_feed, Wanted its_wanted, std::shared_ptr<Bell> its_bell)
      : feed(its_feed), wanted(std::move(its_wanted)), bell(std::move(its_bell)) {}
  Feed<T>& feed;
  Wanted wanted;
  std::shared_ptr<Bell> bell;
  std::uint64_t seen = 0;
};

template <class T>
std::string piece_of(Follower<T>& follower, const typename Feed<T>::Found& found) {
  std::string piece;
  for (const auto& [number, value] : found.entries) {
    piece += event_text(row_of(number, value), number);
  }
  follower.seen = found.seen;
  return piece;
}

// Entries of one piece of a stream: what more there is comes with the next, others between them.
constexpr std::size_t kEntriesAPiece = 100;

template <class T>
asio::awaitable<std::optional<std::string>> next_entries(std::shared_ptr<Follower<T>> follower) {
  const auto takes = taker(follower->wanted, static_cast<const T*>(nullptr));
  for (;;) {
    std::string piece =
        piece_of(*follower, follower->feed.after(follower->seen, kEntriesAPiece, takes));
    if (!piece.empty()) co_return piece;
    const auto since = std::chrono::steady_clock::now();
    co_await Bell::wait(follower->bell, kStillThere);
    if (std::chrono::steady_clock::now() - since >= kStillThere) co_return still_there();
  }
}

template <class T>
OwnerResponse follow(Feed<T>& feed, Wanted wanted, const OwnerApi::Parts& parts) {
  OwnerResponse response = event_stream();
  auto follower = std::make_shared<Follower<T>>(feed, std::move(wanted),
                                                std::make_shared<Bell>(parts.executor));
  feed.tell(follower->bell);
  const auto takes = taker(follower->wanted, static_cast<const T*>(nullptr));
  if (follower->wanted.after) {
    follower->seen = *follower->wanted.after;
  } else {
    response.body = piece_of(*follower, feed.latest(follower->wanted.limit, takes));
  }
  response.body += still_there();  // the head goes out at once
  response.more = [follower] { return next_entries<T>(follower); };
  return response;
}

}  // namespace

asio::awaitable<OwnerResponse> get_turns(HttpRequest request, const OwnerApi::Parts& parts) {
  const auto wanted = wanted_of(request, *parts.hub);
  if (!wanted) co_return respond(wanted.error());
  co_return respond(list_of(parts.feeds->turns, *wanted, "turns"));
}

asio::awaitable<OwnerResponse> stream_turns(HttpRequest request, const OwnerApi::Parts& parts) {
  auto wanted = wanted_of(request, *parts.hub);
  if (!wanted) co_return respond(wanted.error());
  co_return follow(parts.feeds->turns, std::move(*wanted), parts);
}

asio::awaitable<OwnerResponse> get_logs(HttpRequest request, const OwnerApi::Parts& parts) {
  const auto wanted = wanted_of(request, *parts.hub);
  if (!wanted) co_return respond(wanted.error());
  co_return respond(list_of(parts.feeds->logs, *wanted, "lines"));
}

asio::awaitable<OwnerResponse> stream_logs(HttpRequest request, const OwnerApi::Parts& parts) {
  auto wanted = wanted_of(request, *parts.hub);
  if (!wanted) co_return respond(wanted.error());
  co_return follow(parts.feeds->logs, std::move(*wanted), parts);
}

}  // namespace gadget::hub
