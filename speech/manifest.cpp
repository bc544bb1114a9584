#include "speech/manifest.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <numeric>
#include <utility>

#include <boost/json.hpp>
#include <openssl/evp.h>

#include "base/files.hpp"

namespace gadget::speech {
namespace {

namespace json = boost::json;
constexpr char kInstallHint[] = "run hermes-gadget speech install";

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void add(std::string_view bytes) { EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()); }
  std::string hex() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    EVP_DigestFinal_ex(context_.get(), digest.data(), &size);
    std::string out;
    for (unsigned i = 0; i < size; ++i) {
      constexpr char kHex[] = "0123456789abcdef";
      out += kHex[digest[i] >> 4];
      out += kHex[digest[i] & 15];
    }
    return out;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

std::string text_of(const json::object& object, const char* name) {
  const auto* const value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string{};
}

// A path of a manifest stays inside its folder.
bool safe(const std::string& path) {
  const std::filesystem::path p(path);
  if (path.empty() || p.is_absolute()) return false;
  for (const auto& part : p) {
    if (part == "..") return false;
  }
  return true;
}

template <class Each>
void for_each_object(const json::object& root, const char* name, Each each) {
  const auto* const list = root.if_contains(name);
  if (list == nullptr || !list->is_array()) return;
  for (const auto& value : list->as_array()) {
    if (value.is_object()) each(value.as_object());
  }
}

}  // namespace

std::uint64_t Manifest::total_bytes() const {
  return std::accumulate(files.begin(), files.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const InstalledFile& f) { return sum + f.size; });
}

Result<Manifest> read_manifest(const std::filesystem::path& folder) {
  const auto path = folder / "manifest.json";
  auto text = files::read(path, kMaxManifestBytes);
  if (!text) {
    return fail(text.error().code, "no speech models are installed in " + folder.string(),
                kInstallHint);
  }
  boost::system::error_code error;
  const auto value = json::parse(*text, error);
  if (error || !value.is_object()) {
    return fail(FailureCode::corrupt, path.string() + " is damaged", kInstallHint);
  }
  const auto& root = value.as_object();
  const auto* const version = root.if_contains("version");
  if (version == nullptr || !version->is_int64() || version->as_int64() != kManifestVersion) {
    return fail(FailureCode::corrupt, path.string() + " is of another version of hermes-gadget",
                kInstallHint);
  }
  Manifest manifest;
  manifest.profile = text_of(root, "profile");
  manifest.pins = text_of(root, "pins");
  manifest.python = text_of(root, "python");
  bool sound = true;
  for_each_object(root, "files", [&](const json::object& file) {
    const auto* const size = file.if_contains("size");
    InstalledFile entry{
        text_of(file, "path"),
        size != nullptr && size->is_int64() ? static_cast<std::uint64_t>(size->as_int64()) : 0,
        text_of(file, "sha256")};
    sound = sound && safe(entry.path);
    manifest.files.push_back(std::move(entry));
  });
  for_each_object(root, "licences", [&](const json::object& licence) {
    manifest.licences.push_back(
        {text_of(licence, "component"), text_of(licence, "licence"), text_of(licence, "path")});
    sound = sound && safe(manifest.licences.back().path);
  });
  if (!sound || manifest.files.empty()) {
    return fail(FailureCode::corrupt, path.string() + " is damaged", kInstallHint);
  }
  return manifest;
}

Result<void> verify(const std::filesystem::path& folder, const Manifest& manifest, Depth depth,
                    std::string_view below) {
  for (const auto& file : manifest.files) {
    if (!file.path.starts_with(below)) continue;
    const auto path = folder / file.path;
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error) return fail(FailureCode::corrupt, path.string() + " is missing", kInstallHint);
    bool same = size == file.size;
    if (same && depth == Depth::contents) {
      const auto hash = sha256_of_file(path);
      same = hash && *hash == file.sha256;
    }
    if (!same) return fail(FailureCode::corrupt, path.string() + " is damaged", kInstallHint);
  }
  return {};
}

Result<std::string> sha256_of_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    return fail(FailureCode::not_found,
                "cannot read " + path.string() + ": " + std::strerror(errno));
  }
  Sha256 hash;
  std::vector<char> block(1U << 18);
  while (in) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    hash.add({block.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (in.bad()) return fail(FailureCode::io, "cannot read " + path.string());
  return hash.hex();
}

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

}  // namespace gadget::speech
