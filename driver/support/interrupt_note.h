// One line about what is kept when somebody stops the program (SIGINT, SIGTERM).
#pragma once

#include <string_view>

namespace lanewise::driver {

/// At most one lives at a time. What was forked from the program says nothing; the signal then does
/// what it does without this. A signal that is ignored stays so.
class InterruptNote {
public:
  explicit InterruptNote(std::string_view text) { say(text), watch(); }
  ~InterruptNote();
  InterruptNote(const InterruptNote&) = delete;
  InterruptNote& operator=(const InterruptNote&) = delete;

  /// From now on: "lanewise: interrupted: TEXT".
  void say(std::string_view text);

private:
  void watch();
};

} // namespace lanewise::driver
