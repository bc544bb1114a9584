#include "wire/http_io.hpp"

#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

#include "wire/link.hpp"

namespace gadget::wire {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;

template <class Parser>
void take_head(Parser& parser, ReadRequest& into) {
  const auto& message = parser.get();
  into.http_minor = message.version() % 10;
  into.request.method = std::string{message.method_string()};
  into.request.target = std::string{message.target()};
  for (const auto& field : message) {
    into.request.headers.push_back({std::string{field.name_string()}, std::string{field.value()}});
  }
}

void take_error(ErrorCode error, ReadRequest& into) {
  into.text = error.message();
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    into.status = 431;
  } else if (error == http::error::body_limit) {
    into.status = 413;
  } else if (error == http::error::end_of_stream || error == http::error::partial_message ||
             error.category() != make_error_code(http::error::end_of_stream).category()) {
    into.status = 1;
  } else {
    into.status = 400;
  }
}

// A body that says how long it is, or comes in chunks, is held to the limit of its head.
template <class Parser>
ErrorCode limit_body(Parser& parser, std::size_t limit) {
  const auto length = parser.content_length();
  if (length && *length > limit) return http::error::body_limit;
  parser.body_limit(limit);
  return {};
}

template <class Parser>
asio::awaitable<ReadRequest> read_with(std::shared_ptr<Socket> socket, std::size_t head_limit,
                                       BodyLimit body_limit) {
  ReadRequest result;
  Parser parser;
  parser.header_limit(static_cast<std::uint32_t>(head_limit));
  parser.body_limit(boost::none);  // known when the head is there
  // Room for a head of exactly the limit, so that the parser, not the buffer, says what was too
  // long.
  boost::beast::flat_buffer buffer{head_limit + 1024};
  Link link{socket};
  auto [error, bytes] = co_await http::async_read_header(link, buffer, parser, kAwait);
  if (!error) take_head(parser, result);
  const auto limit = !error && body_limit ? body_limit(result.request) : std::nullopt;
  if (limit) {
    error = limit_body(parser, *limit);
    if (!error) {
      auto [body_error, body_bytes] = co_await http::async_read(link, buffer, parser, kAwait);
      error = body_error;
    }
  }
  if (error) {
    take_error(error, result);
    co_return result;
  }
  if constexpr (std::is_same_v<Parser, http::request_parser<http::string_body>>) {
    result.request.body = std::move(parser.get().body());
  }
  const auto rest = buffer.data();
  socket->unread({static_cast<const char*>(rest.data()), rest.size()});
  co_return result;
}

}  // namespace

asio::awaitable<ReadRequest> read_head(std::shared_ptr<Socket> socket, std::size_t head_limit) {
  return read_with<http::request_parser<http::empty_body>>(std::move(socket), head_limit, nullptr);
}

asio::awaitable<ReadRequest> read_request(std::shared_ptr<Socket> socket, std::size_t head_limit,
                                          BodyLimit body_limit) {
  return read_with<http::request_parser<http::string_body>>(std::move(socket), head_limit,
                                                            std::move(body_limit));
}

std::string serialize(const HttpResponse& response, bool head_only) {
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + " ";
  out += status_text(response.status);
  out += "\r\n";
  const auto line = [&out](std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
  };
  for (const auto& header : response.headers) line(header.name, header.value);
  if (!response.content_type.empty()) line("Content-Type", response.content_type);
  line("Content-Length", std::to_string(response.body.size()));
  line("Connection", response.status == 426 ? "Upgrade, close" : "close");
  out += "\r\n";
  if (!head_only) out += response.body;
  return out;
}

asio::awaitable<bool> write_all(std::shared_ptr<Socket> socket, std::string bytes) {
  Link link{std::move(socket)};
  const asio::const_buffer buffer{bytes.data(), bytes.size()};
  auto [error, written] = co_await asio::async_write(link, buffer, kAwait);
  co_return !error;
}

}  // namespace gadget::wire
