#include "canonical/support/memory_classes.h"

namespace lanewise {

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

} // namespace lanewise
