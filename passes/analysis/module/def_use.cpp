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
  uint32_t* const counts = start_.data();
  for (InstRef i : module.insts())
    module.forEachIdOperand(i, [&next, counts, i](uint32_t word, Id id) {
      ++counts[id.value];
      *next++ = {id.value, i.value, word};
    });
  const std::span<const Found> found(room.get(), next);
  uint32_t* const start = start_.data();
  for (size_t id = 1; id <= bound; ++id) start[id] += start[id - 1];

  // start[id] is where the uses of `id` end. Filled from behind, it becomes where they begin.
  uses_.resize(found.size());
  Use* const uses = uses_.data();
  for (size_t n = found.size(); n-- > 0;)
    uses[--start[found[n].id]] = {InstRef(found[n].user), found[n].word};
}

} // namespace lanewise
