// sha256.hpp on OpenSSL, for hosts: on its functions without a context object, which take nothing
// from the heap. They are deprecated in favour of one that allocates, and of the same speed.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <new>

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "protocol/sha256.hpp"

namespace gadget::protocol {
namespace {

static_assert(sizeof(SHA256_CTX) <= sizeof(Sha256::storage));

SHA256_CTX& context(Sha256& hash) { return *reinterpret_cast<SHA256_CTX*>(hash.storage.data()); }

}  // namespace

void sha256_start(Sha256& hash) {
  ::new (hash.storage.data()) SHA256_CTX;
  SHA256_Init(&context(hash));
}

void sha256_update(Sha256& hash, std::span<const std::byte> bytes) {
  SHA256_Update(&context(hash), bytes.data(), bytes.size());
}

Digest sha256_finish(Sha256& hash) {
  Digest digest{};
  SHA256_Final(reinterpret_cast<unsigned char*>(digest.data()), &context(hash));
  OPENSSL_cleanse(hash.storage.data(), sizeof(SHA256_CTX));
  return digest;
}

}  // namespace gadget::protocol
