// Which code an atomic's result decides over. An invocation that is told by an atomic that it is
// the last one to come goes on alone, whatever the memory model says of those before it.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace lanewise::driver::interpreter {

class Tickets {
public:
  /// The analyses must outlive it; nothing is asked of them afterwards that is not known by then.
  explicit Tickets(Analyses& analyses);
  ~Tickets();

  /// Whether a branch that depends on what `atomic` gave decides that an invocation comes to
  /// `block`: by operands, variables, calls. Of several threads at a time.
  bool decides(InstRef atomic, BlockRef block);

private:
  class Consequences;
  const Module& module_;
  std::mutex mutex_;
  std::unique_ptr<Consequences> consequences_;
  std::map<InstRef, std::vector<bool>> decided_; ///< by atomic, then by BlockRef
};

} // namespace lanewise::driver::interpreter
