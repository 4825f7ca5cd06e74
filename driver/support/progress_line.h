// One line at the foot of a terminal that says what a command is at.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lanewise::driver {

/// Standard error's last line, written over and over; nothing where that is no terminal, or one
/// that cannot erase (TERM). It appears when the command has taken half a second, from then on at
/// most ten times a second, and is wiped away before anything else is printed (print.h does so) and
/// at its end. There is one at a time; forked processes have none.
class ProgressLine {
public:
  /// `isWanted`: false where people asked for quiet, or a program listens. `delay` before it
  /// appears.
  explicit ProgressLine(bool isWanted,
                        std::chrono::milliseconds delay = std::chrono::milliseconds(500));
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // What is worked at, from any part of the program: what stands below begins anew. Nothing happens
  // where there is no line.

  enum class Level : uint8_t {
    Task,  ///< "tile.comp", "[3/20] tile.comp"
    Step,  ///< "--pad-shared-memory"
    Detail ///< "timing: round 3 of 20"
  };
  static void tell(Level level, std::string text);

  /// Takes it away until something is told again.
  static void wipe();
};

} // namespace lanewise::driver
