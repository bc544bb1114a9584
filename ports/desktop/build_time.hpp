// build_time.hpp - when this program was built: no certificate is judged by an earlier time (T2).
#pragma once

#include <cstdint>

namespace gadget::ports::desktop {

// Unix seconds; SOURCE_DATE_EPOCH when the build was told one.
[[nodiscard]] std::int64_t build_time_s();

}  // namespace gadget::ports::desktop
