// The names and texts of source files in modules, as they are.
#pragma once

#include "spirv/spirv_tools.h"

#include <span>
#include <string>

namespace lanewise::driver {

struct SourceText {
  std::string name, text;
};

/// glslang up to version 12 at least writes a byte above 127 with ones in all higher bytes of its
/// word: letters beyond ASCII destroy up to three bytes behind them, line ends and the string's own
/// end included. Puts in their place what the files are called and hold: OpString, OpSource and
/// OpSourceContinued of a module that glslang has just made.
void mendDebugTexts(Words& words, std::span<const SourceText> files);

} // namespace lanewise::driver
