// The operator new of the program, which this program has as well but with sanitizers: blocks of
// all sizes, by whatever delete, thread and allocator.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <new>
#include <thread>
#include <vector>
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

constexpr size_t kSizes = 600; // small blocks, and some that are not

struct Filled {
  unsigned char* bytes;
  size_t size;
};

Filled filled(size_t size) {
  auto* bytes = static_cast<unsigned char*>(::operator new(size));
  std::memset(bytes, int(size % 251), size);
  return {bytes, size};
}

void check(const Filled& one) {
  for (size_t n = 0; n < one.size; ++n) ASSERT_EQ(one.bytes[n], one.size % 251) << one.size;
}

// Each block is its own while it lives, new or kept, and has room for its size.
TEST(SmallBlocks, BlocksOfAllSizes) {
  for (int round = 0; round < 3; ++round) {
    std::vector<Filled> all;
    for (int copy = 0; copy < 4; ++copy)
      for (size_t size = 0; size < kSizes; ++size) all.push_back(filled(size));
    for (const Filled& one : all) check(one);
    for (const Filled& one : all) {
      one.size % 2 ? ::operator delete(one.bytes, one.size) : ::operator delete(one.bytes);
    }
  }
}

#ifdef __GLIBC__
// A block that malloc has made for a size has room for all sizes of its class: it may be deleted
// here, and given to others.
TEST(SmallBlocks, BlocksOfOthers) {
  for (size_t size = 1; size < kSizes; ++size) {
    void* volatile made = std::malloc(size); // volatile: the compiler may not know that
    void* block = made;
    EXPECT_GE(malloc_usable_size(block), (size + 7) / 16 * 16 + 8);
    ::operator delete(block, size);
    Filled next = filled(size + 15 - (size + 7) % 16); // the largest of the class
    check(next);
    ::operator delete(next.bytes);
  }
}

#endif

TEST(SmallBlocks, Threads) {
  std::vector<Filled> all;
  for (size_t size = 0; size < kSizes; ++size) all.push_back(filled(size));
  std::vector<Filled> others;
  std::thread([&] {
    for (const Filled& one : all) ::operator delete(one.bytes, one.size);
    for (size_t size = 0; size < kSizes; ++size) others.push_back(filled(size));
  }).join();
  for (const Filled& one : others) {
    check(one);
    ::operator delete(one.bytes, one.size);
  }
}

TEST(SmallBlocks, MoreOfASizeThanAreKept) {
  std::vector<Filled> all;
  for (int n = 0; n < 5000; ++n) all.push_back(filled(40));
  for (const Filled& one : all) check(one), ::operator delete(one.bytes, one.size);
  for (int n = 0; n < 5000; ++n) all[size_t(n)] = filled(33);
  for (const Filled& one : all) check(one), ::operator delete(one.bytes, one.size);
}

TEST(SmallBlocks, NothingAndTooMuch) {
  ::operator delete(nullptr, size_t(8));
  ::operator delete(nullptr);
  volatile size_t most = SIZE_MAX; // volatile: the compiler knows that there is no such block
  for (size_t less : {0, 1, 7, 8, 100})
    EXPECT_THROW(::operator delete(::operator new(most - less)), std::bad_alloc);
}

} // namespace
