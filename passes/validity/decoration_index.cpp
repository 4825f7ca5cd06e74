#include "validity/decoration_index.h"

#include <algorithm>
#include <tuple>

namespace lanewise::validity {

namespace {

using spv::Op;

auto keyOf(const DecorationIndex::Entry& e) {
  return std::tuple(e.target, e.member, uint32_t(e.decoration), e.at);
}
bool isBefore(const DecorationIndex::Entry& a, const DecorationIndex::Entry& b) {
  return keyOf(a) < keyOf(b);
}

} // namespace

DecorationIndex::DecorationIndex(const Module& module) {
  bool hasGroups = false;
  const auto add = [&](InstRef i, uint32_t member, uint32_t at) {
    entries_.push_back({module.idAt(i, 1), member, spv::Decoration(module.word(i, at)),
                        at + 1 < module.wordCount(i) ? module.word(i, at + 1) : 0, i, false});
  };
  for (InstRef i : module.globals()) {
    switch (module.opcode(i)) {
    case Op::OpDecorate:
    case Op::OpDecorateId:
    case Op::OpDecorateString:
      add(i, kWhole, 2);
      break;
    case Op::OpMemberDecorate:
    case Op::OpMemberDecorateString:
      add(i, module.word(i, 2), 3);
      break;
    case Op::OpGroupDecorate:
    case Op::OpGroupMemberDecorate:
      hasGroups = true;
      break;
    default:
      break;
    }
  }
  std::sort(entries_.begin(), entries_.end(), isBefore);
  if (hasGroups) expandGroups(module);
}

void DecorationIndex::expandGroups(const Module& module) {
  const size_t most = entries_.size() + 16 * module.words().size();
  std::vector<Entry> added;
  for (InstRef i : module.globals()) {
    const Op op = module.opcode(i);
    if (op != Op::OpGroupDecorate && op != Op::OpGroupMemberDecorate) continue;
    const uint32_t step = op == Op::OpGroupDecorate ? 1 : 2;
    const Id group = module.idAt(i, 1);
    const auto first =
        std::lower_bound(entries_.begin(), entries_.end(), group,
                         [](const Entry& e, Id target) { return e.target < target; });
    for (uint32_t word = 2; word + step <= module.wordCount(i); word += step)
      for (auto e = first; e != entries_.end() && e->target == group; ++e) {
        if (added.size() >= most) {
          complete_ = false;
          break;
        }
        const uint32_t member = step == 2 ? module.word(i, word + 1) : e->member;
        added.push_back({module.idAt(i, word), member, e->decoration, e->value, e->at, true});
      }
  }
  entries_.insert(entries_.end(), added.begin(), added.end());
  std::sort(entries_.begin(), entries_.end(), isBefore);
}

const DecorationIndex::Entry* DecorationIndex::find(Id target, spv::Decoration decoration,
                                                    uint32_t member) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(),
                                   std::tuple(target, member, uint32_t(decoration), InstRef()),
                                   [](const Entry& e, const auto& key) { return keyOf(e) < key; });
  const bool found = at != entries_.end() && at->target == target && at->member == member &&
                     at->decoration == decoration;
  return found ? &*at : nullptr;
}

} // namespace lanewise::validity
