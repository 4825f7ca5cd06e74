// Types that are no aggregates are declared once (SPIR-V 2.8).

#include "ir/newer_enumerants.h"
#include "text/format_text.h"
#include "validity/module_rules.h"

#include <algorithm>
#include <unordered_map>

namespace lanewise::validity {

namespace {

using spv::Op;

bool mustBeUnique(Op op) {
  switch (op) {
  case Op::OpTypeArray:
  case Op::OpTypeRuntimeArray:
  case Op::OpTypeStruct:
  case Op::OpTypePointer:
    return false;
  default:
    return (op >= Op::OpTypeVoid && op < Op::OpTypePipe) ||
           op == newer::Op::OpTypeCooperativeMatrixKHR;
  }
}

/// The declaration but for its result.
struct Declaration {
  std::span<const uint32_t> words;
  bool operator==(const Declaration& o) const {
    return words[0] == o.words[0] &&
           std::equal(words.begin() + 2, words.end(), o.words.begin() + 2, o.words.end());
  }
};
struct HashDeclaration {
  size_t operator()(const Declaration& d) const {
    uint64_t hash = d.words[0];
    for (uint32_t word : d.words.subspan(2))
      hash = (hash ^ word) * 0x9E3779B97F4A7C15 + (hash >> 29);
    return size_t(hash);
  }
};

} // namespace

bool checkDuplicates(Subject& s) {
  const Module& m = s.module;
  if (s.declared.hasExtension("SPV_VALIDATOR_ignore_type_decl_unique")) return true;
  std::unordered_map<Declaration, Id, HashDeclaration> seen;
  for (InstRef i : m.globals()) {
    if (!mustBeUnique(m.opcode(i)) || m.isUnknown(i)) continue;
    const auto [first, isNew] = seen.emplace(Declaration{m.inst(i)}, m.resultId(i));
    if (!isNew)
      return s.fail(i, formatText("declares {} again, which is %{}", describeType(m, m.resultId(i)),
                                  first->second.value));
  }
  return true;
}

} // namespace lanewise::validity
