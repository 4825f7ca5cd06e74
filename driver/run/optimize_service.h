// Optimizes what the layer in another program asks for, each module by a process of this program
// (docs/design/layer.md).
#pragma once

#include "batch/cache/store.h"
#include "lanewise/result.h"
#include "layer/wire.h"
#include "recorded/tuning_file.h"
#include "support/files.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lanewise::driver {

struct OptimizePlan {
  std::vector<std::string> passes; ///< what `lanewise opt` takes besides its input and output
  TuningChoice tuning;             ///< passes in their place for modules that it knows
  std::string scratch;             ///< folder for files that are in between
  std::string cache;               ///< folder that keeps the results; "": they are not kept
};

struct OptimizedModule {
  std::string bytes;   ///< empty: take the program's own
  std::string trouble; ///< why it has to be the program's own, where that is no good reason
};

/// The module to take in the place of the request's: specialized, optimized, and checked to ask
/// nothing of the device that the program's does not. An error is something that need not be so the
/// next time. `name` is one for files in between.
Result<OptimizedModule> optimizeForPipeline(const layer::OptimizeRequest& request,
                                            const OptimizePlan& plan, const std::string& name);

/// Runs this program with other arguments, without anything to read; `errors` is the file for what
/// it says. The exit code; the error says how it ended otherwise.
Result<int> runOurselves(std::vector<std::string> command, const std::string& errors = "/dev/null");

class OptimizeService {
public:
  /// Listens on a socket in the scratch folder. What is asked for waits in a queue for one of as
  /// many threads as there are cores.
  static Result<std::unique_ptr<OptimizeService>> start(OptimizePlan plan);
  ~OptimizeService();
  OptimizeService(const OptimizeService&) = delete;

  const std::string& socket() const { return socketPath_; }
  uint64_t underWay(); ///< modules that are made or wait for their turn
  /// Takes no more, and waits for what is being made. How many modules waited for their turn: they
  /// are not made.
  uint64_t stop();
  /// What went wrong, each kind once.
  std::vector<std::string> troubles();

private:
  /// A module that was asked for.
  struct Asked {
    std::optional<std::string> sealed; ///< the answer, once there is one; "" for none
    std::vector<Descriptor> waiting;   ///< for it
  };

  explicit OptimizeService(OptimizePlan plan);
  void listen();
  void receive(Descriptor connection);
  void work();
  /// The sealed result, "" where there is none.
  std::string make(const layer::OptimizeRequest& request, uint64_t number);
  void note(const std::string& trouble); ///< with mutex_ held

  OptimizePlan plan_;
  std::string socketPath_;
  Descriptor socket_;
  std::thread listener_;
  std::vector<std::thread> workers_;

  std::mutex mutex_; ///< of all below
  std::condition_variable changed_;
  std::deque<layer::OptimizeRequest> queue_;
  bool isStopping_ = false;
  std::map<std::string, Asked> asked_; ///< by key
  uint64_t answered_ = 0;              ///< of them
  std::unique_ptr<Store> store_;       ///< null: results are not kept
  std::vector<std::string> troubles_;
};

} // namespace lanewise::driver
