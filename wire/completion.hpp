// completion.hpp - inside wire/: a handler of (error, bytes) with its type erased, so that the
// templates above a socket meet one kind of operation below. Called at most once; its memory is
// free again before it runs.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <boost/system/error_code.hpp>

namespace gadget::wire {

using ErrorCode = boost::system::error_code;

class Completion {
 public:
  template <class H>
  requires(!std::is_same_v<std::decay_t<H>, Completion>) explicit Completion(H&& handler)
      : held_(new Holder<std::decay_t<H>>(std::forward<H>(handler))) {}
  Completion(Completion&& other) noexcept : held_(std::exchange(other.held_, nullptr)) {}
  Completion& operator=(Completion&& other) noexcept {
    if (this != &other) {
      delete held_;
      held_ = std::exchange(other.held_, nullptr);
    }
    return *this;
  }
  ~Completion() { delete held_; }

  void operator()(ErrorCode error, std::size_t bytes = 0) {
    std::exchange(held_, nullptr)->run(error, bytes);
  }

 private:
  struct Held {
    virtual ~Held() = default;
    virtual void run(ErrorCode error, std::size_t bytes) = 0;
  };
  template <class H>
  struct Holder final : Held {
    template <class G>
    explicit Holder(G&& given) : handler(std::forward<G>(given)) {}
    void run(ErrorCode error, std::size_t bytes) override {
      H mine = std::move(handler);
      delete this;
      mine(error, bytes);
    }
    H handler;
  };
  Held* held_;
};

}  // namespace gadget::wire
