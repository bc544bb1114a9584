#include "load/certificate.hpp"

#include <memory>

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/files.hpp"

namespace gadget::load {
namespace {

constexpr long kDaySeconds = 86'400;

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
template <class Type>
using Owned = std::unique_ptr<Type, Free>;

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

}  // namespace

Result<void> write_certificate(const std::filesystem::path& certificate,
                               const std::filesystem::path& key_file) {
  const Owned<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Owned<X509> made(X509_new());
  if (!key || !made) return fail(FailureCode::io, "OpenSSL makes no key");
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -kDaySeconds);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), kDaySeconds);
  X509_set_pubkey(made.get(), key.get());
  X509_NAME* const name = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("127.0.0.1"), -1, -1, 0);
  X509_set_issuer_name(made.get(), name);
  if (X509_sign(made.get(), key.get(), EVP_sha256()) == 0) {
    return fail(FailureCode::io, "OpenSSL signs no certificate");
  }
  const Owned<BIO> certificate_text(BIO_new(BIO_s_mem()));
  const Owned<BIO> key_text(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(certificate_text.get(), made.get());
  PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  if (auto written = files::write(certificate, text_of(certificate_text.get())); !written) {
    return written;
  }
  return files::write(key_file, text_of(key_text.get()), true);
}

}  // namespace gadget::load
