#include "ports/desktop/build_time.hpp"

namespace gadget::ports::desktop {

std::int64_t build_time_s() { return GADGET_BUILD_TIME_S; }

}  // namespace gadget::ports::desktop
