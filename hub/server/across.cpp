// The hub's own tests, with every connection on another loop than the device's one before: a turn,
// a question, an update and what waits outlive not only a connection, but the loop that it was on
// (E12, E24, E31, E41).
//
// The loops are run by hand, so that nothing depends on threads.
#include <array>
#include <unordered_map>

#include <boost/asio/io_context.hpp>

#include "hub/core/bench.hpp"
#include "hub/server/crossing.hpp"

namespace gadget::hub::bench {
namespace {

class RecordingEnd final : public SocketEnd {
 public:
  explicit RecordingEnd(std::shared_ptr<RecordingLink> link) : link_(std::move(link)) {}
  void send_text(std::string text, Kind kind) override { link_->send_text(std::move(text), kind); }
  void send_binary(std::vector<std::byte> message, Kind kind, std::uint8_t stream) override {
    link_->send_binary(std::move(message), kind, stream);
  }
  void send_shared(std::array<std::byte, protocol::kFrameHeaderBytes> header,
                   std::span<const std::byte> payload, std::shared_ptr<const void> owner, Kind kind,
                   std::uint8_t stream) override {
    link_->send_shared(header, payload, std::move(owner), kind, stream);
  }
  void tell_when_taken() override { link_->tell_when_taken(); }
  void drop_stream(std::uint8_t stream) override { link_->drop_stream(stream); }
  void close(std::uint16_t code, std::string reason) override {
    link_->close(code, std::move(reason));
  }
  std::size_t waiting_bytes() const override { return link_->waiting_bytes(); }
  bool open() const override { return link_->open(); }
  void let_in() override {}
  void too_slow() override { link_->lost = true; }

 private:
  std::shared_ptr<RecordingLink> link_;
};

class Loops final : public Passage {
 public:
  explicit Loops(Hub& hub) {
    for (Loop& loop : loops_) {
      loop.crossing =
          std::make_unique<Crossing>(Crossing::Parts{.hub = &hub,
                                                     .hub_loop = hub_loop_.get_executor(),
                                                     .socket_loop = loop.context.get_executor(),
                                                     .settle = [] {}});
    }
  }

  Hub::ConnectionId connected(Hub::Peer peer, std::shared_ptr<RecordingLink> link) override {
    Loop& loop = loops_[next_++ % loops_.size()];
    const auto id = loop.crossing->connected(std::move(peer), std::make_shared<RecordingEnd>(link));
    where_[id] = loop.crossing.get();
    return id;
  }
  void text(Hub::ConnectionId id, std::string text) override {
    where_.at(id)->alive(id);  // as a socket says before each message
    where_.at(id)->text(id, text);
  }
  void binary(Hub::ConnectionId id, std::span<const std::byte> bytes) override {
    where_.at(id)->binary(id, bytes);
  }
  void disconnected(Hub::ConnectionId id) override { where_.at(id)->disconnected(id); }

  bool pump() override {
    // The test may have changed what waits in a link.
    for (const auto& [id, crossing] : where_) crossing->written(id);
    std::size_t all = 0;
    for (std::size_t ran = 1; ran > 0; all += ran) {
      ran = run(hub_loop_);
      for (Loop& loop : loops_) ran += run(loop.context);
    }
    return all > 0;
  }

 private:
  struct Loop {
    boost::asio::io_context context{1};
    std::unique_ptr<Crossing> crossing;
  };
  static std::size_t run(boost::asio::io_context& context) {
    context.restart();
    return context.poll();
  }

  boost::asio::io_context hub_loop_{1};
  std::array<Loop, 3> loops_;
  std::size_t next_ = 0;
  std::unordered_map<Hub::ConnectionId, Crossing*> where_;
};

const bool kAcross = [] {
  make_passage() = [](Hub& hub) -> std::unique_ptr<Passage> {
    return std::make_unique<Loops>(hub);
  };
  return true;
}();

TEST(Across, TheseTestsReallyCross) {
  EXPECT_TRUE(kAcross);
  Bench bench;
  ASSERT_NE(bench.passage, nullptr);
  Device device(bench);
  device.link = std::make_shared<RecordingLink>(bench.now);
  const auto id = bench.passage->connected({"10.0.0.1", false}, device.link);
  device.connection = id;
  bench.passage->text(id, R"({"type":"no")");
  EXPECT_TRUE(device.link->written.empty()) << "it came at once";
  EXPECT_EQ(device.types(), (std::vector<std::string>{"error", "close"}));
}

}  // namespace
}  // namespace gadget::hub::bench
