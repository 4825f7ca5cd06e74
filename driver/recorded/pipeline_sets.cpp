#include "recorded/pipeline_sets.h"

#include "recorded/freeze.h"
#include "support/failure.h"
#include "support/files.h"
#include "support/sha256.h"
#include "verify/program/specialize.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace lanewise::driver {

namespace {

/// What a module has of one SpecId: a constant, or several of one type.
struct SpecConstant {
  std::optional<uint64_t> bits; ///< their default, where they agree on it
  uint32_t bytes = 0;           ///< of a value, as VkSpecializationInfo has it
};

std::map<uint32_t, SpecConstant> specConstantsOf(const Module& module) {
  std::map<uint32_t, SpecConstant> constants;
  for (InstRef i : module.globals()) {
    const bool isSpecId = module.opcode(i) == spv::Op::OpDecorate && module.wordCount(i) >= 4 &&
                          spv::Decoration(module.word(i, 2)) == spv::Decoration::SpecId;
    if (!isSpecId) continue;
    const InstRef def = module.def(module.idAt(i, 1));
    if (!def) continue;
    SpecConstant constant{0, sizeof(uint32_t)}; // a VkBool32
    if (module.opcode(def) == spv::Op::OpSpecConstant) {
      constant.bits = module.word(def, 3);
      if (module.wordCount(def) > 4) *constant.bits |= uint64_t(module.word(def, 4)) << 32;
      constant.bytes = module.word(module.def(module.resultType(def)), 2) / 8;
    } else {
      constant.bits = module.opcode(def) == spv::Op::OpSpecConstantTrue;
    }
    const auto [known, isNew] = constants.try_emplace(module.word(i, 3), constant);
    if (known->second.bits != constant.bits) known->second.bits.reset();
  }
  return constants;
}

size_t entryPointsOf(const Module& module) {
  size_t count = 0;
  for (InstRef i : module.globals()) count += module.opcode(i) == spv::Op::OpEntryPoint;
  return count;
}

/// How many workgroups run with a set. Where nobody counted any, all weigh the same.
void weigh(std::vector<PipelineSet>& sets) {
  const bool isCounted =
      std::any_of(sets.begin(), sets.end(), [](const PipelineSet& s) { return s.workgroups > 0; });
  for (PipelineSet& set : sets)
    if (!isCounted) set.workgroups = 1;
  std::stable_sort(sets.begin(), sets.end(), [](const PipelineSet& a, const PipelineSet& b) {
    return a.workgroups > b.workgroups;
  });
}

/// Integers of a file are bits, a negative one those of two's complement.
Status checkBits(const std::map<uint32_t, SpecType>& types, SpecValues& values) {
  // As bits of floats these are nothing that a shader counts with, as numbers what people write.
  constexpr uint64_t kNoFloats = 4096;
  for (auto& [id, value] : values) {
    const SpecType& type = types.at(id);
    if (value.form != SpecValue::Form::Bits) continue;
    // A negative double is a large negative integer.
    const uint64_t magnitude = value.isNegative ? 0 - value.bits : value.bits;
    const bool isNumber =
        (value.isNegative && type.width < 64) || (magnitude != 0 && magnitude <= kNoFloats);
    if (type.kind == SpecType::Kind::Float && isNumber)
      return failure(
          fmt::format("constants: {0} = {1}: constant {0} is {2}, and an integer here is "
                      "the bits of its value; write {1}.0",
                      id, value.text, describe(type)));
    // Of 64 bits the sign may be the highest bit of an unsigned one.
    if (value.isNegative && type.width < 64) value.form = SpecValue::Form::Whole;
  }
  return ok();
}

/// The constants of a pipeline, with the bits that their types make of what stands in a file,
/// unless `given` says what counts.
Result<std::map<uint32_t, uint64_t>> constantsOf(const RecordedPipeline& pipeline,
                                                 const Module& module,
                                                 const std::map<uint32_t, SpecType>& types,
                                                 Assumptions given) {
  std::map<uint32_t, uint64_t> constants = pipeline.constants;
  SpecValues written = pipeline.written;
  std::erase_if(written, [&](const auto& one) {
    return !types.contains(one.first) || given.specConstants.contains(one.first);
  });
  Status settled = checkBits(types, written);
  if (settled) settled = settle(module, written, ValuesFrom::Pipelines, given);
  if (!settled) return failure(fmt::format("{}: {}", pipeline.place, settled.error().message));
  for (const auto& [id, value] : written) constants[id] = given.specConstants.at(id);
  return constants;
}

} // namespace

std::string PipelineSet::describe() const {
  std::string text;
  for (const auto& [id, bits] : constants)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", id, bits);
  if (text.empty()) text = "no constants";
  if (subgroupSize != 0) text += fmt::format(", subgroups of {}", subgroupSize);
  return text;
}

Result<std::vector<PipelineSet>> setsOf(const RecordedPipelines& pipelines, const std::string& path,
                                        std::span<const uint32_t> words, const Module& module,
                                        const std::string& entry, const Assumptions& given) {
  const std::string hash = hexOf(
      sha256(std::string_view(reinterpret_cast<const char*>(words.data()), words.size_bytes())));
  const std::map<uint32_t, SpecConstant> declared = specConstantsOf(module);
  const std::map<uint32_t, SpecType> types = specTypesOf(module);
  const bool hasOneEntry = entryPointsOf(module) == 1;
  std::vector<PipelineSet> sets;
  for (const RecordedPipeline& p : pipelines) {
    const bool isIts = p.module.empty() ? isSameFile(p.file, path) : hash.starts_with(p.module);
    if (!isIts || (!entry.empty() && !p.entry.empty() && p.entry != entry)) continue;
    const auto constants = constantsOf(p, module, types, given);
    if (!constants) return constants.error();
    PipelineSet set{hasOneEntry ? "" : p.entry, given, {}, p.subgroupSize, 0, {}};
    for (const auto& [id, constant] : declared) {
      const auto named = constants->find(id);
      if (named != constants->end()) {
        set.constants.insert(*named);
        set.assumptions.specConstants.insert(*named);
      } else if (constant.bits) {
        set.assumptions.specConstants.try_emplace(id, *constant.bits);
      }
    }
    // Of another entry point it would be wrong, and constants say it of each.
    if (hasOneEntry && !set.assumptions.workgroupSize)
      set.assumptions.workgroupSize = p.workgroupSize;
    auto same = std::find_if(sets.begin(), sets.end(), [&](const PipelineSet& s) {
      return s.entry == set.entry && s.subgroupSize == set.subgroupSize &&
             s.assumptions.specConstants == set.assumptions.specConstants &&
             s.assumptions.workgroupSize == set.assumptions.workgroupSize;
    });
    if (same == sets.end()) same = sets.insert(same, std::move(set));
    same->workgroups += p.workgroups();
    if (!p.name.empty()) same->names.push_back(p.name);
  }
  weigh(sets);
  return sets;
}

Result<std::vector<uint32_t>> frozenFor(const PipelineSet& set, const Module& module) {
  std::map<uint32_t, std::string> values;
  for (const auto& [id, constant] : specConstantsOf(module)) {
    const auto value = set.assumptions.specConstants.find(id);
    if (value == set.assumptions.specConstants.end()) continue; // each has its own
    const uint64_t bits = value->second;
    std::string bytes(constant.bytes, '\0');
    std::memcpy(bytes.data(), &bits, std::min(bytes.size(), sizeof bits));
    values[id] = std::move(bytes);
  }
  const auto words = module.words();
  return freezeConstants({words.begin(), words.end()}, values);
}

} // namespace lanewise::driver
