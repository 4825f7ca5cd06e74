// What a compiler makes of a text, beside the module that the text was made of.
#pragma once

#include "ir/module.h"
#include "lanewise/result.h"
#include "spirv/spirv_tools.h"
#include "transpile/spirv_cross.h"
#include "transpile/target_language.h"

namespace lanewise::driver {

/// Compiles a text of GLSL or ESSL with glslang. An Error: it does not compile, or checkLayouts()
/// has one. What is beyond the installed compiler gets a note. Texts of other languages are left
/// alone.
Status checkText(const Module& module, CrossText& text, const TargetLanguage& target,
                 spv_target_env env);

/// An Error: a member of a buffer lies elsewhere in `compiled`, which was made of the text, than in
/// `module`, from which the text was made. (SPIRV-Cross looks at offsets, not at the strides of
/// matrices.)
Status checkLayouts(const Module& module, const CrossText& text, const Words& compiled,
                    const TargetLanguage& target);

} // namespace lanewise::driver
