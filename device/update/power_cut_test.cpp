// B-56, B-57, O9: power goes at every erase and write of install, trial, confirmation and rollback,
// and again at every later one. The device always boots a complete image, and keeps its key.
#include <gtest/gtest.h>

#include "device/update/test_flash.hpp"
#include "device/update/test_image.hpp"
#include "device/update/updater.hpp"

namespace gadget::device {
namespace {

using test::Image;
using test::kTears;
using test::make_image;
using test::sha256_hex;
using test::Tear;
using test::TestFlash;

// A life may take so many starts at most: each cut costs one, each update two or three.
constexpr int kMaxStarts = 40;

// What a device goes through, again after each cut, until it has arrived.
enum class Story : std::uint8_t {
  two_updates,  // 1 -> 2 -> 3, each welcomed: both slots are written
  no_welcome,   // 1 -> 2, which never gets a `welcome`: back to 1
  crash,        // 1 -> 2, which restarts ten times before a `welcome`: back to 1
};

struct Cut {
  std::size_t after = TestFlash::kNever;  // operations since the cut before, or the start
  Tear tear = Tear::before;
};

class Life {
 public:
  Life(Story story, std::vector<Cut> cuts, std::uint32_t seed)
      : story_(story), cuts_(std::move(cuts)) {
    flash_.seed(seed);
    flash_.load(0, images()[0]);
    flash_.load_key(kKey);
    next_cut();
  }

  // Empty: it went well. Else what went wrong.
  std::string live() {
    for (int start = 0; start < kMaxStarts; ++start) {
      flash_.power_up();
      const std::uint8_t slot = boot(flash_);
      if (flash_.dead()) {
        owed_ = kNone;  // its one start may be counted already: it goes back
        next_cut();
        continue;
      }
      const std::size_t image = image_in(slot);
      if (image == kNone) return at(start) + "what boots is no complete image";
      if (!std::equal(kKey.begin(), kKey.end(), flash_.key().begin())) return at(start) + "the key";
      if (owed_ != kNone && image != owed_) return at(start) + "an update that was done is undone";
      if (promised_ != kNone && image != promised_) {
        return at(start) + "image " + std::to_string(image + 1) + " boots, not the confirmed one";
      }
      run(slot, image);
      if (flash_.misuses() > 0) return at(start) + "flash was misused";
      if (arrived_) return {};
      if (flash_.dead()) next_cut();
    }
    return "it never arrives";
  }

  // Operations of the whole life so far.
  [[nodiscard]] std::size_t operations() const { return flash_.operations(); }
  // Whether a cut is still to come.
  [[nodiscard]] bool cuts_left() const { return at_ < cuts_.size() || pending_; }

 private:
  static constexpr std::size_t kNone = 99;
  static constexpr std::array<std::byte, TestFlash::kKeyBytes> kKey{std::byte{0x4B}, std::byte{1},
                                                                    std::byte{0}, std::byte{0xA5}};

  static const std::vector<Image>& images() {
    static const std::vector<Image> all{make_image("1", "bench", 3'000),
                                        make_image("2", "bench", TestFlash::kSlot),
                                        make_image("3", "bench", 2'049)};
    return all;
  }
  static const std::vector<std::string>& sums() {
    static const std::vector<std::string> all{sha256_hex(images()[0]), sha256_hex(images()[1]),
                                              sha256_hex(images()[2])};
    return all;
  }

  static std::string at(int start) { return "start " + std::to_string(start) + ": "; }

  void next_cut() {
    pending_ = at_ < cuts_.size();
    const Cut cut = pending_ ? cuts_[at_++] : Cut{};
    flash_.cut_after(cut.after, cut.tear);
  }

  [[nodiscard]] std::size_t image_in(unsigned slot) const {
    for (std::size_t i = 0; i < images().size(); ++i) {
      if (flash_.holds(slot, images()[i])) return i;
    }
    return kNone;
  }

  // From a start to the next one, or to a cut.
  void run(std::uint8_t slot, std::size_t image) {
    AbSlots slots{flash_, slot};
    Updater updater{&slots, "bench"};
    Ticks now = 1'000;
    updater.start(now);
    const bool trial = updater.probation() == Probation::waiting;
    owed_ = kNone;  // one start of a trial was owed
    if (trial && story_ == Story::crash) {
      crashed_ = true;
      return;  // it restarts by itself
    }
    if (trial && story_ == Story::no_welcome) {
      crashed_ = true;
      for (; flash_.reboots() == 0 && !flash_.dead(); now += 20'000) (void)updater.tick(now);
      promised_ = flash_.dead() ? kNone : 0;
      return;
    }
    if (story_ != Story::two_updates && crashed_ && image == 0) {
      // Back; ten more starts change nothing.
      arrived_ = ++quiet_starts_ >= 10;
      return;
    }
    promised_ = image;
    if (trial) promised_ = kNone;
    updater.welcomed(now);
    if (flash_.dead()) return;  // confirmed or not, either is right
    promised_ = image;
    const std::size_t goal = story_ == Story::two_updates ? 2 : 1;
    if (image == goal) {
      arrived_ = true;
      return;
    }
    install(updater, now, image + 1);
    if (!flash_.dead() && updater.phase() == UpdatePhase::leaving) {
      promised_ = kNone;
      owed_ = image + 1;
    } else {
      // Before `ota.done` it is the old image or, when only the last word of the mark was lost, the
      // new one.
      promised_ = kNone;
    }
  }

  void install(Updater& updater, Ticks& now, std::size_t image) {
    const Image& bytes = images()[image];
    protocol::OtaOffer offer;
    offer.stream = 1;
    offer.size_bytes = static_cast<std::int64_t>(bytes.size());
    offer.sha256 = sums()[image];
    offer.version = "x";
    updater.offer(now, offer, std::array<std::byte, protocol::kNonceBytes>{});
    updater.begin(now, true);
    while (updater.phase() == UpdatePhase::receiving && updater.owed() != UpdateAnswer::ack &&
           !flash_.dead()) {
      (void)updater.tick(now += 20);
    }
    std::uint16_t sequence = 0;
    for (std::size_t sent = 0; sent < bytes.size() && !flash_.dead(); sent += 1'000) {
      updater.frame(
          now, 1, sequence++,
          std::span{bytes}.subspan(sent, std::min<std::size_t>(1'000, bytes.size() - sent)));
    }
    if (flash_.dead()) return;
    updater.end(now);
    while (flash_.reboots() == 0 && !flash_.dead() && now < 100'000) {
      (void)updater.tick(now += 100);
    }
  }

  Story story_;
  std::vector<Cut> cuts_;
  std::size_t at_ = 0;
  bool pending_ = false;
  TestFlash flash_;
  std::size_t promised_ = kNone;  // the image that must boot next
  std::size_t owed_ = kNone;      // the same, of one that was installed: once
  bool crashed_ = false;
  int quiet_starts_ = 0;
  bool arrived_ = false;
};

constexpr std::array kStories{Story::two_updates, Story::no_welcome, Story::crash};

std::string print(Story story, const std::vector<Cut>& cuts, std::uint32_t seed) {
  std::string text = "story " + std::to_string(static_cast<int>(story)) + " seed " +
                     std::to_string(seed) + " cuts";
  for (const Cut& cut : cuts) {
    text += " " + std::to_string(cut.after) + ":" + std::to_string(static_cast<int>(cut.tear));
  }
  return text;
}

TEST(PowerCut, WithoutACutEveryStoryArrives) {
  for (const Story story : kStories) {
    Life life{story, {}, 1};
    EXPECT_EQ(life.live(), "");
    EXPECT_GE(life.operations(), 30U);
  }
}

TEST(PowerCut, B56_AtEveryOperation) {
  int lives = 0;
  for (const Story story : kStories) {
    for (const Tear tear : kTears) {
      for (std::uint32_t seed = 0; seed < 4; ++seed) {
        bool cut = true;
        for (std::size_t after = 0; cut; ++after) {
          const std::vector<Cut> cuts{{after, tear}};
          Life life{story, cuts, seed};
          ASSERT_EQ(life.live(), "") << print(story, cuts, seed);
          cut = !life.cuts_left();  // beyond the last operation nothing is cut any more
          ++lives;
        }
      }
    }
  }
  EXPECT_GT(lives, 2'500);
}

TEST(PowerCut, B56_AtEveryPairOfOperations) {
  int lives = 0;
  std::uint32_t seed = 100;
  for (const Story story : kStories) {
    for (const Tear tear : kTears) {
      bool first = true;
      for (std::size_t one = 0; first; ++one) {
        bool second = true;
        for (std::size_t two = 0; second; ++two) {
          const std::vector<Cut> cuts{{one, tear}, {two, tear}};
          Life life{story, cuts, ++seed};
          ASSERT_EQ(life.live(), "") << print(story, cuts, seed);
          second = !life.cuts_left();
          first = two > 0 || second;
          ++lives;
        }
      }
    }
  }
  EXPECT_GT(lives, 20'000);
}

// The worst: an update that was cut has left a slot half erased, and the next ones are cut while
// they write the record that keeps the device from starting it.
TEST(PowerCut, B56_ThreeTimesWhileTheRecordIsWritten) {
  std::uint32_t seed = 500;
  for (std::size_t one = 20; one < 90; ++one) {
    for (std::size_t two = 0; two < 4; ++two) {
      for (std::size_t three = 0; three < 4; ++three) {
        for (const Tear tear : kTears) {
          const std::vector<Cut> cuts{{one, Tear::prefix}, {two, Tear::almost}, {three, tear}};
          for (int again = 0; again < 3; ++again) {
            Life life{Story::two_updates, cuts, ++seed};
            ASSERT_EQ(life.live(), "") << print(Story::two_updates, cuts, seed);
          }
        }
      }
    }
  }
}

TEST(PowerCut, B56_AtRandomSeveralTimes) {
  std::mt19937 random{2'026};
  for (std::uint32_t seed = 0; seed < 8'000; ++seed) {
    std::vector<Cut> cuts(1 + random() % 6);
    // Cuts in quick succession meet the record that the one before has torn.
    const std::size_t most = random() % 2 == 0 ? 8 : 60;
    for (Cut& cut : cuts) cut = {random() % most, kTears[random() % kTears.size()]};
    const Story story = kStories[random() % kStories.size()];
    Life life{story, cuts, seed};
    ASSERT_EQ(life.live(), "") << print(story, cuts, seed);
  }
}

}  // namespace
}  // namespace gadget::device
