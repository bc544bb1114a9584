// Days, zones and what "next friday" or "at eight" means.
#include "hub/agent/builtin/calendar.hpp"

#include <gtest/gtest.h>

#include "hub/agent/builtin/speakable.hpp"

namespace gadget::hub::builtin {
namespace {

DaySpec day_of(std::string_view text) {
  const auto said = normalise(text);
  const auto phrase = parse_day(said.tokens, 0);
  EXPECT_EQ(phrase.length, said.tokens.size()) << text;
  return phrase.value;
}

Date on(std::string_view text, Date today) {
  return resolve_day(day_of(text), today).value_or(Date{});
}

TEST(Calendar, DaysAsTheyAreSaid) {
  const Date tuesday{2026, 11, 10};
  EXPECT_EQ(on("today", tuesday), tuesday);
  EXPECT_EQ(on("tomorrow", Date{2026, 12, 31}), (Date{2027, 1, 1}));
  EXPECT_EQ(on("friday", tuesday), (Date{2026, 11, 13}));
  EXPECT_EQ(on("next friday", tuesday), (Date{2026, 11, 20}));
  EXPECT_EQ(on("tuesday", tuesday), (Date{2026, 11, 17}));
  EXPECT_EQ(on("next sunday", tuesday), (Date{2026, 11, 22}));
  EXPECT_EQ(on("in two weeks", tuesday), (Date{2026, 11, 24}));
  EXPECT_EQ(on("the 31st", tuesday), (Date{2026, 12, 31}));
  EXPECT_EQ(on("the 5th", tuesday), (Date{2026, 12, 5}));
  EXPECT_EQ(on("february 29", tuesday), (Date{2028, 2, 29}));
  EXPECT_EQ(on("the third of may 2030", tuesday), (Date{2030, 5, 3}));
  EXPECT_EQ(on("christmas", Date{2026, 12, 26}), (Date{2027, 12, 25}));
  EXPECT_EQ(on("thanksgiving", tuesday), (Date{2026, 11, 26}));
  EXPECT_EQ(on("easter", Date{2024, 1, 1}), (Date{2024, 3, 31}));
  EXPECT_EQ(on("easter", Date{2025, 1, 1}), (Date{2025, 4, 20}));
  EXPECT_EQ(on("easter", Date{2038, 1, 1}), (Date{2038, 4, 25}));
  EXPECT_FALSE(resolve_day(day_of("february 30"), tuesday));
}

TEST(Calendar, WallAndInstantAgreeInEveryZoneThroughAYear) {
  for (const auto* zone :
       {"Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia",
        "America/Sao_Paulo", "Etc/UTC", "No/Such_Zone"}) {
    for (std::int64_t wall = 1'767'225'600'000; wall < 1'798'761'600'000; wall += 5'400'000) {
      const auto local = local_time(wall, zone);
      const auto back = wall_time(local.date, local.hour, local.minute, zone);
      // The second of two equal times on the wall is taken for the first, an hour (or half) before.
      const auto apart = wall - back;
      ASSERT_TRUE(apart == 0 || apart == 3'600'000 || apart == 1'800'000) << zone << " " << wall;
    }
  }
  EXPECT_EQ(local_time(-1, "Etc/UTC").date, (Date{1969, 12, 31}));
  EXPECT_EQ(local_time(-1, "Etc/UTC").hour, 23);
}

TEST(Calendar, ARepeatingAlarmRingsOnceADayThroughBothChanges) {
  auto at = wall_time({2026, 3, 20}, 12, 0, "Europe/Berlin");
  for (int day = 0; day < 300; ++day) {
    const auto next = next_repeat(kDaily, 2, 30, at, "Europe/Berlin");
    ASSERT_GT(next.wall_ms, at);
    ASSERT_LE(next.wall_ms - at, 25 * 3'600'000);
    ASSERT_EQ(local_time(next.wall_ms, "Europe/Berlin").date, next.date);
    at = next.wall_ms;
  }
  EXPECT_EQ(local_time(at, "Europe/Berlin").date, (Date{2027, 1, 14}));
}

TEST(Calendar, ATimeWithoutAmOrPmIsTheOneThatIsMeant) {
  const std::string zone = "Europe/Berlin";
  const auto noon = wall_time({2026, 11, 10}, 12, 0, zone);
  const auto due = [&](std::string_view text, Purpose purpose) {
    const auto said = normalise(text);
    const auto when = resolve_when(parse_when(said.tokens, 0, true).value, purpose, noon, zone);
    if (!when) return std::string("none");
    return speak_day(when->date, {2026, 11, 10}) + " " + short_clock(when->hour, when->minute);
  };
  EXPECT_EQ(due("at eight", Purpose::alarm), "tomorrow 8:00 am");
  EXPECT_EQ(due("at eight", Purpose::reminder), "today 8:00 pm");
  EXPECT_EQ(due("at three", Purpose::reminder), "today 3:00 pm");
  EXPECT_EQ(due("at eight tonight", Purpose::alarm), "today 8:00 pm");
  EXPECT_EQ(due("today at four", Purpose::alarm), "today 4:00 pm");
  EXPECT_EQ(due("tomorrow at three", Purpose::reminder), "tomorrow 3:00 pm");
  EXPECT_EQ(due("tomorrow at eight", Purpose::reminder), "tomorrow 8:00 am");
  EXPECT_EQ(due("13:30", Purpose::alarm), "today 1:30 pm");
  EXPECT_EQ(due("midnight", Purpose::alarm), "tomorrow 12:00 am");
  EXPECT_EQ(due("tuesday at one pm", Purpose::reminder), "today 1:00 pm");
  EXPECT_EQ(due("tuesday at eleven am", Purpose::reminder), "on Tuesday, November 17 11:00 am");
  EXPECT_EQ(due("today at eight am", Purpose::alarm), "none");
  EXPECT_EQ(due("tomorrow morning", Purpose::reminder), "tomorrow 9:00 am");
}

TEST(Speakable, NumbersAndDurations) {
  EXPECT_EQ(speak_number(391), "391");
  EXPECT_EQ(speak_number(-2.5), "minus 2.5");
  EXPECT_EQ(speak_number(2026), "2026");
  EXPECT_EQ(speak_number(1234567.25), "1,234,567.3");
  EXPECT_EQ(speak_number(1.0 / 3), "0.3333");
  EXPECT_EQ(speak_number(-0.0), "0");
  EXPECT_FALSE(is_rounded(0.1 + 0.2));
  EXPECT_TRUE(is_rounded(1.0 / 3));
  EXPECT_EQ(speak_duration(1), "1 second");
  EXPECT_EQ(speak_duration(5'400), "1 hour 30 minutes");
  EXPECT_EQ(speak_duration(7'205), "2 hours");
  EXPECT_EQ(speak_duration(86'400 * 8), "1 week 1 day");
  EXPECT_EQ(speak_duration_adjective(600), "10 minute");
  EXPECT_EQ(speak_clock(9, 5), "9:05 in the morning");
  EXPECT_EQ(speak_clock(0, 30), "12:30 at night");
  EXPECT_EQ(speak_clock(12, 0), "noon");
}

}  // namespace
}  // namespace gadget::hub::builtin
