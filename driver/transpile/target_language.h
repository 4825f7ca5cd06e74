// The languages that `lanewise transpile` writes, and what of each the user may choose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lanewise::driver {

enum class Language : uint8_t { Glsl, Essl, Hlsl, Msl, SpvAsm };

/// What `--to` takes: "glsl", "essl", "hlsl", "msl", "spvasm".
std::optional<Language> parseLanguage(std::string_view name);
/// "GLSL", "ESSL", ... for messages.
std::string_view nameOf(Language language);

struct TargetLanguage {
  Language language = Language::Glsl;
  bool isVulkan = false;       ///< GLSL as Vulkan takes it: sets, push constants, constant_id
  uint32_t glslVersion = 450;  ///< 420 to 460
  uint32_t esslVersion = 310;  ///< 310 or 320
  uint32_t shaderModel = 60;   ///< ten times the major number plus the minor one
  uint32_t mslVersion = 20100; ///< 10000 times the major number plus 100 times the minor one
  bool isIos = false;

  /// A binding is a set and a number, as in SPIR-V.
  bool hasSets() const {
    return language == Language::SpvAsm || (language == Language::Glsl && isVulkan) ||
           (language == Language::Hlsl && shaderModel >= 51);
  }
  /// Push constants and specialization constants stay what they are.
  bool isForVulkan() const {
    return language == Language::SpvAsm || (language == Language::Glsl && isVulkan);
  }
  bool isGlslOrEssl() const { return language == Language::Glsl || language == Language::Essl; }
  /// "GLSL 450 for Vulkan", "HLSL of shader model 6.0", ...
  std::string str() const;
};

} // namespace lanewise::driver
