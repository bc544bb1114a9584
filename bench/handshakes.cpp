// bench_handshakes - does a known device's handshake slow down with the number of enrolled devices?
//
// Fills the real store with so many devices, starts the real hub on it, and lets known devices
// connect one after the other: TCP, upgrade, hello, challenge, auth with its MAC, welcome. Prints
// the median time of each count and its ratio to the first. The counts take turns, so that a
// machine whose speed drifts drifts for all of them.
//
// usage: bench_handshakes --program FILE [--handshakes N] COUNT...
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "conformance/child.hpp"
#include "conformance/pattern.hpp"
#include "conformance/peer.hpp"
#include "hub/store/store.hpp"
#include "protocol/identity.hpp"

namespace fs = std::filesystem;
namespace json = boost::json;
using namespace gadget;
using conformance::Child;
using conformance::Peer;
using std::chrono::milliseconds;

namespace {

constexpr int kKnown = 64;  // devices that connect in turn
constexpr int kBatch = 50;  // handshakes of one count before the next has its turn
constexpr milliseconds kWait{10'000};

std::string known(int index) { return "known-" + std::to_string(index % kKnown); }

Result<void> fill(const fs::path& state, int count) {
  fs::create_directories(state);
  auto store = hub::Store::open(state / "hub.db");
  if (!store) return tl::unexpected<Failure>(store.error());
  return (*store)->transaction([&]() -> Result<void> {
    for (int i = 0; i < std::max(count, kKnown); ++i) {
      const std::string name = i < kKnown ? known(i) : "other-" + std::to_string(i);
      hub::DeviceRecord record;
      record.key = conformance::key_of(name);
      record.id = protocol::device_id(record.key);
      record.approved = true;
      record.name = name;
      if (auto enrolled = (*store)->enrol(record); !enrolled) return enrolled;
    }
    return {};
  });
}

struct Bench {
  int count = 0;
  fs::path folder;
  std::optional<Child> hub;
  conformance::OpenOptions endpoint;
  std::vector<double> times_us;
};

Result<void> start(Bench& bench, const fs::path& program) {
  std::string folder = (fs::temp_directory_path() / "hermes-gadget-bench-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return fail(FailureCode::io, "no temporary folder");
  bench.folder = folder;
  if (auto filled = fill(bench.folder / "state", bench.count); !filled) return filled;
  auto hub = Child::start(
      {program, "hub", "--port", "0", "--state", bench.folder / "state", "--agent", "echo"},
      bench.folder / "log");
  if (!hub) return tl::unexpected<Failure>(hub.error());
  const auto ready = hub->line(milliseconds{60'000});
  if (!ready || !ready->starts_with("ready ws://"))
    return fail(FailureCode::io, "the hub did not start");
  const std::size_t colon = ready->rfind(':');
  bench.endpoint.port = static_cast<std::uint16_t>(std::atoi(ready->c_str() + colon + 1));
  bench.hub.emplace(std::move(*hub));
  return {};
}

Result<void> handshake(boost::asio::io_context& loop, Bench& bench, int index) {
  const std::string name = known(index);
  const std::string id(conformance::id_of(name).text());
  const auto begin = std::chrono::steady_clock::now();
  conformance::Opened opened;
  auto peer = Peer::connect(loop, bench.endpoint, opened);
  if (!peer) return tl::unexpected<Failure>(peer.error());
  const auto ask = [&](const json::object& message) -> Result<json::value> {
    if (auto sent = (*peer)->send_text(json::serialize(message)); !sent)
      return tl::unexpected<Failure>(sent.error());
    const auto answer = (*peer)->next_text(kWait);
    if (!answer || answer->kind != conformance::Incoming::Kind::text)
      return fail(FailureCode::io, "no answer");
    return json::parse(answer->bytes);
  };
  const auto challenge = ask({{"type", "hello"}, {"proto", 1}, {"device_id", id}});
  if (!challenge) return tl::unexpected<Failure>(challenge.error());
  const std::string nonce(challenge->at("nonce").as_string());
  const auto welcome =
      ask({{"type", "auth"},
           {"mac", protocol::view(protocol::auth_mac(conformance::key_of(name), id, nonce))}});
  if (!welcome) return tl::unexpected<Failure>(welcome.error());
  if (welcome->at("type") != "welcome")
    return fail(FailureCode::refused, json::serialize(*welcome));
  bench.times_us.push_back(
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  (*peer)->drop();
  return {};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int complain(const Failure& failure) {
  std::fprintf(stderr, "bench_handshakes: %s\n", to_line(failure).c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  fs::path program = "build/bin/hermes-gadget";
  int handshakes = 2'000;
  std::vector<Bench> benches;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--program" && i + 1 < argc) {
      program = argv[++i];
    } else if (word == "--handshakes" && i + 1 < argc) {
      handshakes = std::atoi(argv[++i]);
    } else {
      benches.emplace_back().count = std::atoi(argv[i]);
    }
  }
  if (benches.empty() || handshakes < 1) {
    std::fprintf(stderr, "usage: bench_handshakes --program FILE [--handshakes N] COUNT...\n");
    return 2;
  }
  boost::asio::io_context loop;
  for (Bench& bench : benches) {
    if (auto started = start(bench, program); !started) return complain(started.error());
  }
  for (int done = 0; done < handshakes; done += kBatch) {
    for (Bench& bench : benches) {
      for (int i = 0; i < kBatch; ++i) {
        if (auto ok = handshake(loop, bench, done + i); !ok) return complain(ok.error());
      }
    }
  }
  const double first = median(benches.front().times_us);
  for (Bench& bench : benches) {
    const double time = median(bench.times_us);
    std::printf("%7d enrolled: median %.0f us a handshake, %.2f of the first\n", bench.count, time,
                time / first);
    bench.hub.reset();
    std::error_code ignored;
    fs::remove_all(bench.folder, ignored);
  }
  return 0;
}
