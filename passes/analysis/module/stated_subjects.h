// What the facts that the user states of the inputs (`--assume`) name in a module. Passes that rest
// on a fact and verification that checks it both ask here, so that a name means the same to them.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"
#include "lanewise/assumptions.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// What one fact names. Of the number of workgroups there is nothing to say.
struct StatedSubject {
  /// Of a member of the push-constant block: bytes from its start. Not for a name that no block
  /// has.
  std::optional<uint32_t> offset;
  /// Of a buffer: the variables that stand for it, or for the array of descriptors, ascending.
  std::vector<Id> buffers;
  /// The things that the name may mean, where they are several: "0.1, 0.2" by set and binding, or
  /// "push.0, push.4". Nothing is stated of any of them then.
  std::string ambiguous;
  bool operator==(const StatedSubject&) const = default;
};

/// The subjects of all that Assumptions::stated holds.
class StatedSubjects {
public:
  static constexpr std::string_view kAnalysisName = "StatedSubjects";

  explicit StatedSubjects(Analyses& analyses);

  const StatedSubject& of(size_t fact) const { return subjects_[fact]; }

  bool operator==(const StatedSubjects&) const = default;

private:
  std::vector<StatedSubject> subjects_; ///< by fact
};

/// One sentence for people on a fact that is not used: its name is ambiguous, or the module has
/// nothing of that name.
std::string explainUnused(const StatedFact& fact, const StatedSubject& subject);

} // namespace lanewise
