#include "wire/tls.hpp"

#include <csignal>
#include <system_error>

#include <arpa/inet.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace gadget::wire {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<SSL_CTX> new_context(const SSL_METHOD* method) {
  std::shared_ptr<SSL_CTX> context{SSL_CTX_new(method), SSL_CTX_free};
  if (!context) return nullptr;
  SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION);
  // Buffers are given back while a connection is idle; retries may come from another address.
  SSL_CTX_set_mode(context.get(), SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                      SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  return context;
}

std::string reason() {
  const auto code = ERR_get_error();
  ERR_clear_error();
  const char* text = code != 0 ? ERR_reason_error_string(code) : nullptr;
  return text != nullptr ? text : "unknown reason";
}

Result<void> readable(const fs::path& file, const char* what) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    return fail(FailureCode::not_found,
                std::string{what} + " " + file.string() + " does not exist");
  }
  std::unique_ptr<BIO, decltype(&BIO_free)> bio{BIO_new_file(file.c_str(), "r"), &BIO_free};
  ERR_clear_error();
  if (!bio) {
    return fail(FailureCode::io, std::string{what} + " " + file.string() + " cannot be read",
                "check its permissions");
  }
  return {};
}

std::string key_digest(X509* certificate) {
  unsigned char* der = nullptr;
  const int size = i2d_X509_PUBKEY(X509_get_X509_PUBKEY(certificate), &der);
  if (size <= 0) return {};
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(der, static_cast<std::size_t>(size), digest);
  OPENSSL_free(der);
  std::string hex;
  for (const unsigned char byte : digest) {
    constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

int no_password(char*, int, int, void*) { return -1; }  // never ask on a terminal

// With a known time instead of a clock, "not yet valid" cannot be judged (T2).
int allow_future(int ok, X509_STORE_CTX* store) {
  if (ok == 0 && X509_STORE_CTX_get_error(store) == X509_V_ERR_CERT_NOT_YET_VALID) {
    X509_STORE_CTX_set_error(store, X509_V_OK);
    return 1;
  }
  return ok;
}

}  // namespace

TlsServer::TlsServer(fs::path certificate, fs::path key)
    : certificate_(std::move(certificate)), key_(std::move(key)) {}

Result<std::shared_ptr<TlsServer>> TlsServer::load(fs::path certificate, fs::path key) {
  std::shared_ptr<TlsServer> server{new TlsServer{std::move(certificate), std::move(key)}};
  if (auto loaded = server->reload(); !loaded) return tl::unexpected(loaded.error());
  return server;
}

Result<void> TlsServer::reload() {
  if (auto there = readable(certificate_, "the certificate"); !there) return there;
  if (auto there = readable(key_, "the key"); !there) return there;
  auto context = new_context(TLS_server_method());
  if (!context) return fail(FailureCode::internal, "TLS cannot be set up: " + reason());
  SSL_CTX_set_default_passwd_cb(context.get(), no_password);
  // No device resumes a session: tickets and a cache of sessions would cost each handshake a sixth,
  // and memory.
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_session_id_context(context.get(), reinterpret_cast<const unsigned char*>("gadget"),
                                 6);
  if (SSL_CTX_use_certificate_chain_file(context.get(), certificate_.c_str()) != 1) {
    return fail(FailureCode::invalid_argument,
                "the certificate " + certificate_.string() + " is not usable: " + reason(),
                "it must be PEM, the host's certificate first, then its chain");
  }
  if (SSL_CTX_use_PrivateKey_file(context.get(), key_.c_str(), SSL_FILETYPE_PEM) != 1) {
    ERR_clear_error();
    const bool other_key = [&] {  // a key that can be read by itself is one that does not fit
      std::unique_ptr<BIO, decltype(&BIO_free)> bio{BIO_new_file(key_.c_str(), "r"), &BIO_free};
      std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{
          PEM_read_bio_PrivateKey(bio.get(), nullptr, no_password, nullptr), &EVP_PKEY_free};
      ERR_clear_error();
      return key != nullptr;
    }();
    if (other_key) {
      return fail(FailureCode::invalid_argument, "the key " + key_.string() +
                                                     " does not belong to the certificate " +
                                                     certificate_.string());
    }
    return fail(FailureCode::invalid_argument, "the key " + key_.string() + " is not usable",
                "it must be PEM, without a password");
  }
  const std::lock_guard lock{mutex_};
  context_ = std::move(context);
  return {};
}

std::string TlsServer::pin() const { return key_digest(SSL_CTX_get0_certificate(context().get())); }

std::shared_ptr<ssl_ctx_st> TlsServer::context() const {
  const std::lock_guard lock{mutex_};
  return context_;
}

Result<std::shared_ptr<TlsClient>> TlsClient::make(const TlsClientOptions& options) {
  std::shared_ptr<TlsClient> client{new TlsClient};
  client->context_ = new_context(TLS_client_method());
  if (!client->context_) return fail(FailureCode::internal, "TLS cannot be set up: " + reason());
  SSL_CTX* context = client->context_.get();
  for (const char c : options.pin) {
    client->pin_ += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (!client->pin_.empty() &&
      (client->pin_.size() != 2 * SHA256_DIGEST_LENGTH ||
       client->pin_.find_first_not_of("0123456789abcdef") != std::string::npos)) {
    return fail(FailureCode::invalid_argument, "the pin is not 64 hex digits",
                "it is the SHA-256 of the hub's public key");
  }
  client->chain_ = client->pin_.empty() || !options.ca_file.empty();
  if (!options.ca_file.empty()) {
    if (auto there = readable(options.ca_file, "the CA file"); !there) {
      return tl::unexpected(there.error());
    }
    if (SSL_CTX_load_verify_locations(context, options.ca_file.c_str(), nullptr) != 1) {
      return fail(FailureCode::invalid_argument,
                  "the CA file " + options.ca_file.string() + " holds no certificate: " + reason());
    }
  } else if (client->chain_ && SSL_CTX_set_default_verify_paths(context) != 1) {
    return fail(FailureCode::unavailable, "the system's trust roots cannot be read");
  }
  // A pinned key alone is checked after the handshake; without one the chain decides within it.
  SSL_CTX_set_verify(context, client->chain_ ? SSL_VERIFY_PEER : SSL_VERIFY_NONE,
                     options.known_time_s ? allow_future : nullptr);
  if (options.known_time_s) {
    X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(context),
                               static_cast<std::time_t>(*options.known_time_s));
  }
  return client;
}

Result<void> TlsClient::arm(ssl_st* connection, const std::string& host) const {
  unsigned char address[sizeof(in6_addr)];
  const bool numeric = inet_pton(AF_INET, host.c_str(), address) == 1 ||
                       inet_pton(AF_INET6, host.c_str(), address) == 1;
  if (!numeric) SSL_set_tlsext_host_name(connection, host.c_str());
  if (!chain_) return {};
  X509_VERIFY_PARAM* rules = SSL_get0_param(connection);
  X509_VERIFY_PARAM_set_hostflags(rules, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  const int armed = numeric ? X509_VERIFY_PARAM_set1_ip_asc(rules, host.c_str())
                            : X509_VERIFY_PARAM_set1_host(rules, host.data(), host.size());
  if (armed != 1 || host.empty()) {
    return fail(FailureCode::invalid_argument, "\"" + host + "\" is no host name");
  }
  return {};
}

bool TlsClient::pin_holds(ssl_st* connection) const {
  if (pin_.empty()) return true;
  X509* certificate = SSL_get0_peer_certificate(connection);
  return certificate != nullptr && key_digest(certificate) == pin_;
}

void ignore_broken_pipes() {
  static const auto once = std::signal(SIGPIPE, SIG_IGN);
  static_cast<void>(once);
}

}  // namespace gadget::wire
