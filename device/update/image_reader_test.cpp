// E29, B-65: what an image says of itself, fed in pieces of any size.
#include "device/update/image_reader.hpp"

#include <gtest/gtest.h>

#include "device/update/test_image.hpp"

namespace gadget::device {
namespace {

using test::Image;
using test::make_image;
using test::put_text;

ImageFacts read(ImageReader& reader, const Image& image, std::string_view board = "bench",
                std::size_t step = 100'000) {
  reader.start(board);
  for (std::size_t at = 0; at < image.size(); at += step) {
    reader.feed(std::span{image}.subspan(at, std::min(step, image.size() - at)));
  }
  return reader.facts();
}

TEST(ImageReader, E29_ReadsVersionAndBoardInPiecesOfAnySize) {
  ImageReader reader;
  const Image image = make_image("1.2.3", "bench", 1'000);
  for (const std::size_t step : {1U, 7U, 23U, 256U, 1'000U}) {
    const ImageFacts facts = read(reader, image, "bench", step);
    EXPECT_TRUE(facts.header);
    EXPECT_TRUE(facts.board);
    EXPECT_EQ(facts.version, "1.2.3");
  }
}

TEST(ImageReader, E29_EveryByteOfTheHeaderCounts) {
  ImageReader reader;
  for (const std::size_t at : {0U, 32U, 33U, 34U, 35U, 80U, 92U, 93U}) {
    Image image = make_image("1", "bench", 1'000);
    image[at] ^= std::byte{0x20};
    EXPECT_FALSE(read(reader, image).header) << at;
    EXPECT_EQ(read(reader, image).version, "");
  }
  Image unprintable = make_image("1", "bench", 1'000);
  unprintable[48] = std::byte{0x1B};
  EXPECT_FALSE(read(reader, unprintable).header);
  Image short_one = make_image("1", "bench", 1'000);
  short_one.resize(287);
  EXPECT_FALSE(read(reader, short_one).header);
  EXPECT_FALSE(read(reader, {}).header);
  Image longest = make_image(std::string(32, 'v'), "bench", 1'000);
  EXPECT_EQ(read(reader, longest).version, std::string(32, 'v'));
  Image page(2'000, std::byte{'<'});  // B-65: a server's error page
  EXPECT_FALSE(read(reader, page).header);
}

TEST(ImageReader, E29_TheFirstBoardThatIsNotEmptyCounts) {
  ImageReader reader;
  const auto with = [](std::string_view text) {
    Image image = make_image("1", "", 1'000);
    std::fill(image.begin() + 288, image.end(), std::byte{0});
    put_text(image, 400, text);
    return image;
  };
  using namespace std::string_view_literals;
  EXPECT_TRUE(read(reader, with("HGBOARD=bench")).board);
  EXPECT_TRUE(read(reader, with("HGBOARD=\0HGBOARD=bench\0HGBOARD=other"sv)).board);
  EXPECT_FALSE(read(reader, with("HGBOARD=other\0HGBOARD=bench"sv)).board);
  EXPECT_TRUE(read(reader, with("HHGBOHGBOARD=bench")).board);  // found behind false starts
  EXPECT_FALSE(read(reader, with("HGBOARD=bench2")).board);
  EXPECT_FALSE(read(reader, with("HGBOARD=benc")).board);
  EXPECT_FALSE(read(reader, with("HGBOARD=Bench")).board);
  EXPECT_FALSE(read(reader, with("HGBOARD=")).board);
  EXPECT_FALSE(read(reader, with("")).board);
  EXPECT_FALSE(read(reader, with("HGBOARD=bench"), "").board);  // a board without a name
  Image at_end = with("");
  put_text(at_end, at_end.size() - 13, "HGBOARD=bench");
  EXPECT_TRUE(read(reader, at_end).board);
  Image cut_short = with("");
  put_text(cut_short, cut_short.size() - 12, "HGBOARD=benc");
  EXPECT_FALSE(read(reader, cut_short).board);
  Image endless = with("HGBOARD=");
  std::fill(endless.begin() + 408, endless.end(), std::byte{'b'});
  endless.resize(200'000, std::byte{'b'});
  EXPECT_FALSE(read(reader, endless).board);
}

}  // namespace
}  // namespace gadget::device
