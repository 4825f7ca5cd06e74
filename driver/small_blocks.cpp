// The program's operator new keeps small blocks that were deleted for those to come. A module takes
// hundreds of them, and a batch thousands of modules: glibc keeps seven of a size where it finds
// them quickly, and merges and splits the others, which takes a seventh of all instructions.
//
// Every block is malloc's, so it does not matter who made it or deletes it. Classes are those of
// glibc's chunks: what malloc gives for 25 to 40 bytes has room for 40. Elsewhere operator new is
// the library's.
#include <cstdlib>
#include <new>

#if defined(__GLIBC__) && __SIZEOF_POINTER__ == 8

namespace {

constexpr std::size_t kMostBytes = 504; // of a small block
constexpr std::size_t kMostKept = 1024; // of a class: large modules give theirs back

std::size_t classOf(std::size_t bytes) {
  return (bytes + 7) / 16;
}

struct Block {
  Block* next;
};
struct Class {
  Block* first;
  std::size_t count;
};

constinit Class classes[(kMostBytes + 7) / 16 + 1] = {};
// Of the main thread alone: what another one deletes would be lost with it.
thread_local constinit bool keepsBlocks = false;
[[maybe_unused]] const bool isMain = keepsBlocks = true;

} // namespace

void* operator new(std::size_t bytes) {
  if (bytes <= kMostBytes && keepsBlocks) {
    Class& kept = classes[classOf(bytes)];
    if (Block* block = kept.first) {
      kept.first = block->next;
      --kept.count;
      return block;
    }
    bytes = 16 * classOf(bytes) + 8;
  }
  if (void* block = std::malloc(bytes)) return block;
  throw std::bad_alloc();
}

void operator delete(void* block) noexcept {
  std::free(block);
}

void operator delete(void* block, std::size_t bytes) noexcept {
  if (!block || bytes > kMostBytes || !keepsBlocks) return std::free(block);
  Class& kept = classes[classOf(bytes)];
  if (kept.count == kMostKept) return std::free(block);
  kept.first = ::new (block) Block{kept.first};
  ++kept.count;
}

#endif
