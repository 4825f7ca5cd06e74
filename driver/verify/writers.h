// Who wrote what differs: the original and the program beside it run once more in the interpreter,
// which notes the last store to each element that differs. Only for the text of a report: no
// verdict depends on it.
#pragma once

#include "verify/inputs/contents.h"
#include "verify/interpreter/interpreter_runner.h"
#include "verify/program/runner.h"
#include "verify/verify.h"

#include <functional>
#include <vector>

namespace lanewise::driver {

/// Two programs of a verification, by their numbers in it.
struct WriterPair {
  size_t number = 1; ///< of the other one
  const Program& original;
  const Program& other;
};

/// Runs the original (0) or the other one (its number) again, on the inputs and the workgroups with
/// which the differences were found.
using RunAgain = std::function<RunStatus(size_t program, RunObserver& observer)>;

/// Fills in `originalWriters`, `transformedWriters` and a `pattern` in terms of invocations.
/// Buffers that the other program sees in a layout of its own are left out.
void nameWriters(const ScenarioContents& contents, const WriterPair& pair, const RunAgain& run,
                 std::vector<BufferDifference>& differences);

/// The same for what a device has shown with the inputs that `contents` is filled with: runs them
/// all in an interpreter with subgroups as on the device, as far as the budget goes.
void nameWritersOfDevice(ScenarioContents& contents, const WriterPair& pair, Poison poison,
                         const InterpreterOptions& options, uint32_t subgroupSize,
                         std::vector<BufferDifference>& differences);

} // namespace lanewise::driver
