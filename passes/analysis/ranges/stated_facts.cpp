#include "analysis/ranges/stated_facts.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "analysis/ranges/input_ranges.h"

#include <algorithm>
#include <limits>
#include <string>

namespace lanewise {
namespace {

using Subject = StatedFact::Subject;

/// A scalar of the push-constant block.
struct PushMember {
  std::string name; ///< "light.size.x"; what indices of arrays choose has none
  uint32_t offset = 0;
};

void appendName(std::string& name, std::string_view part) {
  if (!name.empty()) name += '.';
  name += part;
}

/// What an OpLoad loads of the push-constant block, where the way to it is literal.
std::optional<PushMember> pushMemberOf(Analyses& analyses, InstRef load, uint32_t component) {
  const Module& module = analyses.module();
  if (module.opcode(load) != spv::Op::OpLoad) return std::nullopt;
  const InstRef chain = module.def(module.idAt(load, 3));
  if (!chain || !isAccessChain(module.opcode(chain))) return std::nullopt;
  const InstRef variable = module.def(module.idAt(chain, 3));
  if (!variable || module.opcode(variable) != spv::Op::OpVariable ||
      spv::StorageClass(module.word(variable, 3)) != spv::StorageClass::PushConstant)
    return std::nullopt;
  const Types& types = analyses.get<Types>();
  const Constants& constants = analyses.get<Constants>();
  Id type = types.pointee(module.resultId(variable));
  PushMember member;
  bool hasName = true;
  const auto enterVector = [&](uint64_t n) {
    member.offset += uint32_t(n) * types.info(types.info(type).element).width / 8;
    appendName(member.name, std::string_view("xyzw").substr(std::min<uint64_t>(n, 3), 1));
    type = types.info(type).element;
  };
  for (uint32_t w = 4; w < module.wordCount(chain); ++w) {
    const auto index = constants.literal(module.idAt(chain, w));
    const TypeInfo info = types.info(type);
    if (!index) return std::nullopt;
    if (info.kind == TypeInfo::Kind::Struct) {
      const auto offset = types.offset(type, uint32_t(*index));
      if (!offset) return std::nullopt;
      member.offset += *offset;
      appendName(member.name, Decorations::memberName(module, type, uint32_t(*index)));
      type = types.member(type, uint32_t(*index));
    } else if (info.kind == TypeInfo::Kind::Array && types.arrayStride(type)) {
      member.offset += uint32_t(*index) * *types.arrayStride(type);
      hasName = false;
      type = info.element;
    } else if (info.kind == TypeInfo::Kind::Vector) {
      enterVector(*index);
    } else {
      return std::nullopt;
    }
  }
  if (types.info(type).kind == TypeInfo::Kind::Vector) enterVector(component);
  if (!hasName) member.name.clear();
  return member;
}

/// Names by which the user may call a buffer: of its variable, of its block, and "SET.BINDING".
bool isCalled(Analyses& analyses, Id variable, const std::string& name) {
  const Module& module = analyses.module();
  const Decorations& decorations = analyses.get<Decorations>();
  if (decorations.name(module, variable) == name ||
      decorations.name(module, analyses.get<Types>().pointee(variable)) == name)
    return true;
  const auto set = decorations.operand(module, variable, spv::Decoration::DescriptorSet);
  const auto binding = decorations.operand(module, variable, spv::Decoration::Binding);
  return set && binding && std::to_string(*set) + "." + std::to_string(*binding) == name;
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

/// What bounds of the number of workgroups say of ids.
IntegerRange idsWithin(Analyses& analyses, InstRef inst, const BuiltInPart& part, uint32_t width) {
  IntegerRange groups = IntegerRange::all(width);
  for (const StatedFact& fact : analyses.assumptions().stated)
    if (fact.subject == Subject::Groups && fact.component == part.component)
      groups = groups.intersected(allowedBy(fact, width, false));
  if (groups.isEmpty() || groups.most() == 0) return IntegerRange::all(width);
  const uint64_t size =
      part.builtIn == spv::BuiltIn::WorkgroupId ? 1 : mostInGroup(analyses, inst, part.component);
  if (size == 0 || groups.most() > groups.mask() / size) return IntegerRange::all(width);
  return IntegerRange::ofUnsigned(width, 0, groups.most() * size - 1);
}

} // namespace

bool speaksOf(Analyses& analyses, const StatedFact& fact, InstRef inst, uint32_t component) {
  const Module& module = analyses.module();
  switch (fact.subject) {
  case Subject::PushConstant: {
    const auto member = pushMemberOf(analyses, inst, component);
    return member &&
           (fact.name.empty() ? member->offset == fact.offset : member->name == fact.name);
  }
  case Subject::Groups: {
    const auto part = builtInOf(analyses, inst, component);
    return part && part->component == fact.component &&
           (part->builtIn == spv::BuiltIn::NumWorkgroups ||
            part->builtIn == spv::BuiltIn::WorkgroupId ||
            part->builtIn == spv::BuiltIn::GlobalInvocationId);
  }
  case Subject::BufferLength:
    return module.opcode(inst) == spv::Op::OpArrayLength &&
           isCalled(analyses, module.idAt(inst, 3), fact.name);
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
    const IntegerRange positive = between(0, most);
    if ((fact.modulus & low) != 0 || low > all.most()) return positive;
    return positive.intersected(
        IntegerRange::ofBits(width, ~uint64_t(fact.value) & low, uint64_t(fact.value) & low));
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
  for (const StatedFact& fact : analyses.assumptions().stated)
    if (speaksOf(analyses, fact, inst, component))
      range = range.intersected(allowedBy(fact, width, type.isSigned));
  // Facts that contradict one another leave nothing: then nothing follows from them.
  return range.isEmpty() ? IntegerRange::all(width) : range;
}

} // namespace lanewise
