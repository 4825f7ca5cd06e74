// Loads of Workgroup memory that nothing can change while the invocations of the workgroup make
// them.
//
// Between two barriers of the workgroup a variable that nobody writes has one value for all. Looked
// at by variable, over all paths, and without knowing which element is accessed, because the
// analyses of values rest on this one. Conservative.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <string_view>
#include <vector>

namespace lanewise {

class SharedWrites {
public:
  static constexpr std::string_view kAnalysisName = "SharedWrites";

  explicit SharedWrites(Analyses& analyses);

  /// True when `load`, an OpLoad of a Workgroup variable, reads what some invocation wrote, and no
  /// write to that variable can stand between the nearest barriers of the workgroup before and
  /// after the load, on any path. False where atomics and fences let invocations of a workgroup
  /// order their accesses among themselves, between barriers.
  bool isUnwrittenAround(InstRef load) const;

  bool operator==(const SharedWrites&) const = default;

private:
  std::vector<InstRef> loads_; ///< ascending
};

} // namespace lanewise
