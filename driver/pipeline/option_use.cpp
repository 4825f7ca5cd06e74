#include "pipeline/option_use.h"

#include "support/suggest.h"
#include "support/terminal.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <sstream>

namespace lanewise::driver {

namespace {

constexpr size_t kMostNames = 8;
constexpr std::string_view kSetDefault = "--set-spec-const-default-value=";

/// Why spirv-opt does not make the text the default of a constant; "" where it does.
std::string whyNotSet(const std::string& text, const SpecType& type) {
  const std::optional<SpecValue> value = parseSpecValue(text);
  if (!value) return "that is no value";
  if (type.kind == SpecType::Kind::Bool && value->form != SpecValue::Form::Truth)
    return "the constant is a Boolean, which this flag takes as 'true' or 'false' alone";
  const Result<uint64_t> bits = bitsOf(*value, type);
  return bits ? std::string() : "the constant is " + bits.error().message;
}

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

bool OptionUse::asksModules() const {
  return constants_.asksModules() ||
         std::ranges::any_of(options_.steps, [](const PipelineStep& step) {
           return step.flag.starts_with(kSetDefault);
         });
}

void OptionUse::see(const Module& module) {
  constants_.see(module);
  std::optional<std::map<uint32_t, SpecType>> types; // once they are asked for
  for (const PipelineStep& step : options_.steps) {
    if (!step.flag.starts_with(kSetDefault)) continue;
    if (!types) types = specTypesOf(module);
    std::istringstream list(step.flag.substr(kSetDefault.size()));
    for (std::string text; list >> text;) {
      Default& one = defaults_[text];
      uint32_t specId = 0; // SPIRV-Tools has read it
      std::from_chars(text.data(), text.data() + text.size(), specId);
      const auto type = types->find(specId);
      if (type == types->end()) continue;
      const std::string why = whyNotSet(text.substr(text.find(':') + 1), type->second);
      one.isSet |= why.empty();
      if (one.reason.empty()) one.reason = why;
    }
  }
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
  for (const auto& [text, one] : defaults_)
    if (!one.isSet) unused.push_back(fmt::format("{}{}", kSetDefault, text));
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
  for (const auto& [text, one] : defaults_)
    if (!one.isSet)
      warnings.push_back(
          warning("default-not-set",
                  fmt::format("{}{}: {}", kSetDefault, text,
                              one.reason.empty() ? "the module has no such specialization constant"
                                                 : one.reason + "; it keeps its default")));
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
  if (option.starts_with(kSetDefault))
    return fmt::format("{}: no module has a constant that takes it", option);
  return fmt::format("{}: it matches nothing that the pass could rewrite in any module", option);
}

} // namespace lanewise::driver
