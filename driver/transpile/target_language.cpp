#include "transpile/target_language.h"

#include <fmt/format.h>

namespace lanewise::driver {

namespace {

struct NamedLanguage {
  Language language;
  std::string_view option, name;
};

constexpr NamedLanguage kLanguages[] = {
    {Language::Glsl, "glsl", "GLSL"},       {Language::Essl, "essl", "ESSL"},
    {Language::Hlsl, "hlsl", "HLSL"},       {Language::Msl, "msl", "MSL"},
    {Language::SpvAsm, "spvasm", "SPIR-V"},
};

} // namespace

std::optional<Language> parseLanguage(std::string_view name) {
  for (const NamedLanguage& known : kLanguages)
    if (known.option == name) return known.language;
  return {};
}

std::string_view nameOf(Language language) {
  for (const NamedLanguage& known : kLanguages)
    if (known.language == language) return known.name;
  return {};
}

std::string TargetLanguage::str() const {
  switch (language) {
  case Language::Glsl:
    return fmt::format("GLSL {}{}", glslVersion, isVulkan ? " for Vulkan" : "");
  case Language::Essl:
    return fmt::format("ESSL {}", esslVersion);
  case Language::Hlsl:
    return fmt::format("HLSL of shader model {}.{}", shaderModel / 10, shaderModel % 10);
  case Language::Msl:
    return fmt::format("MSL {}.{} for {}", mslVersion / 10000, mslVersion / 100 % 100,
                       isIos ? "iOS" : "macOS");
  case Language::SpvAsm:
    break;
  }
  return "SPIR-V assembly";
}

} // namespace lanewise::driver
