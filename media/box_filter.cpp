#include "media/box_filter.hpp"

#include <algorithm>
#include <utility>

namespace gadget::media {

// In one direction the source has `from` pixels of `to` parts each, the result `to` pixels of
// `from` parts each: all in whole numbers. A source pixel lies in at most two pixels of the result,
// since nothing is enlarged.
BoxFilter::BoxFilter(PixelSize from, PixelSize to, Order order, Out out)
    : from_(from),
      to_(to),
      order_(order),
      out_(std::move(out)),
      kept_rows_(order == Order::any ? to.height : std::min<std::uint32_t>(2, to.height)),
      line_(to.width * kChannels),
      sums_(std::size_t{kept_rows_} * to.width * kChannels),
      means_(to.width * kChannels) {
  places_.reserve(from.width);
  for (std::uint32_t x = 0; x < from.width; ++x) {
    const std::uint32_t begin = x * to.width;
    const std::uint32_t target = begin / from.width;
    places_.push_back({target, std::min(to.width, (target + 1) * from.width - begin)});
  }
}

std::span<std::uint32_t> BoxFilter::sums(std::uint32_t target) {
  const std::size_t row = line_.size();
  return std::span(sums_).subspan(row * (target % kept_rows_), row);
}

void BoxFilter::add(std::uint32_t y, std::uint32_t first, std::uint32_t step,
                    std::span<const std::uint8_t> rgb) {
  reduce(first, step, rgb);
  const std::uint32_t begin = y * to_.height;
  const std::uint32_t target = begin / from_.height;
  const std::uint32_t end = (target + 1) * from_.height;
  const std::uint32_t weight = std::min(to_.height, end - begin);
  add_line(target, weight);
  if (order_ == Order::rows_from_top && begin + to_.height >= end) emit(target);
  if (weight < to_.height) add_line(target + 1, to_.height - weight);
}

void BoxFilter::reduce(std::uint32_t first, std::uint32_t step, std::span<const std::uint8_t> rgb) {
  std::fill(line_.begin(), line_.end(), 0);
  std::uint32_t x = first;
  for (std::size_t at = 0; at + kChannels <= rgb.size() && x < from_.width; at += kChannels) {
    const Place place = places_[x];
    std::uint32_t* const sum = line_.data() + std::size_t{place.target} * kChannels;
    for (std::size_t c = 0; c < kChannels; ++c) sum[c] += rgb[at + c] * place.weight;
    if (const std::uint32_t rest = to_.width - place.weight; rest > 0) {
      for (std::size_t c = 0; c < kChannels; ++c) sum[kChannels + c] += rgb[at + c] * rest;
    }
    x += step;
  }
  for (std::uint32_t& sum : line_) sum = (sum * kOne + from_.width / 2) / from_.width;
}

void BoxFilter::add_line(std::uint32_t target, std::uint32_t weight) {
  const auto into = sums(target);
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += line_[i] * weight;
}

void BoxFilter::emit(std::uint32_t target) {
  const auto row = sums(target);
  for (std::size_t i = 0; i < row.size(); ++i) {
    means_[i] = static_cast<std::uint16_t>((row[i] + from_.height / 2) / from_.height);
    row[i] = 0;
  }
  out_(target, means_);
}

void BoxFilter::finish() {
  if (order_ != Order::any) return;
  for (std::uint32_t y = 0; y < to_.height; ++y) emit(y);
}

}  // namespace gadget::media
