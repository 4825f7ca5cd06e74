// The specification's names of what people read of a module, from the same grammar files as
// opcode_facts.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanewise {

/// Enumerations of which the table has the names.
enum class NamedEnum : uint8_t { BuiltIn, Capability, ExecutionMode };

/// Name of an enumerant, the core one where there are several; empty for one that the table does
/// not know.
std::string_view enumerantName(NamedEnum which, uint32_t value);

} // namespace lanewise
