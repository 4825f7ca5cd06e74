// One line about what is kept when somebody stops the program (SIGINT, SIGTERM).
#pragma once

#include <cstdint>
#include <string_view>

namespace lanewise::driver {

/// At most one lives at a time. What was forked from the program says nothing; the signal then does
/// what it does without this. A signal that is ignored stays so.
class InterruptNote {
public:
  enum class Ends : uint8_t {
    AtOnce,
    WhenTold ///< by end(), which isDue() asks for; the second signal ends the program at once
  };
  explicit InterruptNote(std::string_view text, Ends ends = Ends::AtOnce) {
    say(text), watch(ends);
  }
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

  /// From now on: "lanewise: interrupted: TEXT".
  void say(std::string_view text);

  bool isDue() const;
  void end() const;

private:
  void watch(Ends ends);
};

} // namespace lanewise::driver
