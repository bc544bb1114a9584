#include "hub/server/process.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace gadget::hub {
namespace {

// Every device waited 10 to 30 ms when the hub's 64th, 128th, ... file was opened.
TEST(Process, TheTableOfFilesNeedNotGrowWhileDevicesAreServed) {
  set_up_process();
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
  std::ifstream status("/proc/self/status");
  rlim_t places = 0;
  for (std::string word; status >> word;) {
    if (word == "FDSize:") status >> places;
  }
  EXPECT_GE(places, std::min<rlim_t>(limit.rlim_cur, 65'536));
}

}  // namespace
}  // namespace gadget::hub
