#include "ir/index_table.h"

#include <gtest/gtest.h>

namespace lanewise {
namespace {

/// Numbers, each once; few hashes, so that most stand behind others.
class NumberSet {
public:
  uint32_t indexOf(uint32_t number) const {
    return table_.find(hashOf(number), [&](uint32_t n) { return numbers_[n] == number; });
  }
  void add(uint32_t number) {
    numbers_.push_back(number);
    table_.insert(hashOf(number), uint32_t(numbers_.size() - 1),
                  [&](uint32_t n) { return hashOf(numbers_[n]); });
  }
  void clear() {
    table_.clear(uint32_t(numbers_.size()), [&](uint32_t n) { return hashOf(numbers_[n]); });
    numbers_.clear();
  }

private:
  static size_t hashOf(uint32_t number) { return number % 17 * 61; }

  std::vector<uint32_t> numbers_;
  IndexTable table_;
};

TEST(IndexTable, FindsWhatIsInWhileItGrows) {
  NumberSet set;
  EXPECT_EQ(set.indexOf(3), IndexTable::kNone);
  for (uint32_t n = 0; n < 1000; ++n) set.add(n * 3);
  for (uint32_t n = 0; n < 1000; ++n) EXPECT_EQ(set.indexOf(n * 3), n);
  EXPECT_EQ(set.indexOf(4), IndexTable::kNone);
}

TEST(IndexTable, HasNothingOnceItIsCleared) {
  NumberSet set;
  for (uint32_t round = 0; round < 3; ++round) {
    for (uint32_t n = 0; n < 200; ++n) set.add(n + round);
    for (uint32_t n = 0; n < 200; ++n) EXPECT_EQ(set.indexOf(n + round), n);
    set.clear();
    for (uint32_t n = 0; n < 203; ++n) EXPECT_EQ(set.indexOf(n), IndexTable::kNone);
  }
}

} // namespace
} // namespace lanewise
