// What a command line gives for specialization constants and workgroup sizes, and which of it no
// module has: a mistake that the output does not show.
#pragma once

#include "ir/module.h"
#include "lanewise/assumptions.h"
#include "lanewise/result.h"
#include "verify/program/specialize.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// --spec-const, and what of it and of --workgroup-size was typed: a project file speaks of many
/// modules.
struct GivenConstants {
  SpecValues values;
  std::set<uint32_t> typed;
  std::optional<std::array<uint32_t, 3>> typedSize;

  /// What a module is looked at with: `others`, and the constants that it has.
  Result<Assumptions> assumptionsFor(const Module& module, Assumptions others) const;
};

/// An option that has no effect.
struct UnusedConstant {
  std::string option;  ///< "--spec-const=99"
  std::string message; ///< with what there is instead
  bool operator==(const UnusedConstant&) const = default;
};

/// Watches one or more modules.
class ConstantUse {
public:
  explicit ConstantUse(const GivenConstants& given) : given_(given) {}

  void see(const Module& module);
  /// Whether see() looks for anything.
  bool asksModules() const { return !given_.typed.empty() || given_.typedSize.has_value(); }
  /// What a module is looked at with, which is seen thereby.
  Result<Assumptions> assumptionsFor(const Module& module, const Assumptions& others);
  /// What none of the modules has; nothing where there was none.
  std::vector<UnusedConstant> unused() const;

private:
  void seeSizes(const Module& module);

  const GivenConstants& given_;
  bool hasSeen_ = false;
  std::set<uint32_t> constants_;
  bool isSizeUsed_ = false;
  std::set<std::string> sizes_; ///< why it is not
};

/// What none of several has, of which each has its own. Nothing where `all` is empty.
std::vector<UnusedConstant> unusedInAll(std::span<const std::vector<UnusedConstant>> all);

/// The message where nothing is known but that no module uses the option.
std::string unusedConstantText(std::string_view option);
/// Whether an option, "--only=..." or "--spec-const=3", is one of those here.
bool isConstantOption(std::string_view option);

/// Says it on standard error.
void warnOf(const std::vector<UnusedConstant>& unused);

} // namespace lanewise::driver
