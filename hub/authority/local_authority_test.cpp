// Pairing by the hub itself, by requirement id.
#include "hub/authority/local_authority.hpp"

#include <cctype>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "hub/store/store_test_support.hpp"
#include "protocol/limits.hpp"

namespace gadget::hub {
namespace {

using testing::device_number;
using testing::TemporaryFolder;

constexpr Millis kMinute = 60'000;
constexpr Millis kHour = 60 * kMinute;

// An authority on a store, a clock that the test moves, and what it told its listener.
class Pairing : public ::testing::Test {
 protected:
  Pairing() { restart(); }

  void restart() {
    authority_.reset();
    if (!store_) store_ = std::move(*Store::open(":memory:"));
    auto made = LocalAuthority::make(*store_, [this](std::span<std::byte> out) {
      for (std::byte& b : out) b = static_cast<std::byte>(random_() & 0xff);
    });
    ASSERT_TRUE(made);
    authority_ = std::move(*made);
    authority_->listen({[this](const DeviceId& id) { approved_.push_back(id); },
                        [this](const DeviceId& id) { revoked_.push_back(id); },
                        [](const DeviceId&) {}});
  }

  // The first contact of device `n`: enrolled, connected, asking for its code.
  PairingAnswer arrives(std::uint32_t n, std::string_view address = "10.0.0.1") {
    DeviceRecord record = device_number(n);
    record.address = std::string(address);
    record.first_contact_wall_ms = record.last_contact_wall_ms = now_;
    EXPECT_TRUE(store_->enrol(record));
    EXPECT_TRUE(store_->touch(record.id, now_));
    return authority_->request(record.id, address, now_);
  }
  void leaves(std::uint32_t n) { authority_->disconnected(id(n), now_); }

  static DeviceId id(std::uint32_t n) { return device_number(n).id; }
  static std::string code(const PairingAnswer& answer) {
    const auto* offer = std::get_if<PairingOffer>(&answer);
    return offer != nullptr ? offer->code : "none";
  }
  static bool busy(const PairingAnswer& answer) {
    return std::holds_alternative<PairingBusy>(answer);
  }
  bool has_place(std::uint32_t n) {
    for (const auto& device : authority_->pending(now_)) {
      if (device.id == id(n)) return true;
    }
    return false;
  }
  FailureCode wrong_code() { return authority_->approve("22222222", now_).error().code; }

  std::unique_ptr<Store> store_;
  std::unique_ptr<LocalAuthority> authority_;
  std::vector<DeviceId> approved_, revoked_;
  Millis now_ = 1'800'000'000'000;
  std::mt19937 random_;  // the same numbers every time
};

TEST_F(Pairing, P1_OfferNamesTheCommandThatTheOwnerRuns) {
  const auto answer = arrives(1);
  const auto& offer = std::get<PairingOffer>(answer);
  EXPECT_EQ(offer.command, "hermes-gadget pairing approve gadget " + offer.code);
  EXPECT_EQ(offer.expires_wall_ms, now_ + kHour);
}

TEST_F(Pairing, E14_CodesAreEightOfTheAlphabetAndDiffer) {
  std::set<std::string> codes;
  for (std::uint32_t n = 0; n < 200; ++n) {
    const std::string given = code(arrives(n, "10.0.0." + std::to_string(n)));
    ASSERT_EQ(given.size(), 8U);
    ASSERT_EQ(given.find_first_not_of(protocol::kPairingAlphabet), std::string::npos) << given;
    ASSERT_TRUE(codes.insert(given).second);
    authority_->forget(id(n));
  }
}

TEST_F(Pairing, E14_SameCodeWhileItIsValidThenANewOne) {
  const std::string first = code(arrives(1));
  now_ += kHour - 1;
  EXPECT_EQ(code(authority_->request(id(1), "10.0.0.1", now_)), first);
  now_ += 1;
  const std::string second = code(authority_->request(id(1), "10.0.0.1", now_));
  EXPECT_NE(second, first);
  EXPECT_EQ(authority_->approve(first, now_).error().code, FailureCode::not_found);
  EXPECT_EQ(*authority_->approve(second, now_), id(1));
}

TEST_F(Pairing, E14_AnExpiredCodeApprovesNobodyAndIsNoGuess) {
  const std::string given = code(arrives(1));
  now_ += kHour;
  for (int n = 0; n < 10; ++n) {
    EXPECT_EQ(authority_->approve(given, now_).error().code, FailureCode::not_found);
  }
  EXPECT_FALSE(authority_->approved(id(1)));
  EXPECT_EQ(authority_->pending(now_).at(0).code, "");
}

TEST_F(Pairing, E14_AClockThatWasSetBackDoesNotLengthenACode) {
  const std::string given = code(arrives(1));
  now_ -= 10 * kHour;
  EXPECT_FALSE(authority_->approve(given, now_));
  EXPECT_NE(code(authority_->request(id(1), "10.0.0.1", now_)), given);
}

TEST_F(Pairing, E14_CodesServeOnce) {
  const std::string given = code(arrives(1));
  EXPECT_EQ(*authority_->approve(given, now_), id(1));
  EXPECT_TRUE(authority_->approved(id(1)));
  EXPECT_EQ(approved_, std::vector{id(1)});
  ASSERT_TRUE(authority_->revoke(id(1)));
  EXPECT_FALSE(authority_->approve(given, now_));
  EXPECT_FALSE(authority_->approved(id(1)));
}

TEST_F(Pairing, E14_CodesAreTakenAsPeopleTypeThem) {
  std::string given = code(arrives(1));
  for (char& c : given) c = static_cast<char>(std::tolower(c));
  EXPECT_EQ(*authority_->approve(given.substr(0, 4) + "-" + given.substr(4), now_), id(1));
}

TEST_F(Pairing, E14_CodesAndTheLockSurviveARestart) {
  const std::string given = code(arrives(1));
  for (int n = 0; n < 4; ++n) EXPECT_EQ(wrong_code(), FailureCode::not_found);
  restart();
  EXPECT_TRUE(has_place(1));
  EXPECT_EQ(authority_->pending(now_).at(0).address, "10.0.0.1");
  EXPECT_EQ(wrong_code(), FailureCode::not_found);
  restart();
  EXPECT_EQ(authority_->approve(given, now_).error().code, FailureCode::refused);
  now_ += kHour - 1;
  EXPECT_EQ(authority_->approve(given, now_).error().code, FailureCode::refused);
}

TEST_F(Pairing, E14_FiveWrongCodesLockApprovalByCodeForAnHour) {
  for (int n = 0; n < 5; ++n) EXPECT_EQ(wrong_code(), FailureCode::not_found);
  const std::string given = code(arrives(1));
  const auto locked = authority_->approve(given, now_);
  ASSERT_FALSE(locked);
  EXPECT_EQ(locked.error().code, FailureCode::refused);
  EXPECT_NE(locked.error().text.find("60 more min"), std::string::npos) << locked.error().text;
  now_ += kHour - 1;
  EXPECT_EQ(authority_->approve(given, now_).error().code, FailureCode::refused);
  EXPECT_EQ(*authority_->approve(id(1).text(), now_), id(1));  // by id it works all the time
  const std::string other = code(arrives(2));
  now_ += 1;
  EXPECT_EQ(*authority_->approve(other, now_), id(2));
}

TEST_F(Pairing, E14_ARightCodeStartsTheCountAnew) {
  for (int n = 0; n < 4; ++n) EXPECT_EQ(wrong_code(), FailureCode::not_found);
  EXPECT_TRUE(authority_->approve(code(arrives(1)), now_));
  for (int n = 0; n < 4; ++n) EXPECT_EQ(wrong_code(), FailureCode::not_found);
  EXPECT_TRUE(authority_->approve(code(arrives(2)), now_));
}

TEST_F(Pairing, E14_NeverByName) {
  arrives(1);
  ASSERT_TRUE(store_->describe(id(1), "kitchen", "b", "f", "10.0.0.1", now_));
  EXPECT_FALSE(authority_->approve("kitchen", now_));
  EXPECT_FALSE(authority_->approve("", now_));
  EXPECT_FALSE(authority_->approved(id(1)));
}

TEST_F(Pairing, E11_SixteenInAllTheLongestGoneMakesRoom) {
  for (std::uint32_t n = 0; n < 16; ++n) {
    EXPECT_FALSE(busy(arrives(n, "10.0.0." + std::to_string(n / 4))));
  }
  EXPECT_TRUE(busy(arrives(100, "10.0.1.1")));
  now_ += kMinute;
  leaves(5);
  now_ += kMinute;
  leaves(3);
  EXPECT_FALSE(busy(arrives(101, "10.0.1.1")));
  EXPECT_FALSE(has_place(5));
  EXPECT_TRUE(has_place(3));
  EXPECT_EQ(authority_->pending(now_).size(), 16U);
  EXPECT_EQ(store_->codes()->size(), 16U);
}

TEST_F(Pairing, E11_FourAnAddress) {
  for (std::uint32_t n = 0; n < 4; ++n) EXPECT_FALSE(busy(arrives(n)));
  EXPECT_TRUE(busy(arrives(4)));
  EXPECT_FALSE(busy(arrives(5, "10.0.0.2")));
  leaves(5);  // gone, but of another address: no room for this one
  EXPECT_TRUE(busy(arrives(4)));
  leaves(2);
  EXPECT_FALSE(busy(arrives(4)));
  EXPECT_FALSE(has_place(2));
  EXPECT_TRUE(has_place(5));
}

TEST_F(Pairing, E11_ComingBackToOnesPlaceEvictsNobody) {
  for (std::uint32_t n = 0; n < 4; ++n) arrives(n);
  leaves(0);
  leaves(1);
  EXPECT_FALSE(busy(arrives(1)));
  for (std::uint32_t n = 0; n < 4; ++n) EXPECT_TRUE(has_place(n)) << n;
}

TEST_F(Pairing, E11_ApprovedAheadNeedsNoPlace) {
  EXPECT_EQ(*authority_->approve(id(1).text(), now_), id(1));
  EXPECT_TRUE(authority_->approved(id(1)));
  EXPECT_TRUE(approved_.empty());  // nobody is there to be told
  ASSERT_TRUE(store_->enrol(device_number(1)));
  EXPECT_TRUE(authority_->approved(id(1)));
  EXPECT_TRUE(authority_->pending(now_).empty());
}

TEST_F(Pairing, E11_AnApprovalAheadCanBeRevoked) {
  ASSERT_TRUE(authority_->approve(id(1).text(), now_));
  EXPECT_TRUE(authority_->revoke(id(1)));
  EXPECT_FALSE(authority_->approved(id(1)));
  EXPECT_EQ(authority_->revoke(id(1)).error().code, FailureCode::not_found);
}

TEST_F(Pairing, E11_TheOwnerDropsAllThatWait) {
  const std::string given = code(arrives(1));
  arrives(2);
  authority_->drop_pending();
  EXPECT_TRUE(authority_->pending(now_).empty());
  EXPECT_TRUE(store_->codes()->empty());
  EXPECT_FALSE(authority_->approve(given, now_));
}

TEST_F(Pairing, E11_NeverApprovedIsForgottenAnHourAfterItsLastContact) {
  arrives(1);
  arrives(2);
  arrives(3);
  ASSERT_TRUE(authority_->approve(id(3).text(), now_));
  now_ += kMinute;
  leaves(1);
  leaves(3);
  now_ += kHour - 1;  // 2 is connected all the time
  EXPECT_TRUE(authority_->expire(now_).empty());
  now_ += 1;
  EXPECT_EQ(authority_->expire(now_), std::vector{id(1)});
  EXPECT_TRUE(authority_->expire(now_).empty());
  EXPECT_FALSE(*store_->device(id(1)));
  EXPECT_TRUE(*store_->device(id(2)));
  EXPECT_TRUE(*store_->device(id(3)));
  EXPECT_EQ(store_->codes()->size(), 1U);
}

TEST_F(Pairing, E11_ADeviceThatFoundNoPlaceIsForgottenToo) {
  for (std::uint32_t n = 0; n < 4; ++n) arrives(n);
  ASSERT_TRUE(busy(arrives(4)));
  leaves(4);
  now_ += kHour;
  EXPECT_EQ(authority_->expire(now_), std::vector{id(4)});
}

TEST_F(Pairing, E44_ARevokedDeviceIsToldAndIsNotForgottenByItself) {
  arrives(1);
  ASSERT_TRUE(authority_->approve(id(1).text(), now_));
  ASSERT_TRUE(authority_->revoke(id(1)));
  EXPECT_EQ(revoked_, std::vector{id(1)});
  EXPECT_EQ(code(authority_->request(id(1), "10.0.0.1", now_)).size(), 8U);
  leaves(1);
  now_ += 10 * kHour;
  EXPECT_TRUE(authority_->expire(now_).empty());
}

}  // namespace
}  // namespace gadget::hub
