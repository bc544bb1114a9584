// box_filter.hpp - shrinks a picture row by row: every pixel of the result is the mean of the area
// that it covers, parts of pixels by their share.
//
// Whole rows from the top need memory for two rows of the result. Pixels in any order (interlaced
// PNG) need the whole result, 12 bytes a pixel. No I/O; one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace gadget::media {

struct PixelSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  friend bool operator==(const PixelSize&, const PixelSize&) = default;
};

class BoxFilter {
 public:
  static constexpr std::size_t kChannels = 3;  // red, green, blue
  // One unit of an 8-bit value: results have 8 bits behind the point.
  static constexpr std::uint32_t kOne = 256;
  enum class Order : std::uint8_t { rows_from_top, any };
  // A finished row of the result: red, green, blue a pixel, 0 to 255 * kOne.
  using Out = std::function<void(std::uint32_t y, std::span<const std::uint16_t> row)>;

  // REQUIRES: sides of `from` 1 to limits::kImageSide; those of `to` at least 1 and none larger.
  BoxFilter(PixelSize from, PixelSize to, Order order, Out out);

  // A whole row, 3 bytes a pixel. With Order::rows_from_top: each once, in order.
  void add_row(std::uint32_t y, std::span<const std::uint8_t> rgb) { add(y, 0, 1, rgb); }
  // Pixels of row `y` at `first`, `first + step` and so on. REQUIRES: Order::any.
  void add_pixels(std::uint32_t y, std::uint32_t first, std::uint32_t step,
                  std::span<const std::uint8_t> rgb) {
    add(y, first, step, rgb);
  }
  // With Order::any: everything was added.
  void finish();

 private:
  // Where a pixel of the source lies: `weight` of its `to.width` parts in `target`, the rest in the
  // next.
  struct Place {
    std::uint32_t target;
    std::uint32_t weight;
  };

  void add(std::uint32_t y, std::uint32_t first, std::uint32_t step,
           std::span<const std::uint8_t> rgb);
  void reduce(std::uint32_t first, std::uint32_t step, std::span<const std::uint8_t> rgb);
  void add_line(std::uint32_t target, std::uint32_t weight);
  void emit(std::uint32_t target);
  [[nodiscard]] std::span<std::uint32_t> sums(std::uint32_t target);

  const PixelSize from_;
  const PixelSize to_;
  const Order order_;
  const Out out_;
  const std::uint32_t kept_rows_;
  std::vector<Place> places_;         // a source pixel of a row each
  std::vector<std::uint32_t> line_;   // the row being added, reduced to the width of the result
  std::vector<std::uint32_t> sums_;   // of kept_rows_ rows, weighted
  std::vector<std::uint16_t> means_;  // the row that goes out
};

}  // namespace gadget::media
