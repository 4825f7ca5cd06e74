#include "pipeline/option_use.h"

#include "support/suggest.h"
#include "support/terminal.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

constexpr size_t kMostNames = 8;

std::string textOf(const std::pair<std::string, std::string>& typed) {
  return fmt::format("{}={}", typed.first, typed.second);
}

Remark warning(std::string name, std::string message) {
  Remark r;
  r.kind = Remark::Kind::Warning;
  r.pass = "options";
  r.name = std::move(name);
  r.message = std::move(message);
  return r;
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
  if (options_.typed.empty()) return {};
  return [this](std::string_view pass, std::string_view site) {
    sites_[std::string(pass)].emplace(site);
  };
}

void OptionUse::see(const Module& module) {
  constants_.see(module);
}

bool OptionUse::isUsed(const Typed& typed) const {
  const size_t colon = typed.second.find(':');
  const std::string name = typed.second.substr(0, colon);
  // All sites that a pass has are none that may have been misspelt.
  if (typed.second.substr(colon + 1) == "*") return true;
  const auto sites = sites_.find(name);
  return sites != sites_.end() && std::ranges::any_of(sites->second, [&](const std::string& site) {
           return matchesGlob(std::string_view(typed.second).substr(colon + 1), site);
         });
}

std::string OptionUse::whatThereIs(const Typed& typed) const {
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
  for (UnusedConstant& one : constants_.unused()) unused.push_back(std::move(one.option));
  return unused;
}

Remarks OptionUse::warnings() const {
  Remarks warnings;
  for (const Typed& typed : options_.typed)
    if (!isUsed(typed))
      warnings.push_back(
          warning("no-such-site", fmt::format("{}: {}", textOf(typed), whatThereIs(typed))));
  for (UnusedConstant& one : constants_.unused()) {
    const bool isSize = one.option.starts_with("--workgroup-size");
    warnings.push_back(
        warning(isSize ? "literal-size" : "no-such-constant", std::move(one.message)));
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
  if (isConstantOption(option)) return unusedConstantText(option);
  return fmt::format("{}: it matches nothing that the pass could rewrite in any module", option);
}

} // namespace lanewise::driver
