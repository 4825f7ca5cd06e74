#include "analysis/module/specialization.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "lanewise/assumptions.h"
#include "text/format_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <map>
#include <vector>

namespace lanewise {

std::set<uint32_t> specIdsOf(Analyses& analyses, Id constant) {
  const Module& module = analyses.module();
  std::set<uint32_t> ids;
  std::set<Id> seen{constant};
  std::vector<Id> work{constant};
  while (!work.empty()) {
    const Id id = work.back();
    work.pop_back();
    const InstRef def = module.def(id);
    if (!def) continue;
    if (const auto specId =
            analyses.get<Decorations>().operand(module, id, spv::Decoration::SpecId))
      ids.insert(*specId);
    module.forEachIdOperand(def, [&](uint32_t, Id operand) {
      if (seen.insert(operand).second) work.push_back(operand);
    });
  }
  return ids;
}

void collectOpenLengths(Analyses& analyses, Id type, std::set<Id>& lengths) {
  const TypeInfo& info = analyses.get<Types>().info(type);
  if (info.kind == TypeInfo::Kind::Array) {
    if (!analyses.get<Constants>().literal(info.length)) lengths.insert(info.length);
    return collectOpenLengths(analyses, info.element, lengths);
  }
  if (info.kind != TypeInfo::Kind::Struct) return;
  for (uint32_t m = 0; m < info.count; ++m)
    collectOpenLengths(analyses, analyses.get<Types>().member(type, m), lengths);
}

uint32_t openLengthsAlong(Analyses& analyses, Id type) {
  const TypeInfo& info = analyses.get<Types>().info(type);
  if (info.kind == TypeInfo::Kind::Array)
    return uint32_t(!analyses.get<Constants>().literal(info.length)) +
           openLengthsAlong(analyses, info.element);
  uint32_t most = 0;
  for (uint32_t m = 0; info.kind == TypeInfo::Kind::Struct && m < info.count; ++m)
    most = std::max(most, openLengthsAlong(analyses, analyses.get<Types>().member(type, m)));
  return most;
}

std::optional<uint32_t> workgroupDimension(Analyses& analyses, const EntryPoint& entry,
                                           Id constant) {
  const Module& module = analyses.module();
  constexpr uint32_t kFirst = 3; // word of the first dimension, of a composite and of LocalSizeId
  auto namedIn = [&](InstRef i) -> std::optional<uint32_t> {
    for (uint32_t w = kFirst; w < module.wordCount(i); ++w)
      if (module.idAt(i, w) == constant) return w - kFirst;
    return std::nullopt;
  };
  const InstRef def = module.def(constant);
  auto extractedFrom = [&](Id composite) -> std::optional<uint32_t> {
    // OpSpecConstantOp: type, result, opcode, composite, index.
    const bool isExtract = def && module.opcode(def) == spv::Op::OpSpecConstantOp &&
                           spv::Op(module.word(def, 3)) == spv::Op::OpCompositeExtract &&
                           module.idAt(def, 4) == composite;
    return isExtract ? std::optional(module.word(def, 5)) : std::nullopt;
  };
  const Decorations& decorations = analyses.get<Decorations>();
  std::optional<uint32_t> local;
  for (InstRef i : module.globals()) {
    const Id id = module.resultId(i);
    if (id && !decorations.of(id).empty() &&
        decorations.builtIn(module, id) == spv::BuiltIn::WorkgroupSize) {
      const auto named = namedIn(i);
      return named ? named : extractedFrom(id); // goes before LocalSizeId
    }
    if (module.opcode(i) == spv::Op::OpExecutionModeId &&
        module.idAt(i, 1) == module.functionId(entry.function) &&
        spv::ExecutionMode(module.word(i, 2)) == spv::ExecutionMode::LocalSizeId)
      local = namedIn(i);
  }
  return local;
}

namespace {

/// As the command line takes a value of the type, from the bits that were given.
std::string specValueText(const TypeInfo& type, uint64_t bits) {
  if (type.kind == TypeInfo::Kind::Bool) return bits != 0 ? "true" : "false";
  if (type.kind == TypeInfo::Kind::Int && type.isSigned)
    return std::to_string(int64_t(bits << (64 - type.width)) >> (64 - type.width));
  if (type.kind != TypeInfo::Kind::Float) return std::to_string(bits);
  char text[32];
  char* end = text;
  if (type.width == 32)
    end = std::to_chars(text, std::end(text), std::bit_cast<float>(uint32_t(bits))).ptr;
  if (type.width == 64) end = std::to_chars(text, std::end(text), std::bit_cast<double>(bits)).ptr;
  return end == text ? "VALUE" : std::string(text, end);
}

/// Of the workgroup sizes that were given as a whole.
std::optional<uint32_t> workgroupLength(Analyses& analyses, Id constant) {
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all())
    if (entry.workgroupSize)
      if (const auto dimension = workgroupDimension(analyses, entry, constant))
        return entry.workgroupSize->size[*dimension];
  return std::nullopt;
}

} // namespace

std::string optionsToFreeze(Analyses& analyses, const std::set<Id>& constants) {
  const Module& module = analyses.module();
  std::set<uint32_t> needed;
  for (Id constant : constants) needed.merge(specIdsOf(analyses, constant));
  const auto& given = analyses.assumptions().specConstants;
  std::map<uint32_t, std::string> values;
  for (InstRef i : module.globals()) {
    const Id id = module.resultId(i);
    if (!id) continue;
    const auto specId = analyses.get<Decorations>().operand(module, id, spv::Decoration::SpecId);
    if (!specId) continue;
    if (const auto value = given.find(*specId); value != given.end())
      values[*specId] = specValueText(analyses.get<Types>().info(module.typeOf(id)), value->second);
    else if (const auto length = workgroupLength(analyses, id))
      values[*specId] = std::to_string(*length);
    else if (needed.count(*specId) != 0)
      values[*specId] = "VALUE";
  }
  std::string list;
  for (const auto& [id, value] : values)
    list += formatText("{}{}:{}", list.empty() ? "" : " ", id, value);
  return formatText("--set-spec-const-default-value='{}' --freeze-spec-const", list);
}

} // namespace lanewise
