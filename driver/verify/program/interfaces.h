// Where two modules ask for different things of their caller: bindings, blocks, push constants,
// workgroup sizes. A rewrite keeps its interface, so that what differs here is what to look at
// first.
#pragma once

#include "verify/program/program.h"
#include "verify/program/runner.h"
#include "verify/scenario/scenario.h"

#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

struct InterfaceDifference {
  enum class Kind : uint8_t {
    Entry,
    Binding,
    Block,
    PushConstants,
    WorkgroupSize,
    Constants ///< only of programs: one that a run could set in one alone, and nobody gave
  };
  Kind kind = Kind::Binding;
  std::string what, mend; ///< one clause each
  std::string text() const { return what + "; " + mend; }
};

/// Names in messages.
struct InterfaceNames {
  std::string original, other;
};

/// What of `other` is not as in `original`. What a rewrite may well drop is none: bindings that the
/// original only reads, or a shorter block that both agree on. `comparesBlocks` is off where the
/// other one has layouts of its own.
std::vector<InterfaceDifference> compareInterfaces(const Reflection& original,
                                                   const Reflection& other,
                                                   const InterfaceNames& names,
                                                   bool comparesBlocks);

/// By program, of those with the original's dispatches; `programs` are fitted from `variants`.
std::vector<std::vector<InterfaceDifference>>
compareInterfaces(std::span<const Program> programs, std::span<const ProgramVariant> variants);

/// For programs that do not fit the scenario, and `why`: one line that says what of the first of
/// them is not as in the original. `why` itself where that is nothing.
std::string describeMisfit(const Scenario& scenario, std::span<const ProgramVariant> variants,
                           const std::string& why);

} // namespace lanewise::driver
