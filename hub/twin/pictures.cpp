#include "hub/twin/pictures.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "hub/core/limits.hpp"
#include "hub/twin/twin.hpp"
#include "media/fit_image.hpp"

namespace gadget::hub {

// The worker has `file` and `options` until it posts back; then `result` is the loop's. `stop` is
// set by the loop at any time.
struct Pictures::Job {
  std::string file;
  media::FitOptions options;
  std::atomic<bool> stop = false;
  std::optional<Result<media::FittedImage>> result;
  Millis ttl_ms = 0;
  Millis began_ms = 0;
  Done done;
  // What it counts for of limits::kPictureWaitingBytes, given back when the worker is done with it.
  std::shared_ptr<std::size_t> waiting_bytes;
  std::size_t counts_bytes = 0;
};

struct Pictures::Writing {
  Connection* connection = nullptr;  // fail_all() comes before it goes
  std::uint8_t stream = 0;
  media::FittedImage image;
  std::size_t written_bytes = 0;
  std::uint16_t sequence = 0;
  Millis began_ms = 0;  // when it was asked for
  Done done;
};

Pictures::Pictures(Context& context, Twin& twin) : context_(context), twin_(twin) {}

Pictures::~Pictures() { abandon(); }

void Pictures::show(PictureSpec spec, Done done) {
  Connection* const connection = twin_.outlet();
  if (connection == nullptr) {
    return done(fail(FailureCode::unavailable, twin_.id_text() + " is not connected"));
  }
  const auto& display = connection->caps().display;
  if (!display || !display->image) {
    return done(fail(FailureCode::refused, twin_.id_text() + " takes no pictures",
                     "its screen announced no room for one (display.image)"));
  }
  const std::size_t counts = spec.file.size() + limits::kPictureJobBytes;
  std::size_t& waiting = *context_.picture_bytes;
  if (waiting + counts > limits::kPictureWaitingBytes) {
    return done(fail(FailureCode::unavailable, "too many pictures wait to be made ready",
                     "try again in a moment"));
  }
  if (fitting_) {
    fitting_->stop = true;
    end_fitting(fail(FailureCode::cancelled, "a newer picture came"));
  }
  waiting += counts;
  auto job = std::make_shared<Job>();
  job->file = std::move(spec.file);
  job->options = {.width = static_cast<std::uint32_t>(display->image->width),
                  .height = static_cast<std::uint32_t>(display->image->height),
                  .dither = spec.dither,
                  .stop = &job->stop};
  job->ttl_ms = spec.ttl_ms;
  job->began_ms = context_.now();
  job->done = std::move(done);
  job->waiting_bytes = context_.picture_bytes;
  job->counts_bytes = counts;
  fitting_ = job;
  context_.work([job, post = context_.environment.post, twin = twin_.weak_from_this()] {
    fit(job);
    post([job, twin] {
      *job->waiting_bytes -= job->counts_bytes;
      if (const auto its = twin.lock()) its->pictures().fitted(job);
    });
  });
}

// On the worker. The file goes as soon as it is not needed.
void Pictures::fit(const std::shared_ptr<Job>& job) {
  job->result = media::fit_image(std::as_bytes(std::span(job->file)), job->options);
  job->file = {};
}

// Another job than the newest came too late.
void Pictures::fitted(const std::shared_ptr<Job>& job) {
  if (job != fitting_) return;
  if (!*job->result) return end_fitting(tl::unexpected(job->result->error()));
  if (twin_.outlet() == nullptr) {
    return end_fitting(fail(FailureCode::unavailable, "the device went away"));
  }
  begin(job);
}

void Pictures::begin(const std::shared_ptr<Job>& job) {
  if (writing_) {
    writing_->connection->drop_stream(writing_->stream);
    end_writing(fail(FailureCode::cancelled, "a newer picture came"));
  }
  if (job != fitting_) return;  // whoever was told asked for another one
  fitting_ = nullptr;
  Connection* const connection = twin_.outlet();
  writing_ = std::make_unique<Writing>();
  writing_->connection = connection;
  writing_->stream = connection->next_stream(protocol::Channel::image);
  writing_->image = std::move(**job->result);
  writing_->began_ms = job->began_ms;
  writing_->done = std::move(job->done);
  const Millis ttl_s = std::clamp<Millis>(job->ttl_ms / 1000, 0, protocol::kMaxTtlS);
  const std::string ttl = std::to_string(ttl_s);
  connection->send(protocol::ImageStart{.stream = writing_->stream,
                                        .width = writing_->image.width,
                                        .height = writing_->image.height,
                                        .format = "rgb565",
                                        .ttl_s = {ttl}},
                   Link::Kind::image);
  pump();
}

void Pictures::link_took() {
  if (writing_) pump();
}

// As much as the link may hold; the rest when it has taken something.
void Pictures::pump() {
  Writing& its = *writing_;
  const std::span<const std::byte> pixels = its.image.rgb565;
  while (its.written_bytes < pixels.size() && its.connection->writable() &&
         its.connection->waiting_bytes() < limits::kPictureLinkBytes) {
    const auto rest = pixels.subspan(its.written_bytes);
    const auto frame = rest.first(std::min(rest.size(), protocol::kMaxPayloadBytes));
    its.connection->send_binary(protocol::Channel::image, its.stream, its.sequence++, frame);
    its.written_bytes += frame.size();
  }
  if (!its.connection->writable()) return;  // it is being closed: fail_all() follows
  if (its.written_bytes < pixels.size()) return its.connection->tell_when_taken();
  its.connection->send(protocol::ImageEnd{.stream = its.stream}, Link::Kind::image);
  end_writing(PictureSent{its.image.width, its.image.height});
}

void Pictures::end_writing(Result<PictureSent> result) {
  const auto ended = std::exchange(writing_, nullptr);
  log(result, ended->began_ms);
  ended->done(std::move(result));
}

void Pictures::end_fitting(Result<PictureSent> result) {
  const auto ended = std::exchange(fitting_, nullptr);
  log(result, ended->began_ms);
  const Done done = std::exchange(ended->done, nullptr);
  done(std::move(result));
}

void Pictures::log(const Result<PictureSent>& result, Millis began_ms) const {
  Context::Fields fields{{"device", twin_.id_text()},
                         {"ms", std::to_string(context_.now() - began_ms)}};
  if (result) {
    fields.emplace_back("width", std::to_string(result->width));
    fields.emplace_back("height", std::to_string(result->height));
  } else {
    fields.emplace_back("text", result.error().text);
  }
  context_.counters.pictures.add(result ? "sent" : name(result.error().code));
  context_.log(LogFact::Level::info, result ? "picture.sent" : "picture.failed", std::move(fields));
}

void Pictures::fail_all(std::string_view why) {
  const auto failure = fail(FailureCode::unavailable, std::string(why));
  if (fitting_) {
    fitting_->stop = true;
    end_fitting(failure);
  }
  if (writing_) {
    writing_->connection->drop_stream(writing_->stream);
    end_writing(failure);
  }
}

void Pictures::abandon() {
  if (fitting_) fitting_->stop = true;
  fitting_ = nullptr;
  writing_ = nullptr;
}

}  // namespace gadget::hub
