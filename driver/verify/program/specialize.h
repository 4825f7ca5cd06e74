// Values that are given for specialization constants meet the module that has these: here, and
// nowhere else, a text becomes bits by the constant's type, and what no pipeline may be made with
// is refused.
#pragma once

#include "ir/module.h"
#include "lanewise/assumptions.h"
#include "lanewise/result.h"
#include "verify/scenario/spec_value.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>

namespace lanewise::driver {

enum class ValuesFrom : uint8_t {
  Option,   ///< --spec-const
  Scenario, ///< `spec_constants` of its shader
  Pipelines ///< `constants` of a recorded pipeline
};

/// Sets in `assumptions` what `values` are in the constants of the module; constants that it does
/// not have are left out. An error names the value and the constant: a value that the type does not
/// have, an array without elements, a size of 0, or one that is not that of
/// `assumptions.workgroupSize`.
Status settle(const Module& module, const SpecValues& values, ValuesFrom from,
              Assumptions& assumptions);

/// Whether each array whose length comes of specialization constants has 1 to `most` elements with
/// these values.
bool hasArraysUpTo(uint64_t most, const Module& module, const std::map<uint32_t, uint64_t>& values);

/// The type of each specialization constant, by SpecId.
std::map<uint32_t, SpecType> specTypesOf(const Module& module);

} // namespace lanewise::driver
