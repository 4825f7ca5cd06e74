#include "verify/program/specialize.h"

#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/specialization.h"
#include "analysis/module/types.h"
#include "support/failure.h"

#include <fmt/format.h>
#include <optional>

namespace lanewise::driver {

namespace {

SpecType typeOf(const TypeInfo& info) {
  using enum SpecType::Kind;
  switch (info.kind) {
  case TypeInfo::Kind::Bool:
    return {Bool, 1, false};
  case TypeInfo::Kind::Int:
    return {Int, info.width, info.isSigned};
  case TypeInfo::Kind::Float:
    return {Float, info.width, true};
  default:
    return {Other, info.width, true};
  }
}

bool isSpecConstant(spv::Op op) {
  return op == spv::Op::OpSpecConstant || op == spv::Op::OpSpecConstantTrue ||
         op == spv::Op::OpSpecConstantFalse;
}

std::map<uint32_t, SpecType> typesIn(Analyses& analyses) {
  const Module& module = analyses.module();
  std::map<uint32_t, SpecType> types;
  for (InstRef i : module.globals()) {
    if (!isSpecConstant(module.opcode(i))) continue;
    const auto specId =
        analyses.get<Decorations>().operand(module, module.resultId(i), spv::Decoration::SpecId);
    if (specId) types[*specId] = typeOf(analyses.get<Types>().info(module.resultType(i)));
  }
  return types;
}

Error wrong(const SpecValues& values, ValuesFrom from, uint32_t specId, std::string_view what) {
  const std::string& text = values.at(specId).text;
  const std::string value =
      from == ValuesFrom::Option
          ? fmt::format("--spec-const={}:{}", specId, text)
          : fmt::format("{}: {} = {}",
                        from == ValuesFrom::Scenario ? "spec_constants" : "constants", specId,
                        text);
  return failure(fmt::format("{}: constant {} {}", value, specId, what));
}

/// What only a module with all of its values can say.
class Specialization {
public:
  Specialization(const Module& module, const SpecValues& values, ValuesFrom from,
                 const Assumptions& assumptions)
      : module_(module), values_(values), from_(from), assumptions_(assumptions),
        analyses_(module, assumptions) {}

  Status check() {
    for (InstRef i : module_.globals())
      if (module_.opcode(i) == spv::Op::OpTypeArray)
        if (Status s = checkLength(module_.idAt(i, 3)); !s) return s;
    return checkSizes();
  }

private:
  Error wrong(uint32_t specId, std::string_view what) const {
    return driver::wrong(values_, from_, specId, what);
  }

  /// SPIR-V: the Length of an OpTypeArray must be at least 1.
  Status checkLength(Id length) {
    const std::optional<ConstantValue> value = analyses_.get<Constants>().value(length);
    if (!value || value->isLiteral) return ok();
    const int64_t elements = value->isSigned ? value->asSigned() : int64_t(value->bits != 0);
    if (elements >= 1) return ok();
    if (const auto own = specIdOf(length); own && values_.contains(*own))
      return wrong(*own, "is the length of an array; it must be at least 1");
    for (uint32_t specId : specIdsOf(analyses_, length))
      if (values_.contains(specId))
        return wrong(specId,
                     fmt::format("gives an array the length {}; it must be at least 1", elements));
    return ok();
  }

  Status checkSizes() {
    const Decorations& decorations = analyses_.get<Decorations>();
    for (InstRef i : module_.globals()) {
      const spv::Op op = module_.opcode(i);
      const bool isSize =
          (op == spv::Op::OpSpecConstantComposite &&
           decorations.builtIn(module_, module_.resultId(i)) == spv::BuiltIn::WorkgroupSize) ||
          (op == spv::Op::OpExecutionModeId &&
           spv::ExecutionMode(module_.word(i, 2)) == spv::ExecutionMode::LocalSizeId);
      if (!isSize || module_.wordCount(i) != 6) continue;
      for (uint32_t d = 0; d < 3; ++d)
        if (Status s = checkSize(module_.idAt(i, 3 + d), d); !s) return s;
    }
    return ok();
  }

  Status checkSize(Id constant, uint32_t dimension) {
    const auto specId = specIdOf(constant);
    if (!specId || !values_.contains(*specId)) return ok();
    const std::optional<ConstantValue> value = analyses_.get<Constants>().value(constant);
    if (!value) return ok();
    const char axis = "xyz"[dimension];
    if (value->bits == 0 || (value->isSigned && value->asSigned() < 0))
      return wrong(*specId,
                   fmt::format("is the workgroup size along {}; it must be at least 1", axis));
    const auto& size = assumptions_.workgroupSize;
    if (!size || (*size)[dimension] == value->bits) return ok();
    return wrong(*specId, fmt::format("is the workgroup size along {}, which --workgroup-size={} "
                                      "contradicts; give one of them",
                                      axis, fmt::join(*size, ",")));
  }

  std::optional<uint32_t> specIdOf(Id constant) {
    return analyses_.get<Decorations>().operand(module_, constant, spv::Decoration::SpecId);
  }

  const Module& module_;
  const SpecValues& values_;
  const ValuesFrom from_;
  const Assumptions& assumptions_;
  Analyses analyses_;
};

} // namespace

std::map<uint32_t, SpecType> specTypesOf(const Module& module) {
  const Assumptions nothing;
  Analyses analyses(module, nothing);
  return typesIn(analyses);
}

bool hasArraysUpTo(uint64_t most, const Module& module,
                   const std::map<uint32_t, uint64_t>& values) {
  Assumptions assumptions;
  assumptions.specConstants = values;
  Analyses analyses(module, assumptions);
  for (InstRef i : module.globals()) {
    if (module.opcode(i) != spv::Op::OpTypeArray) continue;
    const std::optional<ConstantValue> length = analyses.get<Constants>().value(module.idAt(i, 3));
    if (!length || length->isLiteral) continue;
    const bool isBelow = length->bits == 0 || (length->isSigned && length->asSigned() < 0);
    if (isBelow || length->bits > most) return false;
  }
  return true;
}

Status settle(const Module& module, const SpecValues& values, ValuesFrom from,
              Assumptions& assumptions) {
  if (values.empty()) return ok();
  const std::map<uint32_t, SpecType> types = specTypesOf(module);
  for (const auto& [specId, value] : values) {
    const auto type = types.find(specId);
    if (type == types.end()) {
      assumptions.specConstants.erase(specId);
      continue;
    }
    Result<uint64_t> bits = bitsOf(value, type->second);
    if (!bits) return wrong(values, from, specId, "is " + bits.error().message);
    assumptions.specConstants[specId] = *bits;
  }
  return Specialization(module, values, from, assumptions).check();
}

} // namespace lanewise::driver
