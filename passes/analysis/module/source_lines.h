// Where in the source an instruction comes from: OpLine, or DebugLine of
// NonSemantic.Shader.DebugInfo.100. Exact: what the module says, nothing is carried over from
// neighbours.
#pragma once

#include "ir/module.h"
#include "lanewise/remarks.h"

#include <string_view>
#include <vector>

namespace lanewise {

class SourceLines {
public:
  static constexpr std::string_view kAnalysisName = "SourceLines";

  explicit SourceLines(const Module& module);
  /// Location of an instruction, line 0 if none is known. OpLine and DebugLine hold from where they
  /// stand to the next of either kind, to OpNoLine or DebugNoLine, or to the end of their block,
  /// whichever comes first (SPIR-V 3.42.3); before the first function, to the next OpLine or
  /// OpNoLine.
  SourceLocation at(const Module& module, InstRef inst) const;
  bool operator==(const SourceLines&) const = default;

private:
  struct Entry {
    InstRef from; ///< first instruction it holds for
    InstRef line; ///< the OpLine or DebugLine, null for "none from here"
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries_; ///< ascending
};

} // namespace lanewise
