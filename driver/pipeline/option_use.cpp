#include "pipeline/option_use.h"

#include "analysis/module/decorations.h"
#include "support/suggest.h"
#include "support/terminal.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

constexpr std::string_view kConstant = "--spec-const";
constexpr size_t kMostNames = 8;

std::string textOf(const std::pair<std::string, std::string>& typed) {
  // Of a constant the name is what may be wrong.
  const bool isConstant = typed.first == kConstant;
  return fmt::format("{}={}", typed.first,
                     isConstant ? typed.second.substr(0, typed.second.find(':')) : typed.second);
}

std::string listOf(const std::set<std::string>& names) {
  std::vector<std::string> some;
  for (const std::string& name : names)
    if (some.size() < kMostNames) some.push_back(fmt::format("'{}'", name));
  std::string text = fmt::format("{}", fmt::join(some, ", "));
  if (names.size() > some.size()) text += fmt::format(" and {} more", names.size() - some.size());
  return text;
}

} // namespace

SiteListener OptionUse::listener() {
  const auto isOfSite = [](const Typed& typed) { return typed.first != kConstant; };
  if (std::ranges::none_of(options_.typed, isOfSite)) return {};
  return [this](std::string_view pass, std::string_view site) {
    sites_[std::string(pass)].emplace(site);
  };
}

void OptionUse::see(const Module& module) {
  const Decorations decorations(module);
  for (InstRef i : module.globals())
    if (const Id id = module.resultId(i))
      if (const auto specId = decorations.operand(module, id, spv::Decoration::SpecId))
        constants_.insert(*specId);
}

bool OptionUse::isUsed(const Typed& typed) const {
  const size_t colon = typed.second.find(':');
  const std::string name = typed.second.substr(0, colon);
  // All sites that a pass has are none that may have been misspelt.
  if (typed.first != kConstant && typed.second.substr(colon + 1) == "*") return true;
  if (typed.first == kConstant) {
    uint32_t id = 0;
    std::from_chars(name.data(), name.data() + name.size(), id);
    return constants_.contains(id);
  }
  const auto sites = sites_.find(name);
  return sites != sites_.end() && std::ranges::any_of(sites->second, [&](const std::string& site) {
           return matchesGlob(std::string_view(typed.second).substr(colon + 1), site);
         });
}

std::string OptionUse::whatThereIs(const Typed& typed) const {
  if (typed.first == kConstant)
    return "the module has no such specialization constant" +
           (constants_.empty() ? "" : fmt::format("; it has {}", fmt::join(constants_, ", ")));
  const size_t colon = typed.second.find(':');
  const auto sites = sites_.find(typed.second.substr(0, colon));
  if (sites == sites_.end()) return "it matches nothing, as the pass had nothing to rewrite";
  return fmt::format("it matches nothing that the pass could rewrite, which is {}",
                     listOf(sites->second));
}

std::vector<std::string> OptionUse::unused() const {
  std::vector<std::string> unused;
  for (const Typed& typed : options_.typed)
    if (!isUsed(typed)) unused.push_back(textOf(typed));
  return unused;
}

Remarks OptionUse::warnings() const {
  Remarks warnings;
  for (const Typed& typed : options_.typed) {
    if (isUsed(typed)) continue;
    Remark r;
    r.kind = Remark::Kind::Warning;
    r.pass = "options";
    r.name = typed.first == kConstant ? "no-such-constant" : "no-such-site";
    r.message = fmt::format("{}: {}", textOf(typed), whatThereIs(typed));
    warnings.push_back(std::move(r));
  }
  return warnings;
}

std::string noPassText(const OptOptions& options) {
  const bool isMeant = options.asText || options.isQuiet || options.remarks == RemarkFilter::None ||
                       options.format == ReportFormat::Json;
  if (isMeant || !isTerminal(stderr) || !options.steps.empty() || options.tuning.isGiven())
    return {};
  return "no pass is given, so nothing is optimized; -O is the standard pipeline";
}

std::string unusedText(std::string_view option) {
  return fmt::format("{}: {}", option,
                     option.starts_with(kConstant)
                         ? "no module has such a specialization constant"
                         : "it matches nothing that the pass could rewrite in any module");
}

} // namespace lanewise::driver
