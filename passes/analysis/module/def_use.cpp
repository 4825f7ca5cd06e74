#include "analysis/module/def_use.h"

namespace lanewise {

DefUse::DefUse(const Module& module) {
  // Operands are parsed once, into a list in module order; a counting sort by id then keeps that
  // order.
  struct Found {
    uint32_t id;
    Use use;
  };
  const uint32_t bound = module.idBound();
  std::vector<Found> found; // ids are within the bound: the reader and the operand walk see to that
  found.reserve(module.words().size() * 2 / 3);
  start_.assign(size_t(bound) + 1, 0);
  for (InstRef i : module.insts()) {
    module.forEachIdOperand(i, [&](uint32_t word, Id id) {
      ++start_[id.value + 1];
      found.push_back({id.value, {i, word}});
    });
  }
  for (size_t id = 1; id < start_.size(); ++id) start_[id] += start_[id - 1];

  // While scattering, start_[id] is the next free slot of `id`: at the end it is the start of id +
  // 1, and moving all by one gives the starts back.
  uses_.resize(found.size());
  for (const Found& f : found) uses_[start_[f.id]++] = f.use;
  for (size_t id = start_.size() - 1; id > 0; --id) start_[id] = start_[id - 1];
  start_[0] = 0;
}

} // namespace lanewise
