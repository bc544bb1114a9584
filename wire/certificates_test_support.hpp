// certificates_test_support.hpp - for the tests of this room: certificates made on the spot with
// OpenSSL.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace gadget::wire::test {

struct CertificateOptions {
  std::string name = "localhost";                           // subject
  std::string alternatives = "DNS:localhost,IP:127.0.0.1";  // subjectAltName
  long from_s = -3600;                                      // validity, from now
  long to_s = 3600;
};

// A self-signed certificate, which is its own CA, as two PEM files NAME.crt and NAME.key in
// `folder`.
struct Certificate {
  std::filesystem::path certificate;
  std::filesystem::path key;
};

inline Certificate make_certificate(const std::filesystem::path& folder, const std::string& file,
                                    const CertificateOptions& options) {
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key{EVP_EC_gen("P-256"), &EVP_PKEY_free};
  std::unique_ptr<X509, decltype(&X509_free)> made{X509_new(), &X509_free};
  X509_set_version(made.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), options.from_s);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), options.to_s);
  X509_set_pubkey(made.get(), key.get());
  X509_NAME* subject = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(options.name.c_str()), -1, -1,
                             0);
  X509_set_issuer_name(made.get(), subject);
  const auto extend = [&](int kind, const std::string& value) {
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, kind, value.c_str());
    X509_add_ext(made.get(), extension, -1);
    X509_EXTENSION_free(extension);
  };
  extend(NID_basic_constraints, "critical,CA:TRUE");
  extend(NID_subject_alt_name, options.alternatives);
  X509_sign(made.get(), key.get(), EVP_sha256());

  const Certificate out{folder / (file + ".crt"), folder / (file + ".key")};
  std::FILE* certificate_file = std::fopen(out.certificate.c_str(), "w");
  PEM_write_X509(certificate_file, made.get());
  std::fclose(certificate_file);
  std::FILE* key_file = std::fopen(out.key.c_str(), "w");
  PEM_write_PrivateKey(key_file, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  std::fclose(key_file);
  return out;
}

}  // namespace gadget::wire::test
