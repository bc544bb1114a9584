#include "load/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include <boost/json.hpp>

namespace gadget::load {
namespace {

namespace json = boost::json;

std::string with_unit(double value, const std::string& unit) {
  return readable(value) + (unit.empty() ? "" : " " + unit);
}

}  // namespace

std::string readable(double value) {
  std::array<char, 64> text{};
  const double size = std::abs(value);
  const int decimals = size == std::floor(size) || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  std::string out(text.data());
  const auto point = std::min(out.find('.'), out.size());
  const std::size_t first = value < 0 ? 1 : 0;
  for (std::size_t at = point; at > first + 3;) {
    at -= 3;
    out.insert(at, ",");
  }
  return out;
}

void Report::at_most(std::string what, double value, std::string unit, double goal) {
  std::string text = "at most " + with_unit(goal, unit);
  rows_.push_back(
      {scenario_, std::move(what), value, std::move(unit), std::move(text), value <= goal});
}

void Report::at_least(std::string what, double value, std::string unit, double goal) {
  std::string text = "at least " + with_unit(goal, unit);
  rows_.push_back(
      {scenario_, std::move(what), value, std::move(unit), std::move(text), value >= goal});
}

void Report::append(const Report& other) {
  rows_.insert(rows_.end(), other.rows_.begin(), other.rows_.end());
  faults_.insert(faults_.end(), other.faults_.begin(), other.faults_.end());
}

std::string Report::table() const {
  const std::array<std::string, 5> heads{"SCENARIO", "WHAT", "MEASURED", "GOAL", ""};
  std::vector<std::array<std::string, 5>> lines{heads};
  for (const Row& row : rows_) {
    lines.push_back({row.scenario, row.what, with_unit(row.value, row.unit), row.goal,
                     row.met ? (*row.met ? "met" : "MISSED") : ""});
  }
  std::array<std::size_t, 5> widths{};
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string out;
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string pad(widths[i] - line[i].size(), ' ');
      text += i == 2 ? pad + line[i] : line[i] + pad;  // numbers to the right
      text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  for (const std::string& fault : faults_) out += "FAULT " + fault + "\n";
  return out;
}

std::string Report::json() const {
  json::array rows;
  for (const Row& row : rows_) {
    json::object one{{"scenario", row.scenario}, {"what", row.what}, {"value", row.value}};
    if (!row.unit.empty()) one["unit"] = row.unit;
    if (!row.goal.empty()) one["goal"] = row.goal;
    if (row.met) one["met"] = *row.met;
    rows.push_back(std::move(one));
  }
  json::array faults;
  for (const std::string& fault : faults_) faults.emplace_back(fault);
  return json::serialize(json::object{{"rows", std::move(rows)}, {"faults", std::move(faults)}});
}

double Times::percentile_ms(double percent) const {
  if (all_.empty()) return 0;
  std::vector<std::int64_t> sorted = all_;
  const double rank = std::ceil(percent / 100 * static_cast<double>(sorted.size()));
  const auto at = static_cast<std::ptrdiff_t>(std::max(1.0, rank)) - 1;
  std::nth_element(sorted.begin(), sorted.begin() + at, sorted.end());
  return static_cast<double>(sorted[static_cast<std::size_t>(at)]) / 1000;
}

}  // namespace gadget::load
