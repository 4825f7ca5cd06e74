// Worker processes that are handed one piece of work after another. docs/design/batch-cache.md says
// why processes and not threads.
#pragma once

#include "lanewise/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace lanewise::driver {

struct PieceOfWork {
  uint32_t index = 0;
  /// 0 at first, and one more each time that a worker died of it.
  uint32_t attempt = 0;
  std::string whyAgain; ///< how the worker of the attempt before died: "crashed: ..."
};

struct PoolOptions {
  uint32_t workers = 1;
  uint32_t attempts = 3; ///< a piece whose last attempt kills its worker as well fails
  /// How long an attempt may take, from when its worker begins with it; 0 for ever.
  std::function<std::chrono::milliseconds(uint32_t attempt)> limitOf;
};

struct PoolEvents {
  /// In a worker: does the piece and gives back what `finished` is to get.
  std::function<std::string(const PieceOfWork&)> work;
  /// In the calling process, in the order in which they end. An Error says how the last worker
  /// died.
  std::function<void(uint32_t index, Result<std::string>)> finished;
  /// Called between other things, about ten times a second.
  std::function<void()> tick;
  /// As often: true ends it, and what is being done is given up.
  std::function<bool()> isOver;
};

/// Does the pieces in the order of `indices`, as many at a time as there are workers, and returns
/// when all have finished or it is over. The caller must have no other threads: workers are forked,
/// anew when one dies. They die with the caller. What they print is lost, except that the last line
/// that a dying one wrote to standard error ends its message.
Status runPool(std::span<const uint32_t> indices, const PoolOptions& options,
               const PoolEvents& events);

} // namespace lanewise::driver
