// tls.hpp - what TLS needs on either side: a certificate to show, or rules to judge one (T2).
//
// TLS 1.2 and later. A client verifies chain, host name and validity, or a pinned public key: a way
// to verify nothing does not exist. Safe from any thread; a context may be shared by all
// connections.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/failure.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace gadget::wire {

// The hub's certificate and key (`tls_cert`, `tls_key`: PEM, the chain in the first).
class TlsServer {
 public:
  // Errors: not_found, invalid_argument (not PEM, not a key, a key that does not fit); they name
  // the file.
  [[nodiscard]] static Result<std::shared_ptr<TlsServer>> load(std::filesystem::path certificate,
                                                               std::filesystem::path key);
  // Reads both files again: connections from now on show the new certificate. On failure the old
  // one stays.
  [[nodiscard]] Result<void> reload();

  // SHA-256 of the public key in lowercase hex: what `--pin` takes.
  [[nodiscard]] std::string pin() const;

  [[nodiscard]] std::shared_ptr<ssl_ctx_st> context() const;

 private:
  TlsServer(std::filesystem::path certificate, std::filesystem::path key);
  std::filesystem::path certificate_;
  std::filesystem::path key_;
  mutable std::mutex mutex_;
  std::shared_ptr<ssl_ctx_st> context_;
};

struct TlsClientOptions {
  std::filesystem::path ca_file;  // roots to trust (PEM); empty: the system's
  // SHA-256 of the peer's public key, 64 hex digits. Alone it decides; with `ca_file` both must
  // hold.
  std::string pin;
  // For a machine without a clock: the latest time that is known to have passed (Unix seconds).
  // Then only what had expired by then is refused (T2, B-80). Absent: the system's clock.
  std::optional<std::int64_t> known_time_s;
};

class TlsClient {
 public:
  // Errors: not_found and invalid_argument name the CA file, or the pin that is no 64 hex digits.
  [[nodiscard]] static Result<std::shared_ptr<TlsClient>> make(const TlsClientOptions& options);

  [[nodiscard]] std::shared_ptr<ssl_ctx_st> context() const { return context_; }
  // Arms verification of one connection to `host` (a name or a numeric address).
  [[nodiscard]] Result<void> arm(ssl_st* connection, const std::string& host) const;
  // After the handshake: whether the peer's key is the pinned one (true without a pin).
  [[nodiscard]] bool pin_holds(ssl_st* connection) const;

 private:
  TlsClient() = default;
  std::shared_ptr<ssl_ctx_st> context_;
  std::string pin_;
  bool chain_ = true;
};

// A write to a socket whose peer is gone is an error, not a signal. Called by every listener and
// client.
void ignore_broken_pipes();

}  // namespace gadget::wire
