#include "analysis/ranges/stated_facts.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/stated_subjects.h"
#include "analysis/module/types.h"
#include "analysis/ranges/input_ranges.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

namespace lanewise {
namespace {

using Subject = StatedFact::Subject;

/// Access chains one behind another that are followed.
constexpr uint32_t kMaxChains = 16;

/// The way from a variable to the scalar that an instruction gives a component of: an OpLoad, and
/// what takes its parts.
struct Access {
  Id variable;
  std::vector<uint64_t> indices; ///< the outermost first
};

/// Nothing where an index of the way is not literal.
std::optional<Access> accessOf(Analyses& analyses, InstRef inst) {
  const Module& module = analyses.module();
  const Constants& constants = analyses.get<Constants>();
  Access access;
  std::vector<uint64_t>& reversed = access.indices; // until it is complete
  while (inst && module.opcode(inst) == spv::Op::OpCompositeExtract) {
    for (uint32_t w = module.wordCount(inst); w-- > 4;) reversed.push_back(module.word(inst, w));
    inst = module.def(module.idAt(inst, 3));
  }
  if (!inst || module.opcode(inst) != spv::Op::OpLoad) return std::nullopt;
  inst = module.def(module.idAt(inst, 3));
  for (uint32_t n = 0; n < kMaxChains && inst && isAccessChain(module.opcode(inst)); ++n) {
    for (uint32_t w = module.wordCount(inst); w-- > 4;) {
      const auto index = constants.literal(module.idAt(inst, w));
      if (!index) return std::nullopt;
      reversed.push_back(*index);
    }
    inst = module.def(module.idAt(inst, 3));
  }
  if (!inst || module.opcode(inst) != spv::Op::OpVariable) return std::nullopt;
  access.variable = module.resultId(inst);
  std::reverse(reversed.begin(), reversed.end());
  return access;
}

/// The byte of the push-constant block at which the scalar stands that `component` of the
/// instruction's result is; nothing where it comes from elsewhere or the way to it is not literal.
std::optional<uint64_t> pushOffsetOf(Analyses& analyses, InstRef inst, uint32_t component) {
  const Types& types = analyses.get<Types>();
  auto access = accessOf(analyses, inst);
  if (!access || types.storageOf(access->variable) != spv::StorageClass::PushConstant)
    return std::nullopt;
  Id type = types.pointee(access->variable);
  const Id given = analyses.module().resultType(inst);
  if (types.info(given).kind == TypeInfo::Kind::Vector) access->indices.push_back(component);
  uint64_t offset = 0;
  for (uint64_t index : access->indices) {
    const TypeInfo& info = types.info(type);
    if (info.kind == TypeInfo::Kind::Struct && index < info.count) {
      const auto member = types.offset(type, uint32_t(index));
      if (!member) return std::nullopt;
      offset += *member;
      type = types.member(type, uint32_t(index));
    } else if (info.kind == TypeInfo::Kind::Array && types.arrayStride(type)) {
      offset += index * *types.arrayStride(type);
      type = info.element;
    } else if (info.kind == TypeInfo::Kind::Vector) {
      offset += index * types.info(info.element).width / 8;
      type = info.element;
    } else {
      return std::nullopt;
    }
  }
  return types.info(type).kind == TypeInfo::Kind::Int ? std::optional(offset) : std::nullopt;
}

/// The variable behind a pointer to a buffer, or to one of an array of them.
Id bufferOf(const Module& module, Id pointer) {
  InstRef def = module.def(pointer);
  for (uint32_t n = 0; n < kMaxChains && def; ++n) {
    if (!isAccessChain(module.opcode(def)) && module.opcode(def) != spv::Op::OpCopyObject) break;
    def = module.def(module.idAt(def, 3));
  }
  return def && module.opcode(def) == spv::Op::OpVariable ? module.resultId(def) : Id();
}

/// The size of the workgroup in every entry point that runs the function; 0 where it is not
/// literal.
uint32_t mostInGroup(Analyses& analyses, InstRef inst, uint32_t component) {
  const Module& module = analyses.module();
  const FunctionRef function = module.functionOf(module.blockOf(inst));
  uint32_t most = 0;
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all()) {
    if (!std::binary_search(entry.functions.begin(), entry.functions.end(), function)) continue;
    if (!hasWorkgroups(entry.model) || entry.literalSize[component] == 0) return 0;
    most = std::max(most, entry.literalSize[component]);
  }
  return most;
}

/// What the facts leave of the number of workgroups along a dimension.
IntegerRange groupsAlong(Analyses& analyses, uint32_t component, uint32_t width) {
  IntegerRange groups = IntegerRange::all(width);
  for (const StatedFact& fact : analyses.assumptions().stated)
    if (fact.subject == Subject::Groups && fact.component == component)
      groups = groups.intersected(allowedBy(fact, width, false));
  return groups;
}

/// What bounds of the number of workgroups say of ids.
IntegerRange idsWithin(Analyses& analyses, InstRef inst, const BuiltInPart& part, uint32_t width) {
  const IntegerRange groups = groupsAlong(analyses, part.component, width);
  if (groups.isEmpty() || groups.most() == 0) return IntegerRange::all(width);
  const uint64_t size =
      part.builtIn == spv::BuiltIn::WorkgroupId ? 1 : mostInGroup(analyses, inst, part.component);
  if (size == 0 || groups.most() > groups.mask() / size) return IntegerRange::all(width);
  return IntegerRange::ofUnsigned(width, 0, groups.most() * size - 1);
}

} // namespace

bool speaksOf(Analyses& analyses, size_t fact, InstRef inst, uint32_t component) {
  const Module& module = analyses.module();
  const StatedFact& stated = analyses.assumptions().stated[fact];
  const StatedSubject& subject = analyses.get<StatedSubjects>().of(fact);
  switch (stated.subject) {
  case Subject::PushConstant:
    return subject.offset && pushOffsetOf(analyses, inst, component) == *subject.offset;
  case Subject::Groups: {
    const auto part = builtInOf(analyses, inst, component);
    return part && part->component == stated.component &&
           (part->builtIn == spv::BuiltIn::NumWorkgroups ||
            part->builtIn == spv::BuiltIn::WorkgroupId ||
            part->builtIn == spv::BuiltIn::GlobalInvocationId);
  }
  case Subject::BufferLength:
    return module.opcode(inst) == spv::Op::OpArrayLength &&
           std::binary_search(subject.buffers.begin(), subject.buffers.end(),
                              bufferOf(module, module.idAt(inst, 3)));
  }
  return false;
}

IntegerRange allowedBy(const StatedFact& fact, uint32_t width, bool isSigned) {
  const IntegerRange all = IntegerRange::all(width);
  const int64_t least = isSigned ? all.leastSigned() : 0;
  const int64_t most = isSigned || width == 64 ? all.mostSigned() : int64_t(all.most());
  const auto between = [&](int64_t low, int64_t high) {
    low = std::max(low, least);
    high = std::min(high, most);
    if (low > high) return IntegerRange::none(width);
    // Beyond what a signed number of 64 bits holds nothing is stated.
    return isSigned ? IntegerRange::ofSigned(width, low, high)
                    : IntegerRange::ofUnsigned(width, uint64_t(low), uint64_t(high));
  };
  if (!isSigned && width == 64) return all;
  if (fact.modulus != 0) {
    const uint64_t low = uint64_t(fact.modulus) - 1;
    if ((fact.modulus & low) != 0 || low > all.most()) return all;
    return IntegerRange::ofBits(width, ~uint64_t(fact.value) & low, uint64_t(fact.value) & low);
  }
  using Relation = StatedFact::Relation;
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min() + 1;
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() - 1;
  const int64_t value = std::clamp(fact.value, kLeast, kMost);
  switch (fact.relation) {
  case Relation::Equal:
    return between(value, value);
  case Relation::Less:
    return between(least, value - 1);
  case Relation::LessEqual:
    return between(least, value);
  case Relation::Greater:
    return between(value + 1, most);
  case Relation::GreaterEqual:
    return between(value, most);
  case Relation::NotEqual:
    break;
  }
  if (value == least) return between(least + 1, most);
  return value == most ? between(least, most - 1) : all;
}

IntegerRange statedGroups(Analyses& analyses, size_t fact, uint32_t width) {
  return groupsAlong(analyses, analyses.assumptions().stated[fact].component, width);
}

IntegerRange statedRange(Analyses& analyses, InstRef inst, uint32_t component, uint32_t width) {
  IntegerRange range = IntegerRange::all(width);
  if (analyses.assumptions().stated.empty()) return range;
  const Module& module = analyses.module();
  const auto part = builtInOf(analyses, inst, component);
  if (part && (part->builtIn == spv::BuiltIn::WorkgroupId ||
               part->builtIn == spv::BuiltIn::GlobalInvocationId))
    return width == 32 ? idsWithin(analyses, inst, *part, width) : range;
  const Types& types = analyses.get<Types>();
  TypeInfo type = types.info(module.resultType(inst));
  if (type.kind == TypeInfo::Kind::Vector) type = types.info(type.element);
  for (size_t fact = 0; fact < analyses.assumptions().stated.size(); ++fact)
    if (speaksOf(analyses, fact, inst, component))
      range =
          range.intersected(allowedBy(analyses.assumptions().stated[fact], width, type.isSigned));
  return range;
}

} // namespace lanewise
