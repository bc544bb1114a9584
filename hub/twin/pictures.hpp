// pictures.hpp - pictures on their way to one device: fitted to its screen by a worker, then
// written frame by frame as its link takes them (D2, D3, E46).
//
// One owner: the Twin, on the loop. Two places: the picture being fitted and the picture being
// written. A newer picture takes the place of one that is still being fitted, and replaces one that
// is being written as soon as it is ready itself. Whoever asked is told once, on the loop: when the
// last frame was given to the link, or why not. Nothing outlives the connection (E31).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "hub/connection/connection.hpp"
#include "hub/core/context.hpp"

namespace gadget::hub {

class Twin;

class Pictures {
 public:
  using Done = std::function<void(Result<PictureSent>)>;

  Pictures(Context& context, Twin& twin);
  ~Pictures();
  Pictures(const Pictures&) = delete;
  Pictures& operator=(const Pictures&) = delete;

  // Errors: unavailable (the device is away, goes away, or too many pictures wait), refused (it
  // takes no pictures, H5), cancelled (a newer one came), and those of media::fit_image.
  void show(PictureSpec spec, Done done);
  // The link has room again, perhaps.
  void link_took();
  // The connection is gone, or its device may not be told any more.
  void fail_all(std::string_view why);
  // The hub goes: nothing is sent or called any more.
  void abandon();

 private:
  struct Job;  // shared with the worker
  struct Writing;

  static void fit(const std::shared_ptr<Job>& job);
  void fitted(const std::shared_ptr<Job>& job);
  void begin(const std::shared_ptr<Job>& job);
  void pump();
  void end_writing(Result<PictureSent> result);
  void end_fitting(Result<PictureSent> result);
  void log(const Result<PictureSent>& result, Millis began_ms) const;

  Context& context_;
  Twin& twin_;
  std::shared_ptr<Job> fitting_;
  std::unique_ptr<Writing> writing_;
};

}  // namespace gadget::hub
