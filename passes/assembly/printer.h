// Prints a module as SPIR-V assembly, in the form of `spirv-dis --no-header`.
#pragma once

#include "ir/module.h"

#include <string>

namespace lanewise {

struct PrintOptions {
  /// Names where there are some, as spirv-dis prints by default; else, and always for a module with
  /// something unknown, the numbers of the ids, which the assembler gives back.
  bool hasFriendlyNames = true;
};

/// One line an instruction. What the grammar does not know is printed as
/// `OpUnknown(opcode, words) word word ...`, which the assembler reads back.
std::string printAssembly(const Module& module, const PrintOptions& options = {});

} // namespace lanewise
