#include "ir/module.h"

#include "ir/operand_walk.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lanewise {
namespace {

static_assert(std::endian::native == std::endian::little, "stringAt() reads strings in place");

/// The string at the start of `words`; what fits if it has no nul.
std::string_view stringIn(std::span<const uint32_t> words) {
  const char* text = reinterpret_cast<const char*>(words.data());
  size_t room = words.size() * sizeof(uint32_t);
  const void* nul = std::memchr(text, 0, room);
  return {text, nul ? size_t(static_cast<const char*>(nul) - text) : room};
}

} // namespace

std::string_view Module::stringAt(InstRef i, uint32_t n) const {
  std::span<const uint32_t> words = inst(i);
  return n < words.size() ? stringIn(words.subspan(n)) : std::string_view();
}

bool Module::declares(spv::Capability capability) const {
  for (InstRef i : globals()) {
    if (opcode(i) != spv::Op::OpCapability) break; // they come first (SPIR-V 2.4)
    if (spv::Capability(word(i, 1)) == capability) return true;
  }
  return false;
}

BlockRef Module::blockOfLabel(Id label) const {
  InstRef d = def(label);
  return d && opcode(d) == spv::Op::OpLabel ? blockOf(d) : BlockRef();
}

FunctionRef Module::functionOfId(Id id) const {
  InstRef d = def(id);
  if (!d || opcode(d) != spv::Op::OpFunction) return {};
  auto at = std::lower_bound(functions_.begin() + 1, functions_.end(), d,
                             [](const Function& f, InstRef i) { return f.insts.first < i; });
  return FunctionRef(uint32_t(at - functions_.begin()));
}

bool Module::isUnknown(InstRef i) const {
  return std::binary_search(unknown_.begin(), unknown_.end(), i);
}

// SPV_KHR_cooperative_matrix lets what takes or gives a matrix run only where all invocations of
// its scope are active, or none. SPV_NV_cooperative_matrix2: the functions that some of them call
// back do what they like.
Effect Module::effectsAmongCooperativeMatrices(InstRef i) const {
  const OpcodeFacts& f = facts(i);
  if (f.opClass != OpClass::Value || opcode(i) == spv::Op::OpPhi) return f.effects;
  bool isOfThem = isCooperative(resultType(i)), callsBack = false;
  forEachIdOperand(i, [&](uint32_t, Id id) {
    const InstRef d = def(id);
    if (!d) return;
    isOfThem = isOfThem || isCooperative(typeOf(id));
    callsBack = callsBack || opcode(d) == spv::Op::OpFunction;
  });
  if (!isOfThem) return f.effects;
  return callsBack ? kEveryEffect : f.effects | Effect::Subgroup;
}

void Module::parseIdOperands(InstRef i, void (*visit)(void*, uint32_t), void* context) const {
  std::span<const uint32_t> w = inst(i);
  const OpcodeFacts& f = facts(i);
  if (hasUnknown() && isUnknown(i)) {
    for (uint32_t n = 1u + f.hasResultType + f.hasResult; n < w.size(); ++n)
      if (w[n] != 0 && w[n] < idBound()) visit(context, n);
    return;
  }
  detail::IdVisitor ids([&](uint32_t n) { visit(context, n); });
  detail::OperandWalk walk(*this, w, ids);
  walk.run(f);
}

} // namespace lanewise
