// Byte-addressed memory of a dispatch. An address is an object's number and an offset into it, so
// that adding to an address stays within the object or is seen to leave it; the same form serves
// descriptors, Workgroup variables and physical addresses.
#pragma once

#include "verify/formats/image_shape.h"
#include "verify/interpreter/code/program.h"
#include "verify/interpreter/run/history.h"
#include "verify/interpreter/run/shadow.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver::interpreter {

constexpr uint32_t kOffsetBits = 44;

/// Address of byte 0 of an object. Object 0 is never used: a null pointer.
constexpr uint64_t addressOf(uint32_t object) {
  return uint64_t(object) << kOffsetBits;
}
constexpr uint32_t objectOf(uint64_t address) {
  return uint32_t(address >> kOffsetBits);
}
constexpr uint64_t offsetOf(uint64_t address) {
  return address & ((uint64_t(1) << kOffsetBits) - 1);
}

/// A buffer, an image, the push constants or one Workgroup variable, as one workgroup sees it.
struct Object {
  uint8_t* data = nullptr;
  uint64_t bytes = 0;
  MemoryClass memoryClass = kStorageClass;
  bool isReadOnly = false; ///< uniform buffers and push constants
  /// Some instruction of the dispatch may write it: only then are accesses watched.
  bool isShadowed = false;
  const ImageShape* image = nullptr; ///< null: no image
  std::string name;
  /// By granule: the site whose undefined result is stored there, kNeverWritten, or 0. Workgroup
  /// memory only.
  std::vector<uint32_t> marks;
  /// By granule: 0 where nobody has written yet. Null for a buffer that starts with contents.
  uint8_t* written = nullptr;
  /// By page of kDirtyBytes: something was stored there. Null where nobody asks.
  uint8_t* dirty = nullptr;
  Tracking tracking = Tracking::Barriers;
  /// Its accesses are checked against those of other workgroups once the workgroup has ended.
  bool isCommitted = false;
  ShadowTable shadow;                      ///< where it is tracked by barriers, or committed
  HistoryTable history;                    ///< tracked by lanes
  HistoryTable* dispatchHistory = nullptr; ///< by workgroups: of them all
};

constexpr uint32_t kDirtyShift = 12, kDirtyBytes = 1u << kDirtyShift;

/// Before a store of no more bytes than a page has. Several threads may say so of one page.
inline void markDirty(Object& object, uint64_t offset, uint32_t bytes) {
  if (!object.dirty) return;
  std::atomic_ref(object.dirty[offset >> kDirtyShift]).store(1, std::memory_order_relaxed);
  std::atomic_ref(object.dirty[(offset + bytes - 1) >> kDirtyShift])
      .store(1, std::memory_order_relaxed);
}

constexpr uint32_t kNeverWritten = UINT32_MAX;

/// The `bytes` (1, 2, 4 or 8) at `from`, zero-extended.
inline uint64_t readScalar(const uint8_t* from, uint32_t bytes) {
  switch (bytes) {
  case 4: {
    uint32_t v;
    std::memcpy(&v, from, 4);
    return v;
  }
  case 8: {
    uint64_t v;
    std::memcpy(&v, from, 8);
    return v;
  }
  case 2: {
    uint16_t v;
    std::memcpy(&v, from, 2);
    return v;
  }
  default:
    return *from;
  }
}

inline void writeScalar(uint8_t* to, uint32_t bytes, uint64_t value) {
  std::memcpy(to, &value, bytes == 4 ? 4 : bytes == 8 ? 8 : bytes == 2 ? 2 : 1);
}

} // namespace lanewise::driver::interpreter
