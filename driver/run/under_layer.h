// One run of a program under the layer, with the optimizer beside it where it is asked for.
#pragma once

#include "lanewise/result.h"
#include "recorded/tuning_file.h"
#include "run/program.h"
#include "run/run_data.h"
#include "support/files.h"

#include <functional>
#include <string>
#include <vector>

namespace lanewise::driver {

/// A folder that is gone when its owner ends. What killed processes of the same user left of such
/// folders goes when the next one is made.
class RunFolder {
public:
  static Result<RunFolder> create();
  RunFolder(RunFolder&& other) noexcept;
  RunFolder& operator=(RunFolder&&) = delete;
  ~RunFolder();
  const std::string& path() const { return path_; }

private:
  explicit RunFolder(std::string path);
  std::string path_;
  Descriptor lock_; ///< held as long as this lives, also for those who do not see our process
};

/// What is asked of a run.
struct LayerRequest {
  std::vector<std::string> command; ///< the program and its arguments
  bool times = false;
  bool optimizes = false, waits = false;
  std::vector<std::string> passes;  ///< what `opt` is given
  std::string passFiles;            ///< a digest of what the files say that `passes` name
  TuningChoice tuning;              ///< passes for the modules that it knows
  std::vector<std::string> leftOut; ///< first digits of hashes of modules that stay as they are
  std::string cache;                ///< folder; "": the user's
  std::string printsTo;             ///< ProgramRequest::printsTo
  /// For each SIGUSR1: what was seen so far, and for how many seconds.
  std::function<void(const RunData&, double)> whenAsked;
};

struct LayerRun {
  ProgramEnd end;
  double seconds = 0; ///< from start to end
  RunData data;
  std::vector<std::string> troubles;
};

/// Waits for the program's end. `scratch` gets what the layer writes, modules included, and should
/// be empty. The error says why the program could not be started.
Result<LayerRun> runUnderLayer(const LayerRequest& request, const std::string& scratch);

} // namespace lanewise::driver
