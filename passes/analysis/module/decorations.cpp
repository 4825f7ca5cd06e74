#include "analysis/module/decorations.h"

#include <algorithm>

namespace lanewise {

namespace {

/// The whole first, then the members ascending: kNoMember + 1 is 0.
uint32_t memberOrder(const Decoration& d) {
  return d.member + 1;
}
bool byMember(const Decoration& a, const Decoration& b) {
  return memberOrder(a) < memberOrder(b);
}

/// Decorations of the groups, in the order of their groups' ids.
class Groups {
public:
  Groups(const Module& module, const std::vector<Decoration>& found) {
    for (const Decoration& d : found)
      if (d.member == Decoration::kNoMember &&
          module.opcodeOf(d.target) == spv::Op::OpDecorationGroup)
        list_.push_back(d);
    std::stable_sort(list_.begin(), list_.end(),
                     [](const Decoration& a, const Decoration& b) { return a.target < b.target; });
  }
  std::span<const Decoration> of(Id group) const {
    auto [first, last] = std::equal_range(
        list_.begin(), list_.end(), Decoration{group},
        [](const Decoration& a, const Decoration& b) { return a.target < b.target; });
    return {first, last};
  }

private:
  std::vector<Decoration> list_;
};

void expandGroups(const Module& module, std::span<const InstRef> uses,
                  std::vector<Decoration>& found) {
  const Groups groups(module, found);
  for (InstRef i : uses) {
    const std::span<const uint32_t> w = module.inst(i);
    const bool members = module.opcode(i) == spv::Op::OpGroupMemberDecorate;
    const size_t step = members ? 2 : 1;
    for (size_t at = 2; at + step <= w.size(); at += step)
      for (Decoration d : groups.of(Id(w[1]))) {
        d.target = Id(w[at]);
        if (members) d.member = w[at + 1];
        found.push_back(d);
      }
  }
}

} // namespace

Decorations::Decorations(const Module& module) {
  std::vector<Decoration> found;
  std::vector<InstRef> groupUses;
  for (InstRef i : module.globals()) {
    const OpcodeFacts& facts = module.facts(i);
    if (facts.opClass != OpClass::Annotation && facts.opClass != OpClass::Debug) continue;
    const std::span<const uint32_t> w = module.inst(i);
    switch (facts.opcode) {
    case spv::Op::OpName:
      if (w[1] >= module.idBound()) break;
      if (w[1] >= names_.size()) names_.resize(size_t(w[1]) + 1);
      if (!names_[w[1]]) names_[w[1]] = i;
      break;
    case spv::Op::OpDecorate:
    case spv::Op::OpDecorateId:
    case spv::Op::OpDecorateString:
      found.push_back({Id(w[1]), Decoration::kNoMember, spv::Decoration(w[2]), i, 3});
      break;
    case spv::Op::OpMemberDecorate:
    case spv::Op::OpMemberDecorateString:
      found.push_back({Id(w[1]), w[2], spv::Decoration(w[3]), i, 4});
      break;
    case spv::Op::OpGroupDecorate:
    case spv::Op::OpGroupMemberDecorate:
      groupUses.push_back(i);
      break;
    default:
      break;
    }
  }
  if (!groupUses.empty()) expandGroups(module, groupUses, found);
  std::erase_if(found, [&](const Decoration& d) { return d.target.value >= module.idBound(); });
  // As names_, up to the last id that has any: declarations mostly, which have the least ids.
  Id last;
  for (const Decoration& d : found) last = std::max(last, d.target);
  start_.assign(size_t(last.value) + 2, 0);
  sort(found);
}

void Decorations::sort(const std::vector<Decoration>& found) {
  for (const Decoration& d : found) ++start_[d.target.value + 1];
  for (size_t id = 1; id < start_.size(); ++id) start_[id] += start_[id - 1];
  list_.resize(found.size());
  std::vector<uint32_t> next(start_.begin(), start_.end() - 1);
  for (const Decoration& d : found) list_[next[d.target.value]++] = d;

  // Most modules list members in order already.
  for (const Decoration& d : found) {
    const auto first = list_.begin() + start_[d.target.value];
    const auto last = list_.begin() + start_[d.target.value + 1];
    uint32_t& done = next[d.target.value];
    if (last - first < 2 || done == UINT32_MAX) continue;
    done = UINT32_MAX;
    if (!std::is_sorted(first, last, byMember)) std::stable_sort(first, last, byMember);
  }
}

std::span<const Decoration> Decorations::ofMember(Id structType, uint32_t member) const {
  const std::span<const Decoration> all = of(structType);
  if (all.empty()) return all;
  auto [first, last] = std::equal_range(all.begin(), all.end(), Decoration{Id(), member}, byMember);
  return {first, last};
}

bool Decorations::hasMember(Id target, uint32_t member, spv::Decoration d) const {
  const std::span<const Decoration> all = ofMember(target, member);
  return std::any_of(all.begin(), all.end(),
                     [&](const Decoration& x) { return x.decoration == d; });
}

std::optional<uint32_t> Decorations::operand(const Module& module, Id target, spv::Decoration d,
                                             uint32_t member) const {
  for (const Decoration& x : ofMember(target, member))
    if (x.decoration == d && x.operandWord < module.wordCount(x.inst))
      return module.word(x.inst, x.operandWord);
  return std::nullopt;
}

std::optional<spv::BuiltIn> Decorations::builtIn(const Module& module, Id target) const {
  const auto value = operand(module, target, spv::Decoration::BuiltIn);
  if (!value) return std::nullopt;
  return spv::BuiltIn(*value);
}

std::string_view Decorations::name(const Module& module, Id id) const {
  if (id.value >= names_.size() || !names_[id.value]) return {};
  return module.stringAt(names_[id.value], 2);
}

std::string_view Decorations::memberName(const Module& module, Id structType, uint32_t member) {
  for (InstRef i : module.globals())
    if (module.opcode(i) == spv::Op::OpMemberName && module.idAt(i, 1) == structType &&
        module.word(i, 2) == member)
      return module.stringAt(i, 3);
  return {};
}

} // namespace lanewise
