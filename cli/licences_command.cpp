// `licenses`: under which terms everything in this program, and what `speech install` fetched, may
// be used.
#include <array>
#include <cstdio>

#include <boost/json/array.hpp>

#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/licence_text.hpp"
#include "cli/owner_options.hpp"
#include "cli/print.hpp"
#include "speech/installer.hpp"

namespace gadget::cli {
namespace {

// Longest licence file that is shown.
constexpr std::size_t kMaxLicenceBytes = 1024 * 1024;

// Libraries that this program is linked with: Debian packages, whose full texts Debian keeps under
// /usr/share/doc/PACKAGE/copyright.
struct Library {
  const char* name;
  const char* licence;
  const char* package;
};
constexpr std::array kLibraries{
    Library{"Boost", "BSL-1.0", "libboost1.81-dev"},
    Library{"OpenSSL", "Apache-2.0", "libssl3"},
    Library{"SQLite", "public domain", "libsqlite3-0"},
    Library{"ICU", "Unicode-DFS", "libicu72"},
    Library{"SpeexDSP", "BSD-3-Clause", "libspeexdsp1"},
    Library{"libpng", "libpng-2.0", "libpng16-16"},
    Library{"libjpeg-turbo", "IJG, BSD-3-Clause, Zlib", "libjpeg62-turbo"},
    Library{"MD4C", "MIT", "libmd4c0"},
    Library{"spdlog", "MIT", "libspdlog1.10"},
    Library{"fmt", "MIT", "libfmt9"},
    Library{"CLI11", "BSD-3-Clause", "libcli11-dev"},
    Library{"toml++", "MIT", "libtomlplusplus3"},
    Library{"valijson", "BSD-2-Clause", "libvalijson-dev"},
    Library{"prometheus-cpp", "MIT", "libprometheus-cpp-core1.0"},
    Library{"tl-expected", "CC0-1.0", "libexpected-dev"},
    Library{"Flite", "BSD-like", "libflite1"},
    Library{"PocketSphinx", "BSD-2-Clause", "libpocketsphinx3"},
    Library{"SphinxBase", "BSD-2-Clause", "libsphinxbase3"},
    Library{"DejaVu fonts (tables of the screen)", "Bitstream Vera", "fonts-dejavu-core"},
    Library{"GNU Unifont (tables of the screen)", "OFL-1.1", "fonts-unifont"},
};

int print_json() {
  boost::json::array linked, fetched;
  for (const Library& library : kLibraries) {
    linked.push_back(boost::json::object{
        {"name", library.name},
        {"licence", library.licence},
        {"text", std::string("/usr/share/doc/") + library.package + "/copyright"}});
  }
  for (const auto& file : speech::installed_licences(files::default_cache_folder() / "speech")) {
    fetched.push_back(boost::json::object{
        {"name", file.component}, {"licence", file.licence}, {"text", file.path.string()}});
  }
  const boost::json::object all{
      {"licence", kLicenceText}, {"linked", std::move(linked)}, {"fetched", std::move(fetched)}};
  std::printf("%s\n", json_text(all).c_str());
  return kDone;
}

int print_licences(bool full) {
  std::printf("%s\n", kLicenceText);
  Table linked({"LIBRARY", "LICENCE", "FULL TEXT"});
  for (const Library& library : kLibraries) {
    linked.row({library.name, library.licence,
                std::string("/usr/share/doc/") + library.package + "/copyright"});
  }
  std::puts("This program is linked with:\n");
  linked.print();
  const auto installed = speech::installed_licences(files::default_cache_folder() / "speech");
  if (installed.empty()) {
    std::puts("\nNo speech engines were fetched (hermes-gadget speech install).");
    return kDone;
  }
  Table fetched({"COMPONENT", "LICENCE", "FULL TEXT"});
  for (const auto& file : installed) {
    fetched.row({file.component, file.licence, file.path.string()});
  }
  std::puts("\n`speech install` fetched:\n");
  fetched.print();
  if (!full) return kDone;
  for (const auto& file : installed) {
    const auto text = files::read(file.path, kMaxLicenceBytes);
    if (!text) return complain(text.error());
    std::printf("\n---- %s ----\n\n%s\n", printable(file.component).c_str(), text->c_str());
  }
  return kDone;
}

}  // namespace

void add_licences_command(Command& root) {
  auto full = std::make_shared<bool>(false);
  auto json = std::make_shared<bool>(false);
  Command licences =
      root.sub("licenses", "Show the licences of this program and of all that it uses");
  licences.flag("--full", *full, "print the texts that came with the speech engines too");
  licences.flag("--json", *json, "print JSON");
  licences.runs([full, json] { return *json ? print_json() : print_licences(*full); });
}

}  // namespace gadget::cli
