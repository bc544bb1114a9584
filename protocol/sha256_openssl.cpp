// sha256.hpp on OpenSSL, for hosts.
#include <cstring>
#include <new>

#include <openssl/evp.h>

#include "protocol/sha256.hpp"

namespace gadget::protocol {
namespace {

EVP_MD_CTX*& context(Sha256& hash) { return *reinterpret_cast<EVP_MD_CTX**>(hash.storage.data()); }

}  // namespace

void sha256_start(Sha256& hash) {
  ::new (hash.storage.data()) EVP_MD_CTX*(EVP_MD_CTX_new());
  EVP_DigestInit_ex(context(hash), EVP_sha256(), nullptr);
}

void sha256_update(Sha256& hash, std::span<const std::byte> bytes) {
  EVP_DigestUpdate(context(hash), bytes.data(), bytes.size());
}

Digest sha256_finish(Sha256& hash) {
  Digest digest{};
  EVP_DigestFinal_ex(context(hash), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  EVP_MD_CTX_free(context(hash));
  context(hash) = nullptr;
  return digest;
}

}  // namespace gadget::protocol
