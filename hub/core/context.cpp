#include "hub/core/context.hpp"

namespace gadget::hub {
namespace {

constexpr std::size_t kRunBytes = 6;  // 48 random bits: two runs of one hub never share them

}  // namespace

Context::Context(HubOptions the_options, Environment the_environment, Hub::Parts the_parts)
    : options(std::move(the_options)),
      environment(std::move(the_environment)),
      parts(std::move(the_parts)),
      buried_(std::make_shared<std::vector<std::shared_ptr<void>>>()) {
  run_ = random_hex(kRunBytes);
}

std::string Context::random_hex(std::size_t bytes) const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::vector<std::byte> random(bytes);
  environment.random(random);
  std::string text;
  for (const std::byte byte : random) {
    text += kDigits[std::to_integer<std::size_t>(byte) >> 4];
    text += kDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  return text;
}

std::string Context::fresh_id(std::string_view prefix) {
  return std::string(prefix) + "-" + run_ + "-" + std::to_string(next_id_++);
}

void Context::work(std::function<void()> job) const {
  if (environment.work) return environment.work(std::move(job));
  job();
}

void Context::log(LogFact::Level level, std::string_view event, Fields fields) const {
  if (parts.log) parts.log(LogFact{level, std::string(event), std::move(fields)});
}

void Context::bury(std::shared_ptr<void> object) {
  if (!object || !buried_) return;
  buried_->push_back(std::move(object));
  if (buried_->size() > 1) return;  // the burial is on its way
  environment.post([weak = std::weak_ptr(buried_)] {
    if (const auto buried = weak.lock()) {
      const auto gone = std::exchange(*buried, {});
    }
  });
}

void Context::end_burials() { const auto gone = std::exchange(buried_, nullptr); }

}  // namespace gadget::hub
