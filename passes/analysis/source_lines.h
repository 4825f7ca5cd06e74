// Where in the source an instruction comes from: OpLine, or DebugLine of NonSemantic.Shader.DebugInfo.100.
#pragma once

#include "ir/module.h"
#include "remarks.h"

#include <vector>

namespace lanewise {

class SourceLines {
public:
  explicit SourceLines(const Module& module);
  /// Location of an instruction, line 0 if none is known. OpLine holds until the end of its block (SPIR-V
  /// 3.42.3), so an instruction after a block's end has its own.
  SourceLocation at(const Module& module, InstRef inst) const;
  bool operator==(const SourceLines&) const = default;

private:
  struct Entry {
    InstRef from;  ///< first instruction it holds for
    InstRef line;  ///< the OpLine or DebugLine, null for "none from here"
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries_; ///< ascending
};

} // namespace lanewise
