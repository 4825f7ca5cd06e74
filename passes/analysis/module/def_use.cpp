#include "analysis/module/def_use.h"

#include <memory>

namespace lanewise {

DefUse::DefUse(const Module& module) {
  // Operands are parsed once, into a list in module order; a counting sort by id then keeps that
  // order.
  struct Found {
    uint32_t id, user, word;
  };
  const uint32_t bound = module.idBound();
  start_.assign(size_t(bound) + 1, 0);
  // No instruction has more operands than words. Ids are within the bound: the reader and the
  // operand walk see to that.
  const auto room = std::make_unique_for_overwrite<Found[]>(module.words().size());
  Found* next = room.get();
  uint32_t* const counts = start_.data() + 1;
  for (InstRef i : module.insts())
    module.forEachIdOperand(i, [&next, counts, i](uint32_t word, Id id) {
      ++counts[id.value];
      *next++ = {id.value, i.value, word};
    });
  const std::span<const Found> found(room.get(), next);
  for (size_t id = 1; id < start_.size(); ++id) start_[id] += start_[id - 1];

  // While scattering, start_[id] is the next free slot of `id`: at the end it is the start of id +
  // 1, and moving all by one gives the starts back.
  uses_.resize(found.size());
  for (const Found& f : found) uses_[start_[f.id]++] = {InstRef(f.user), f.word};
  for (size_t id = start_.size() - 1; id > 0; --id) start_[id] = start_[id - 1];
  start_[0] = 0;
}

} // namespace lanewise
