// report.hpp - what a scenario found: rows of a table, with the goal where there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gadget::load {

struct Row {
  std::string scenario, what;
  double value = 0;
  std::string unit;         // "ms", "KB"; empty: a plain number
  std::string goal;         // as the table says it; empty: none
  std::optional<bool> met;  // where there is a goal
};

class Report {
 public:
  explicit Report(std::string scenario) : scenario_(std::move(scenario)) {}
  void add(std::string what, double value, std::string unit) {
    rows_.push_back({scenario_, std::move(what), value, std::move(unit), {}, {}});
  }
  void at_most(std::string what, double value, std::string unit, double goal);
  void at_least(std::string what, double value, std::string unit, double goal);
  // What was seen that must not be: the scenario did not work.
  void fault(std::string text) { faults_.push_back(scenario_ + ": " + std::move(text)); }

  void append(const Report& other);
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  [[nodiscard]] std::string table() const;
  [[nodiscard]] std::string json() const;  // one object, one line

 private:
  std::string scenario_;
  std::vector<Row> rows_;
  std::vector<std::string> faults_;
};

// Times in microseconds, all of them kept.
class Times {
 public:
  void add(std::int64_t us) { all_.push_back(us); }
  void clear() { all_.clear(); }
  [[nodiscard]] std::size_t count() const { return all_.size(); }
  [[nodiscard]] double percentile_ms(double percent) const;  // 0 when there is none
  [[nodiscard]] double worst_ms() const { return percentile_ms(100); }

 private:
  std::vector<std::int64_t> all_;
};

// "12.3", "4,567": three digits that count, thousands apart.
[[nodiscard]] std::string readable(double value);

}  // namespace gadget::load
