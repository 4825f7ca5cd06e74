// Types as text, with sizes, and the structs that they are made of.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/types.h"
#include "reflect/module_interface.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::driver {

class TypeDescriber {
public:
  /// The analyses must outlive it.
  explicit TypeDescriber(Analyses& analyses);

  DescribedType describe(Id type);
  /// A buffer or a block of push constants, without the arrays of descriptors around it.
  DescribedBlock describeBlock(Id variable, Id structType);
  /// The name of an id, "" without.
  std::string nameOf(Id id) const;
  /// What arrays hold, and their extents.
  Id withoutArrays(Id type, std::vector<ArrayExtent>& extents);
  /// Locations that an input or output of this type takes (SPIR-V's Location, Vulkan 15.1.5).
  uint64_t locationsOf(Id type);
  std::string memberName(Id structType, uint32_t member) const;
  MemoryQualifiers qualifiersOf(Id target, uint32_t member) const;
  /// Structs that were described, in the order of the module.
  std::vector<DescribedStruct> takeStructs();

private:
  std::string scalarText(Id type) const;
  std::string vectorText(const TypeInfo& vector) const;
  std::string matrixText(const TypeInfo& matrix) const;
  std::string imageText(Id imageType, bool isCombined) const;
  std::string otherText(Id type) const;
  ArrayExtent extentOf(Id arrayType);
  /// Puts the struct on the list, and gives its name.
  std::string noteStruct(Id structType);
  DescribedStruct describeStruct(Id structType);
  std::optional<uint64_t> bytesOf(Id type, uint32_t matrixStride, bool isRowMajor);
  std::optional<uint64_t> structBytes(Id structType);

  Analyses& analyses_;
  const Module& module_;
  const Types& types_;
  std::map<std::pair<Id, uint32_t>, std::string> memberNames_;
  std::map<Id, std::string> structNames_;
  std::set<std::string> takenNames_;
  std::vector<Id> pending_; ///< named, in the order in which they were first met
  std::map<Id, std::optional<uint64_t>> structBytes_;
  std::map<Id, uint64_t> structLocations_;
};

} // namespace lanewise::driver
