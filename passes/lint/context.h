// What the rules share: the entry points with their forms of indices, names and places for people.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/source_lines.h"
#include "analysis/values/affine.h"
#include "lanewise/target_profile.h"
#include "lint/lint.h"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lanewise {

/// An entry point of compute shaders, as the rules look at it.
struct Kernel {
  const EntryPoint* entry = nullptr;
  /// Workgroup size, literal or given by the assumptions; nothing when it is not known.
  std::optional<std::array<uint32_t, 3>> size;
  std::unique_ptr<Affine> affine;

  uint64_t invocations() const { return size ? uint64_t((*size)[0]) * (*size)[1] * (*size)[2] : 0; }
  /// True when more than one invocation is known to be at work along the dimension.
  bool isWide(uint32_t component) const { return size && (*size)[component] > 1; }
  std::array<uint32_t, 3> localId(uint64_t invocation) const {
    return localIdOf(invocation, *size);
  }
};

class LintContext {
public:
  LintContext(Analyses& analyses, const TargetProfile& target);

  Analyses& analyses() { return analyses_; }
  const Module& module() const { return analyses_.module(); }
  const TargetProfile& target() const { return target_; }
  /// GLCompute entry points with a body, in module order.
  std::vector<Kernel>& kernels() { return kernels_; }

  SourceLocation locate(InstRef i) { return analyses_.get<SourceLines>().at(module(), i); }
  /// A finding at an instruction; its rule is filled in by runLint().
  LintFinding findingAt(InstRef i, Severity severity, std::string message, Id variable = {});
  /// A finding about a whole entry point, at the first line of its function.
  LintFinding findingIn(const EntryPoint& entry, Severity severity, std::string message);
  /// `variable` is what it speaks of, if that is one.
  LintNote noteAt(InstRef i, std::string message, Id variable = {}) {
    return {locate(i), std::move(message), sourceNameOf(variable)};
  }
  /// Name of a variable, of its block, or its id: "'tile'", "%12".
  std::string nameOf(Id variable);
  /// What code writes where it accesses the variable; "" where that is not known.
  std::string sourceNameOf(Id variable);

private:
  Analyses& analyses_;
  const TargetProfile& target_;
  std::vector<Kernel> kernels_;
};

} // namespace lanewise
