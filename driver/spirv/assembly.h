// SPIR-V as text. Where the installed SPIRV-Tools know a module or a text, they print or read it,
// so that what Lanewise writes is what spirv-dis writes; what is newer than they are goes through
// Lanewise's own printer and assembler (passes/assembly), which have the same form.
#pragma once

#include "spirv/spirv_tools.h"

#include <string>
#include <string_view>

namespace lanewise::driver {

/// Text to words. `name` is the file's name for messages ("NAME:LINE:COLUMN: error: ..."). The
/// version of the module is the one that a "; Version: 1.3" line of the leading comments names,
/// else `env`'s. Numeric ids keep their numbers.
Result<Words> assemble(std::string_view text, const std::string& name, spv_target_env env);

/// Whether the text begins with comments that tell the version of SPIR-V.
enum class TextHeader { Yes, No };
/// Words to text: the same words give the same text, always.
Result<std::string> disassemble(std::span<const uint32_t> words,
                                TextHeader header = TextHeader::Yes,
                                IdNames names = IdNames::Friendly);

} // namespace lanewise::driver
