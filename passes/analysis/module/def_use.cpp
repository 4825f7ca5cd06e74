#include "analysis/module/def_use.h"

namespace lanewise {

DefUse::DefUse(const Module& module) {
  // A counting sort by id, in the order of the module. Operands are parsed twice: a list of them
  // would be larger than all that is made of it. Ids are within the bound: the reader and the
  // operand walk see to that.
  const uint32_t bound = module.idBound();
  start_.assign(size_t(bound) + 2, 0);
  uint32_t* const start = start_.data();
  for (InstRef i : module.insts())
    module.forEachIdOperand(i, [start](uint32_t, Id id) { ++start[id.value + 2]; });
  for (size_t n = 2; n < start_.size(); ++n) start[n] += start[n - 1];
  uses_.resize(start_.back());

  // start[id + 1] is where the uses of `id` begin, and becomes where they end.
  Use* const uses = uses_.data();
  for (InstRef i : module.insts())
    module.forEachIdOperand(i, [start, uses, i](uint32_t word, Id id) {
      uses[start[id.value + 1]++] = {i, word};
    });
  start_.pop_back();
}

} // namespace lanewise
