// What SPIRV-Cross's text needs before a compiler takes it.
#pragma once

#include "lanewise/result.h"

#include <string>
#include <vector>

namespace lanewise::driver {

/// GLSL: gl_WorkGroupSize may be named only behind the layout that declares it (GLSL 4.60, section
/// 7.1.6), but SPIRV-Cross writes specialization constants that are made from it in front. Moves
/// the layout before them.
void declareSizeFirst(std::string& text);

/// HLSL: SPIRV-Cross calls every entry point main. Fails where `name` stands in the text already or
/// is no identifier.
Status renameHlslEntry(std::string& text, const std::string& name);

/// What the #error lines of a text say, each once: SPIRV-Cross asks for extensions in this way.
std::vector<std::string> errorDirectives(const std::string& text);

/// Whether `name` can name a function in all of the languages: letters, digits and underscores.
bool isIdentifier(const std::string& name);

} // namespace lanewise::driver
