// `image`: a picture on a device's screen.
#include <cstdio>

#include "base/files.hpp"
#include "cli/commands.hpp"
#include "cli/owner_client.hpp"
#include "cli/owner_options.hpp"
#include "cli/print.hpp"
#include "media/image_limits.hpp"

namespace gadget::cli {
namespace {

namespace json = boost::json;

struct ImageArgs : DeviceArgs {
  std::string file;
  double ttl_s = -1;  // not said
  bool dither = false;
};

int image(const ImageArgs& args) {
  const auto file = files::read(args.file, media::limits::kImageFileBytes);
  if (!file) return complain(file.error());
  if (file->empty()) {
    return complain(Failure{FailureCode::invalid_argument, args.file + " is empty", {}});
  }
  std::string target = "/v1/image?device=" + percent_encoded(args.device);
  if (args.ttl_s >= 0) target += "&ttl_s=" + std::to_string(args.ttl_s);
  if (args.dither) target += "&dither=true";
  return print_answer(args, post_file(args, target, *file, kNoTimeout), [](const json::object&) {});
}

}  // namespace

void add_image_command(Command& root) {
  auto args = std::make_shared<ImageArgs>();
  Command command = root.sub("image", "Show a picture on a device's screen");
  add_device_options(command, *args);
  command.word("FILE", args->file, "a JPEG or PNG file, at most 32 MB and 64 megapixels");
  command.option("--ttl", args->ttl_s, "SECONDS", "how long; 0: until dismissed; default 30");
  command.flag("--dither", args->dither, "smoother gradients, with a little grain");
  command.more(
      "The hub turns it upright, fits it to the screen and never enlarges it. Transparent parts "
      "are\n"
      "black. A newer picture replaces one that is still on its way (exit code 1: it was "
      "replaced).\n"
      "\n"
      "  hermes-gadget image kitchen front-door.jpg --ttl 60");
  command.runs([args] { return image(*args); });
}

}  // namespace gadget::cli
