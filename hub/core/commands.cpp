// The command layer: what the owner, the tools and the command line can do, typed, once (design
// rule 11).
#include "hub/core/hub_core.hpp"
#include "hub/core/limits.hpp"

namespace gadget::hub {
namespace {

constexpr std::string_view kOwnerNameKey = "hub.name";
constexpr std::string_view kSeeDevices = "see: hermes-gadget devices";

tl::unexpected<Failure> unknown(const DeviceId& device) {
  return fail(FailureCode::not_found, "no device " + std::string(device.text()),
              std::string(kSeeDevices));
}

}  // namespace

// ---- Who may ----

Result<DeviceId> HubCore::approve(std::string_view code_or_id) {
  return context_.parts.authority->approve(code_or_id, context_.wall());
}

Result<void> HubCore::revoke(const DeviceId& device) {
  return context_.parts.authority->revoke(device);
}

Result<void> HubCore::forget(const DeviceId& device) {
  const auto known = context_.parts.store->device(device);
  if (!known) return tl::unexpected(known.error());
  if (!*known) return unknown(device);
  updates_.forgotten(device);
  if (Twin* const twin = known_twin(device)) twin->forget();
  context_.parts.authority->forget(device);
  const auto gone = context_.parts.store->forget(device);
  if (!gone) return tl::unexpected(gone.error());
  context_.agent->forgotten(device);
  context_.zones.set(device, {});
  let_go(device);
  context_.changed(device);
  context_.log(LogFact::Level::info, "device.forgotten", {{"device", std::string(device.text())}});
  return {};
}

std::vector<PendingDevice> HubCore::pending() {
  return context_.parts.authority->pending(context_.wall());
}

void HubCore::drop_pending() { context_.parts.authority->drop_pending(); }

// ---- What devices are told ----

Result<std::shared_ptr<Twin>> HubCore::paired_twin(const DeviceId& device) {
  auto its = twin(device);
  if (!its) return unknown(device);
  if (its->standing() == Standing::approved) return its;
  return fail(
      FailureCode::refused, std::string(device.text()) + " is not paired",
      "approve it first: hermes-gadget pairing approve gadget " + std::string(device.text()));
}

Result<void> HubCore::say(const DeviceId& device, std::string text) {
  auto its = paired_twin(device);
  if (!its) return tl::unexpected(std::move(its.error()));
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return fail(FailureCode::invalid_argument, "there is nothing to say");
  }
  Message message;
  message.text = std::move(text);
  message.expires_wall_ms = context_.wall() + limits::kOutboxTtlMs;
  (*its)->conversation().announce(std::move(message));
  return {};
}

Result<void> HubCore::show(const DeviceId& device, std::string title, std::string body,
                           Millis ttl_ms) {
  auto its = paired_twin(device);
  if (!its) return tl::unexpected(std::move(its.error()));
  return (*its)->show(title, body, ttl_ms);
}

void HubCore::image(const DeviceId& device, PictureSpec picture,
                    std::function<void(Result<PictureSent>)> done) {
  auto its = paired_twin(device);
  if (!its) return done(tl::unexpected(std::move(its.error())));
  (*its)->pictures().show(std::move(picture), std::move(done));
}

void HubCore::ask(const DeviceId& device, QuestionSpec question,
                  std::function<void(Result<QuestionOutcome>)> answered) {
  auto its = paired_twin(device);
  if (!its) return answered(tl::unexpected(std::move(its.error())));
  if (question.text.empty()) {
    return answered(fail(FailureCode::invalid_argument, "the question has no text"));
  }
  std::string asker = std::move(question.asker);
  const auto asked =
      (*its)->questions().ask(std::move(question), std::move(asker),
                              [answered](QuestionOutcome outcome) { answered(outcome); });
  if (!asked) answered(tl::unexpected(asked.error()));
}

void HubCore::withdraw_questions(const DeviceId& device, std::string_view asker) {
  if (Twin* const its = known_twin(device)) its->questions().withdraw(asker);
}

void HubCore::action(const DeviceId& device, std::string name, std::string args_json,
                     std::function<void(Result<std::string>)> done) {
  auto its = paired_twin(device);
  if (!its) return done(tl::unexpected(std::move(its.error())));
  (*its)->actions().call(name, args_json, std::move(done));
}

// ---- Who is there ----

Result<void> HubCore::rename(const DeviceId& device, std::string_view name) {
  const auto its = twin(device);
  if (!its) return unknown(device);
  std::string clean = one_line(name, protocol::kMaxNameCodePoints);
  if (clean.find_first_not_of(' ') == std::string::npos) {
    return fail(FailureCode::invalid_argument, "the name is empty");
  }
  auto stored = context_.parts.store->put_value(device, kOwnerNameKey, clean);
  if (!stored) return stored;
  its->rename(std::move(clean));
  context_.changed(device);
  return {};
}

std::vector<DeviceId> HubCore::online_devices() const {
  std::vector<DeviceId> online;
  for (const auto& [id, twin] : twins_) {
    if (twin->online()) online.push_back(id);
  }
  return online;
}

std::optional<DeviceView> HubCore::view(const DeviceId& device) {
  const Twin* const its = known_twin(device);
  return its == nullptr ? std::nullopt : std::optional(its->view());
}

}  // namespace gadget::hub
