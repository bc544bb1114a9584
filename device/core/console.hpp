// console.hpp - a line protocol for a serial console: for people with a terminal, and for programs.
//
// A line is a command; every command is answered by exactly one line, `ok`, `ok {JSON}` or
// `error NAME: why and what to do`. Lines that begin with `log ` come in between when they were
// asked for. Nothing that is typed is echoed, no secret is ever printed. Commands and answers:
// docs/device-console.md.
//
// Sans-I/O: bytes come in by feed(), lines go out through ConsolePort. Owned by the port, used on
// its one thread, never from inside a Platform call. No heap.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "device/core/gadget.hpp"

namespace gadget::device {

// Bytes of a line. Longer ones are refused as a whole.
inline constexpr std::size_t kConsoleLineBytes = 256;
// Of an answer: that of `info` with a name and an address of the greatest length.
inline constexpr std::size_t kConsoleAnswerBytes = 1'024;

class ConsolePort {
 public:
  // One line, without its end; borrowed during the call.
  virtual void write_line(std::string_view line) = 0;
  // Restart the machine as soon as the answer is written and the connection closed. False: this
  // port cannot.
  [[nodiscard]] virtual bool restart() = 0;

 protected:
  ~ConsolePort() = default;
};

class Console {
 public:
  Console(Gadget& gadget, ConsolePort& port) : gadget_(gadget), port_(port) {}

  // Bytes as they come. A line ends with CR, LF or both.
  void feed(Millis now, std::string_view bytes);
  // A whole line, without its end.
  void run(Millis now, std::string_view line);
  // About every 20 ms, after Gadget::tick: checks that take a while answer here.
  void tick(Millis now);
  // What happened; a line when `log on` was said. For the port's Watcher, which may call it.
  void noticed(Fact fact, std::string_view text);

 private:
  // A check that has not answered yet.
  enum class Waits : std::uint8_t { no, microphone, inputs };

  void command(Millis now, std::string_view word, std::string_view rest);
  void info(Millis now);
  void get(std::string_view word);
  void set(Millis now, std::string_view rest);
  void talk(Millis now, std::string_view rest);
  void check(Millis now, std::string_view what);
  void factory_reset(Millis now, std::string_view rest);
  void restart(Millis now);
  void log(std::string_view rest);

  void ok() { port_.write_line("ok"); }
  class Answer;  // the line of an `ok` with more to say
  void help();
  void tell_loudness(int percent);
  void ok(std::string_view key, std::string_view value);
  void error(std::string_view name, std::string_view why, std::string_view more = {});

  Gadget& gadget_;
  ConsolePort& port_;
  std::array<char, kConsoleLineBytes> line_{};
  std::size_t size_ = 0;
  bool too_long_ = false;
  bool logs_ = false;
  Waits waits_ = Waits::no;
  Millis waits_until_ = 0;
};

}  // namespace gadget::device
