// embedded.hpp - the scripts and lists that must be on the user's machine, inside the one binary
// (embedded.cmake).
#pragma once

#include <string_view>

namespace gadget::speech::embedded {

std::string_view pins_txt();             // speech/pins.txt
std::string_view Apache_2_0_txt();       // speech/licences/
std::string_view onnxruntime_MIT_txt();  // speech/licences/
std::string_view prepare_py();           // speech/prepare.py
std::string_view requantise_py();        // speech/requantise.py
std::string_view requests_jsgf();        // speech/requests.jsgf
std::string_view worker_py();            // voice/worker.py

}  // namespace gadget::speech::embedded
