// Functions that something else than OpFunctionCall runs: those that an instruction calls back for
// each element of a cooperative matrix (SPV_NV_cooperative_matrix2: OpCooperativeMatrixReduceNV and
// its like, DecodeFunc of a load), kernels that are enqueued, functions whose address is taken.
// Nothing is known of when, how often, by which invocations and with which arguments they run.
// Conservative: any naming counts but those of calls, entry points, names, decorations and debug
// information.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <string_view>
#include <vector>

namespace lanewise {

class IndirectCalls {
public:
  static constexpr std::string_view kAnalysisName = "IndirectCalls";

  explicit IndirectCalls(Analyses& analyses);

  /// True for such a function, and for all that it calls, by however many steps.
  bool mayRun(FunctionRef function) const { return mayRun_[function.value]; }
  bool operator==(const IndirectCalls&) const = default;

private:
  std::vector<bool> mayRun_; ///< by FunctionRef
};

} // namespace lanewise
