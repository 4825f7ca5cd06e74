// Variables in memory whose value is known: stored once as a whole, or never and initialized.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <unordered_map>

namespace lanewise {

/// Conservative: says nothing of a variable that it does not fully understand. Looks at a variable
/// when it is asked for it.
class SingleStores {
public:
  explicit SingleStores(Analyses& analyses) : analyses_(analyses) {}

  /// The whole value that variable `variable` holds when `load` reads it (the variable or a part of
  /// it): what the variable's only store wrote, when the store is executed before the load on every
  /// path; or the initializer, when nothing is stored. Null when it is not known. Function
  /// variables, and Private ones that are only initialized.
  Id valueAt(Id variable, InstRef load);

private:
  struct Contents {
    Id value;      ///< null: not known
    InstRef store; ///< null: `value` is the initializer
  };
  Contents inspect(Id variable) const;

  Analyses& analyses_;
  std::unordered_map<Id, Contents> contents_;
};

} // namespace lanewise
