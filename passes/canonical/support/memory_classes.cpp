#include "canonical/support/memory_classes.h"

#include "analysis/module/buffer_variables.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Inputs that change while the shader runs.
bool isUnsteady(spv::BuiltIn input) {
  switch (input) {
  case spv::BuiltIn::HelperInvocation:
  case spv::BuiltIn::RayTmaxKHR:
  case spv::BuiltIn::WarpIDNV:
  case spv::BuiltIn::SMIDNV:
    return true;
  default:
    return false;
  }
}

} // namespace

MemoryClass memoryClassOf(spv::StorageClass storage) {
  switch (storage) {
  case spv::StorageClass::Function:
    return MemoryClass::Function;
  case spv::StorageClass::Private:
    return MemoryClass::Private;
  case spv::StorageClass::Workgroup:
    return MemoryClass::Workgroup;
  case spv::StorageClass::Output:
    return MemoryClass::Output;
  case spv::StorageClass::Uniform:
  case spv::StorageClass::StorageBuffer:
  case spv::StorageClass::PhysicalStorageBuffer:
  case spv::StorageClass::Image:
    return MemoryClass::Buffer;
  case spv::StorageClass::Input:
  case spv::StorageClass::UniformConstant:
  case spv::StorageClass::PushConstant:
    return MemoryClass::ReadOnly;
  default:
    return MemoryClass::Other;
  }
}

bool isNeverWritten(Analyses& analyses, Id variable) {
  return isConstantBuffer(analyses, variable) &&
         !analyses.get<Decorations>().has(variable, spv::Decoration::Aliased);
}

bool isUnsteadyInput(const Module& module, const Decorations& decorations, Id variable) {
  return std::ranges::any_of(decorations.of(variable), [&](const Decoration& d) {
    return d.decoration == spv::Decoration::BuiltIn &&
           isUnsteady(spv::BuiltIn(module.word(d.inst, d.operandWord)));
  });
}

} // namespace lanewise
