// second_opinion.hpp - a recognizer that is asked first, and a small grammar that is asked when
// nobody understands it.
//
// A general recognizer hears every word, and gets one wrong now and then: "can't solve the timer".
// A grammar knows only what the agent knows, and rarely errs in it. So when the agent would not
// know what to do with the first one's text, but would with the grammar's, the grammar's counts.
// What both cannot place stays as the first one heard it.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "speech/engine.hpp"

namespace gadget::speech {

// Whether the agent knows what to do with a text. Called from any thread; must not block.
using Understood = std::function<bool(std::string_view text)>;

// `second` may fail to load: then `first` is alone.
[[nodiscard]] std::shared_ptr<RecognizerEngine> with_second_opinion(
    std::shared_ptr<RecognizerEngine> first, std::shared_ptr<RecognizerEngine> second,
    Understood understood);

}  // namespace gadget::speech
