#include "load/bare.hpp"

#include <cstdio>
#include <memory>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>

namespace gadget::load {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using Tcp = asio::ip::tcp;
using Error = boost::system::error_code;

class Session : public std::enable_shared_from_this<Session> {
 public:
  explicit Session(Tcp::socket socket) : stream_(std::move(socket)) {
    stream_.next_layer().set_option(Tcp::no_delay(true));
    stream_.auto_fragment(false);
  }
  void start() {
    stream_.async_accept([self = shared_from_this()](Error error) {
      if (!error) self->read();
    });
  }

 private:
  void read() {
    stream_.async_read(buffer_, [self = shared_from_this()](Error error, std::size_t) {
      if (error) return;
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }

  beast::websocket::stream<Tcp::socket, false> stream_;
  beast::flat_buffer buffer_;
};

void accept(Tcp::acceptor& acceptor) {
  acceptor.async_accept([&acceptor](Error error, Tcp::socket socket) {
    if (!error) std::make_shared<Session>(std::move(socket))->start();
    accept(acceptor);
  });
}

}  // namespace

int run_bare_server() {
  asio::io_context loop(1);
  Tcp::acceptor acceptor(loop, {asio::ip::address_v4::loopback(), 0});
  accept(acceptor);
  std::printf("ready ws://127.0.0.1:%u/\n",
              static_cast<unsigned>(acceptor.local_endpoint().port()));
  std::fflush(stdout);
  loop.run();
  return 0;
}

}  // namespace gadget::load
