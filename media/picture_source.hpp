// picture_source.hpp - one picture file being decoded, row by row. Private to media/.
//
// A source is asked in this order: size(), orientation(), begin(), rows(); once each. Borrows the
// file. The libraries under it leave by longjmp when something is wrong: that never crosses a frame
// with a destructor, and every call says Result.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

#include "base/failure.hpp"
#include "media/box_filter.hpp"
#include "media/exif.hpp"

namespace gadget::media {

class PictureSource {
 public:
  virtual ~PictureSource() = default;
  // As stored, before it is turned; within the limits.
  [[nodiscard]] virtual PixelSize size() const = 0;
  [[nodiscard]] virtual Orientation orientation() const = 0;

  struct Plan {
    PixelSize size;  // of what rows() gives: never smaller than what is wanted
    BoxFilter::Order order = BoxFilter::Order::rows_from_top;
  };
  // Gets ready to give pixels of which `wanted` will be made. Here memory is taken.
  [[nodiscard]] virtual Result<Plan> begin(PixelSize wanted) = 0;
  // All pixels.
  [[nodiscard]] virtual Result<void> rows(BoxFilter& into) = 0;
};

// `stop` may be null; once it is true what runs ends with `cancelled`.
[[nodiscard]] Result<std::unique_ptr<PictureSource>> open_jpeg(std::span<const std::byte> file,
                                                               const std::atomic<bool>* stop);
[[nodiscard]] Result<std::unique_ptr<PictureSource>> open_png(std::span<const std::byte> file,
                                                              const std::atomic<bool>* stop);

// Errors: invalid_argument beyond the limits, or a side of 0.
[[nodiscard]] Result<void> check_source_size(PixelSize size);

}  // namespace gadget::media
