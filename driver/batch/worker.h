// One input of a batch inside a worker process: from the cache or optimized, then written.
#pragma once

#include "batch/cache/result_cache.h"
#include "batch/inputs.h"
#include "batch/item.h"
#include "compilers/compiler_set.h"
#include "pipeline/optimize_input.h"
#include "pipeline/optimize_options.h"
#include "support/worker_pool.h"
#include "verify/verify.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

/// What all workers know.
struct BatchPlan {
  OptOptions options; ///< with its target, unless that is the device's
  std::vector<BatchInput> inputs;
  /// Null where there is no cache. Called in each worker, so that none shares a connection.
  std::function<std::unique_ptr<Store>()> openStore;
  RunKey key;
  std::vector<CompilerChoice> compilers;     ///< with --compiler-stats
  std::vector<CompilerChoice> gateCompilers; ///< with --keep-if=cheaper
  int timingLock = -1; ///< a file: only who holds its lock uses the device; -1: there is no need to
};

/// Attempts at optimizing an input: as it comes, and with third-party code isolated.
constexpr uint32_t kCarefulAttempts = 2;

/// Lives as long as a worker process. Nothing is opened before it is needed: a run that finds
/// everything in the cache starts no device.
class BatchWorker {
public:
  explicit BatchWorker(const BatchPlan& plan) : plan_(plan) {}

  /// The first attempt runs everything in this process; it may die of it. The second isolates
  /// third-party code in processes of its own, as `opt` does. The third only loads the input.
  ItemResult work(const PieceOfWork& piece);

private:
  void prepare();
  ItemResult optimize(const BatchInput& input, const std::string& contents, bool isCareful);
  ItemResult fallBack(const BatchInput& input, const std::string& contents, std::string reason,
                      int exitCode);
  /// Writes what differs from what is there.
  void write(const BatchInput& input, const Product& product, ItemResult& result);
  Status openDevice();

  const BatchPlan& plan_;
  OptOptions options_;
  bool isReady_ = false;
  std::unique_ptr<ResultCache> cache_;
  std::unique_ptr<Verifier> verifier_;
  std::optional<CompilerSet> compilers_, carefulCompilers_;
  std::optional<CompilerSet> gate_, carefulGate_;
  bool hasTarget_ = false;
};

} // namespace lanewise::driver
