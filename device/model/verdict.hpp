// verdict.hpp - the first rule that did not hold. For tests and fuzz targets only.
#pragma once

#include <string>
#include <string_view>

namespace gadget::device::model {

class Verdict {
 public:
  // Empty: nothing was wrong.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  void require(bool holds, std::string_view rule) {
    if (!holds && fault_.empty()) fault_ = rule;
  }

 private:
  std::string fault_;
};

}  // namespace gadget::device::model
