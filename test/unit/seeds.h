// The seeds of random tests.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>

namespace lanewise::test {

/// `first` and those behind it, as many as a test has time for, up to the first failure. With
/// LANEWISE_SEEDS=20 in the environment there are 20 times as many.
class Seeds {
public:
  explicit Seeds(uint32_t count, uint32_t first = 1)
      : first_(first), end_(first + count * factor()) {}

  struct End {};
  struct Iterator {
    uint32_t seed, end;
    uint32_t operator*() const { return seed; }
    void operator++() { ++seed; }
    bool operator!=(End) const { return seed != end && !testing::Test::HasFailure(); }
  };
  Iterator begin() const { return {first_, end_}; }
  End end() const { return {}; }
  uint32_t count() const { return end_ - first_; }

private:
  static uint32_t factor() {
    const char* given = std::getenv("LANEWISE_SEEDS");
    const std::string_view text = given ? given : "";
    uint32_t factor = 1;
    std::from_chars(text.data(), text.data() + text.size(), factor);
    return factor;
  }

  uint32_t first_, end_;
};

} // namespace lanewise::test
