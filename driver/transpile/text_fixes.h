// What SPIRV-Cross's text needs before a compiler takes it.
#pragma once

#include "ir/module.h"
#include "lanewise/result.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lanewise::driver {

/// Letters, digits and underscores.
bool isWordCharacter(char c);

/// GLSL: gl_WorkGroupSize may be named only behind the layout that declares it (GLSL 4.60, section
/// 7.1.6), but SPIRV-Cross writes specialization constants that are made from it in front. Moves
/// the layout before them.
void declareSizeFirst(std::string& text);

/// GLSL and ESSL: asks for the extensions that SPIRV-Cross forgets, right behind the version.
void addExtensions(std::string& text, bool isEs, spv::ExecutionModel model);

/// GLSL: names what SPIRV-Cross before 2024 writes by the number of the built-in.
void nameBuiltIns(std::string& text);

/// GLSL for Vulkan: a dimension of the workgroup that a specialization constant gives is one where
/// nobody sets the constant (GLSL 4.60, section 4.4.1.4), unless the layout says what else; `sizes`
/// are those.
void addDefaultSizes(std::string& text, const std::array<std::optional<uint32_t>, 3>& sizes);

/// GLSL and ESSL: `volatile` where there is `coherent`.
void addVolatile(std::string& text);

/// HLSL: the name that DirectX's compiler has for debugPrintfEXT.
void namePrintf(std::string& text);

/// HLSL: SPIRV-Cross calls every entry point main. Fails where `name` stands in the text already or
/// is no identifier.
Status renameHlslEntry(std::string& text, const std::string& name);

/// HLSL for glslang alone: its ByteAddressBuffer.GetDimensions counts words, HLSL's bytes.
std::string countingBytes(std::string text);

/// HLSL for glslang alone, which knows no printf: without what namePrintf() named.
std::string withoutPrintf(std::string text);

/// What the #error lines of a text say, each once: SPIRV-Cross asks for extensions in this way.
std::vector<std::string> errorDirectives(const std::string& text);

} // namespace lanewise::driver
