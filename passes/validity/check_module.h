// A second opinion on whether a module is valid, for what the installed validator is too old to
// know: the rules of the specification about a module's parts, without those of any client API.
//
// Checked are the logical layout (SPIR-V 2.4), ids and dominance (2.16.1), what opcodes and
// enumerants need to be declared (2.16.1, 3.31), the types of operands (3.42), structured control
// flow (2.11), decorations (3.20, 2.16.2) and entry points. What the kept grammar does not know,
// and what no rule here is about, is accepted: of a valid module nothing is reported, of a broken
// one perhaps not every fault.
//
// Module::read() has already checked the header, operands against the grammar, that ids are defined
// once, and that functions are made of blocks.
#pragma once

#include "ir/module.h"
#include "lanewise/result.h"

namespace lanewise {

/// The first rule of SPIR-V that the module breaks, with its word offset; ok() when none is found.
/// Takes time linear in the module, but for a logarithm.
Status checkModule(const Module& module);

} // namespace lanewise
