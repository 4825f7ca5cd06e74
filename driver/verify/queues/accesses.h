// Which bytes of which buffers the commands of a plan read and write.
#pragma once

#include "verify/queues/plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lanewise::driver {

struct ByteRange {
  uint64_t begin = 0, end = 0; ///< the end is behind the last byte
  bool operator==(const ByteRange&) const = default;
};
/// Ascending; they neither overlap nor touch.
using ByteRanges = std::vector<ByteRange>;

/// What both have.
ByteRanges intersection(std::span<const ByteRange> a, std::span<const ByteRange> b);
/// What either has.
ByteRanges unionOf(std::span<const ByteRange> a, std::span<const ByteRange> b);
/// What `a` has and `b` has not.
ByteRanges difference(std::span<const ByteRange> a, std::span<const ByteRange> b);

/// Of one command to one buffer.
struct BufferAccesses {
  uint32_t buffer = 0;
  ByteRanges reads, writes;
  ByteRanges atomics; ///< read and written by atomics, which are in order among themselves
  Stages stage = kComputeStage;
};
using CommandAccesses = std::vector<BufferAccesses>;

/// Of each command of a plan: by submission, by place in it.
using AccessTable = std::vector<std::vector<CommandAccesses>>;

/// Of a copy.
CommandAccesses accessesOf(const PlannedCopy& copy);

/// The bytes on which two sets of accesses are at odds: one of them writes.
ByteRanges conflictOf(const BufferAccesses& a, const BufferAccesses& b);
/// Whether there are any.
bool areAtOdds(const BufferAccesses& a, const BufferAccesses& b);
/// Whether `b` reads or writes bytes that `a` has written.
bool isWrittenFor(const BufferAccesses& a, const BufferAccesses& b);

} // namespace lanewise::driver
