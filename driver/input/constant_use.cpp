#include "input/constant_use.h"

#include "analysis/module/entry_points.h"
#include "support/print.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

constexpr std::string_view kConstant = "--spec-const=";
constexpr std::string_view kSize = "--workgroup-size=";

/// "8,8,1", with a letter where it is left to a constant.
std::string sizeText(const std::array<uint32_t, 3>& literal) {
  std::array<std::string, 3> parts{"x", "y", "z"};
  for (size_t d = 0; d < 3; ++d)
    if (literal[d] != 0) parts[d] = std::to_string(literal[d]);
  return fmt::format("{}", fmt::join(parts, ","));
}

} // namespace

Result<Assumptions> GivenConstants::assumptionsFor(const Module& module, Assumptions others) const {
  if (Status s = settle(module, values, ValuesFrom::Option, others); !s) return s.error();
  return others;
}

void ConstantUse::see(const Module& module) {
  hasSeen_ = true;
  if (!given_.typed.empty())
    for (const auto& [specId, type] : specTypesOf(module)) constants_.insert(specId);
  if (given_.typedSize) seeSizes(module);
}

Result<Assumptions> ConstantUse::assumptionsFor(const Module& module, const Assumptions& others) {
  see(module);
  return given_.assumptionsFor(module, others);
}

void ConstantUse::seeSizes(const Module& module) {
  const Assumptions nothing;
  Analyses analyses(module, nothing);
  bool hasAny = false;
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all()) {
    if (!hasWorkgroups(entry.model)) continue;
    hasAny = true;
    bool isLiteral = true, isOther = false;
    for (size_t d = 0; d < 3; ++d) {
      isLiteral &= entry.literalSize[d] != 0;
      isOther |= entry.literalSize[d] != 0 && entry.literalSize[d] != (*given_.typedSize)[d];
    }
    if (!isOther)
      isSizeUsed_ = true;
    else if (isLiteral)
      sizes_.insert(
          fmt::format("the module's size is literal, {}, and stays", sizeText(entry.literalSize)));
    else
      sizes_.insert(
          fmt::format("the module's size is {}, of which the numbers are literal and stay",
                      sizeText(entry.literalSize)));
  }
  if (!hasAny) sizes_.insert("the module has no workgroups");
}

std::vector<UnusedConstant> ConstantUse::unused() const {
  std::vector<UnusedConstant> unused;
  if (!hasSeen_) return unused;
  for (uint32_t specId : given_.typed) {
    if (constants_.contains(specId)) continue;
    const std::string option = fmt::format("{}{}", kConstant, specId);
    unused.push_back(
        {option, fmt::format("{}: the module has no such specialization constant{}", option,
                             constants_.empty()
                                 ? ""
                                 : fmt::format("; it has {}", fmt::join(constants_, ", ")))});
  }
  if (given_.typedSize && !isSizeUsed_) {
    const std::string option = fmt::format("{}{}", kSize, fmt::join(*given_.typedSize, ","));
    unused.push_back({option, sizes_.size() == 1 ? fmt::format("{}: {}", option, *sizes_.begin())
                                                 : unusedConstantText(option)});
  }
  return unused;
}

std::vector<UnusedConstant> unusedInAll(std::span<const std::vector<UnusedConstant>> all) {
  if (all.empty()) return {};
  std::vector<UnusedConstant> common = all.front();
  for (const std::vector<UnusedConstant>& own : all.subspan(1)) {
    std::erase_if(common, [&](UnusedConstant& one) {
      const auto same = std::ranges::find(own, one.option, &UnusedConstant::option);
      if (same != own.end() && same->message != one.message)
        one.message = unusedConstantText(one.option);
      return same == own.end();
    });
  }
  return common;
}

std::string unusedConstantText(std::string_view option) {
  return fmt::format("{}: {}", option,
                     option.starts_with(kSize) ? "no module leaves its workgroup size to constants"
                                               : "no module has such a specialization constant");
}

bool isConstantOption(std::string_view option) {
  return option.starts_with(kConstant) || option.starts_with(kSize);
}

void warnOf(const std::vector<UnusedConstant>& unused) {
  for (const UnusedConstant& one : unused) printError("lanewise: warning: {}\n", one.message);
}

} // namespace lanewise::driver
