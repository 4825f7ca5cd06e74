// The kept grammar by name, for what reads and prints text: names of opcodes, enumerants and
// extended instructions, and what a module must declare to use them. What opcodes do and where
// their operands stand: ir/opcode_facts.h.
#pragma once

#include "ir/opcode_facts.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace lanewise {

/// The opcode of a name ("OpLoad", or another name of the same opcode); nothing for one that the
/// grammar does not have.
std::optional<spv::Op> opcodeNamed(std::string_view name);

/// The name of an enumerant of an enumeration (OperandFacts::enumIndex), the core one where there
/// are several; empty for one that the grammar does not have. Of a BitEnum, `value` is 0 or one
/// bit.
std::string_view enumerantName(uint8_t enumIndex, uint32_t value);
/// The enumerant of a name, of a BitEnum perhaps 0 or several bits.
std::optional<uint32_t> enumerantNamed(uint8_t enumIndex, std::string_view name);
/// The instruction of a set by its name.
std::optional<uint32_t> extInstNamed(ExtInstSet set, std::string_view name);

/// What makes an opcode or enumerant available: one of the capabilities (where it names some), one
/// of the extensions, or a version of SPIR-V from `firstVersion` to `lastVersion` (0x00010300;
/// firstVersion 0xFFFFFFFF: no version has it by itself).
struct Requirements {
  std::span<const spv::Capability> capabilities;
  std::span<const std::string_view> extensions;
  uint32_t firstVersion;
  uint32_t lastVersion;
};
/// Of an opcode; of one that the grammar does not have it asks for nothing.
const Requirements& requirementsOf(spv::Op op);
/// Of an enumerant; null for one that the grammar does not have.
const Requirements* requirementsOf(uint8_t enumIndex, uint32_t value);

/// "1.6 revision 7": which grammar is kept.
std::string_view grammarVersion();
/// Whether an OpExtension names an extension that the grammar or opcode_effects.def knows.
bool isKnownExtension(std::string_view name);

} // namespace lanewise
