// Which of the options that name something in a module name nothing there: a mistake that the
// output does not show.
#pragma once

#include "input/constant_use.h"
#include "ir/module.h"
#include "lanewise/remarks.h"
#include "pipeline/optimize_options.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// Watches one or more modules while they are optimized.
class OptionUse {
public:
  /// `options` may be set later, before the first module is seen.
  explicit OptionUse(const OptOptions& options)
      : options_(options), constants_(options.constants) {}

  /// For PipelineOptions::onSite; this must outlive it.
  SiteListener listener();
  /// Whose constants and sizes may be given.
  void see(const Module& module);
  /// Whether see() looks for anything.
  bool asksModules() const;

  /// Of OptOptions::typed: "--skip=pad-shared-memory:tile", in the order in which they were typed;
  /// then of the constants and sizes.
  std::vector<std::string> unused() const;
  /// One for each of those, with what there is instead.
  Remarks warnings() const;

private:
  using Typed = std::pair<std::string, std::string>;
  /// A value of --set-spec-const-default-value, which passes over in silence what it cannot set.
  struct Default {
    bool isSet = false;      ///< in some module
    std::string reason = {}; ///< why not, of the first module that has the constant
  };
  bool isUsed(const Typed& typed) const;
  std::string whatThereIs(const Typed& typed) const;

  const OptOptions& options_;
  std::map<std::string, std::set<std::string>, std::less<>> sites_; ///< by pass
  ConstantUse constants_;
  std::map<std::string, Default> defaults_; ///< by "7:32"
};

/// The same where nothing is known but that no module uses them.
std::string unusedText(std::string_view option);

/// What to say to people, at a terminal, where modules are only read and written and nothing says
/// that this is meant; empty where it is.
std::string noPassText(const OptOptions& options);

} // namespace lanewise::driver
