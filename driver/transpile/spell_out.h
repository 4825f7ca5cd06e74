// What SPIRV-Cross writes by an operator or a function that does something else.
#pragma once

#include "ir/rewriter.h"
#include "lanewise/result.h"
#include "transpile/target_language.h"

namespace lanewise::driver {

/// Writes OpSMod by other instructions, which spellOut() may have to write by others again: to be
/// committed in between. Not for GLSL for Vulkan, whose compilers make OpSMod of `%`.
void writeOutModulo(const Module& module, const TargetLanguage& target, Rewriter& rewriter);

/// Writes such instructions by others that mean the same in `target`. An Error names what has no
/// such form.
Status spellOut(const Module& module, const TargetLanguage& target, Rewriter& rewriter);

} // namespace lanewise::driver
