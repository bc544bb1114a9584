// script_runner.hpp - does the steps of a script on a Board, one after the other, as time passes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ports/desktop/board.hpp"
#include "ports/desktop/script.hpp"

namespace gadget::ports::desktop {

// How a script ended: 0, or 1 with what did not work.
struct ScriptEnd {
  int exit_code = 0;
  std::string text;
};

class ScriptRunner {
 public:
  ScriptRunner(std::vector<Step> steps, Board& board, std::string voice);

  // After each tick of the board. Empty: it goes on.
  [[nodiscard]] std::optional<ScriptEnd> run();

  // For a script whose steps come while it runs: it does not end with them, and says of each when
  // it is done.
  void keep_open(std::function<void(const Step&)> done);
  void append(std::vector<Step> steps);
  void close() { open_ = false; }

 private:
  // Whether the step is done; or how the script ends.
  struct Progress {
    bool done = true;
    std::optional<ScriptEnd> end;
  };
  [[nodiscard]] Progress begin(const Step& step);
  [[nodiscard]] Progress go_on(const Step& step);
  [[nodiscard]] Progress failed(const Step& step, const std::string& why) const;
  [[nodiscard]] Progress result(const Step& step, const Result<void>& result) const;
  [[nodiscard]] Progress power_cut(const Step& step);
  [[nodiscard]] Result<void> hear_file(const std::string& path);
  [[nodiscard]] Result<void> hear_speech(const std::string& text);
  [[nodiscard]] device::Millis deadline(const Step& step) const;

  std::vector<Step> steps_;
  Board& board_;
  std::string voice_;
  std::size_t at_ = 0;
  bool begun_ = false;
  bool open_ = false;
  std::function<void(const Step&)> done_;
  device::Millis since_ = 0;     // when the step began
  double spoken_before_ = 0;     // at the last expect-spoken
  std::optional<bool> reenrol_;  // the answer that waits for its question
};

}  // namespace gadget::ports::desktop
