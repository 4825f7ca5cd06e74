// Which memory an access goes to, where a module has no names.
#pragma once

#include "verify/compare/run_findings.h"
#include "verify/interpreter/code/program.h"
#include "verify/interpreter/run/machine.h"

namespace lanewise::driver::interpreter {

/// Of the access at a site. Buffers are known by their numbers in `bindings`, so that modules may
/// have them at different sets and bindings.
MemoryPlace memoryPlaceOf(const Program& program, uint32_t site,
                          std::span<const BufferBinding> bindings);

} // namespace lanewise::driver::interpreter
