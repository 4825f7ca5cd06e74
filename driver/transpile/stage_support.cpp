// Which stages SPIRV-Cross writes in which language. It is asked, not looked up: its versions
// differ in this, and their documentation does not say.
#include "analysis/module/entry_points.h"
#include "support/failure.h"
#include "support/isolate.h"
#include "transpile/spirv_cross.h"
#include "transpile/stage.h"

#include <array>
#include <fmt/format.h>
#include <memory>
#include <spirv_cross/spirv_cross_c.h>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::driver {

namespace {

using Model = spv::ExecutionModel;

/// Shader models in which a stage came into being (6.5: mesh shaders; 6.3: ray tracing).
/// SPIRV-Cross writes them for any.
uint32_t firstShaderModel(Model model) {
  constexpr uint32_t kMeshShaders = 65, kRayTracing = 63, kAny = 50;
  switch (model) {
  case Model::TaskEXT:
  case Model::MeshEXT:
    return kMeshShaders;
  case Model::RayGenerationKHR:
  case Model::IntersectionKHR:
  case Model::AnyHitKHR:
  case Model::ClosestHitKHR:
  case Model::MissKHR:
  case Model::CallableKHR:
    return kRayTracing;
  default:
    return kAny;
  }
}

/// Metal has tessellation from 1.2 on (Metal Shading Language specification, 5.1.1.1).
/// SPIRV-Cross writes it for any version.
uint32_t firstMslVersion(Model model) {
  constexpr uint32_t kTessellation = 10200, kAny = 10000;
  return model == Model::TessellationControl || model == Model::TessellationEvaluation
             ? kTessellation
             : kAny;
}

spvc_backend backendOf(Language language) {
  return language == Language::Hlsl  ? SPVC_BACKEND_HLSL
         : language == Language::Msl ? SPVC_BACKEND_MSL
                                     : SPVC_BACKEND_GLSL;
}

/// What SPIRV-Cross makes of a shader of this stage that does nothing; empty where it refuses.
std::string textOfEmptyShader(Model model, const TargetLanguage& target) {
  spvc_context raw = nullptr;
  if (spvc_context_create(&raw) != SPVC_SUCCESS) return {};
  const std::unique_ptr<std::remove_pointer_t<spvc_context>, decltype(&spvc_context_destroy)>
      context(raw, &spvc_context_destroy);
  const Words words = emptyShader(model);
  spvc_parsed_ir ir = nullptr;
  spvc_compiler compiler = nullptr;
  spvc_compiler_options options = nullptr;
  if (spvc_context_parse_spirv(raw, words.data(), words.size(), &ir) != SPVC_SUCCESS ||
      spvc_context_create_compiler(raw, backendOf(target.language), ir,
                                   SPVC_CAPTURE_MODE_TAKE_OWNERSHIP, &compiler) != SPVC_SUCCESS ||
      spvc_compiler_create_compiler_options(compiler, &options) != SPVC_SUCCESS)
    return {};
  if (target.language == Language::Hlsl) {
    spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_HLSL_SHADER_MODEL,
                                   target.shaderModel);
  } else if (target.language == Language::Msl) {
    spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_MSL_VERSION, target.mslVersion);
  } else {
    const bool isEs = target.language == Language::Essl;
    spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_GLSL_VERSION,
                                   isEs ? target.esslVersion : target.glslVersion);
    spvc_compiler_options_set_bool(options, SPVC_COMPILER_OPTION_GLSL_ES, isEs);
    spvc_compiler_options_set_bool(options, SPVC_COMPILER_OPTION_GLSL_VULKAN_SEMANTICS,
                                   target.isVulkan);
  }
  spvc_compiler_install_compiler_options(compiler, options);
  const char* text = nullptr;
  return spvc_compiler_compile(compiler, &text) == SPVC_SUCCESS && text ? text : std::string();
}

/// Whether this version of the language is older than the stage.
bool isTooOld(Model model, const TargetLanguage& target) {
  return (target.language == Language::Hlsl && target.shaderModel < firstShaderModel(model)) ||
         (target.language == Language::Msl && target.mslVersion < firstMslVersion(model));
}

bool writesStage(Model model, const TargetLanguage& target) {
  if (isTooOld(model, target)) return false;
  const std::string text = textOfEmptyShader(model, target);
  // In MSL it writes stages that it does not know, too, as functions that are "unknown".
  const bool isUnknown =
      target.language == Language::Msl && text.find("unknown ") != std::string::npos;
  return !text.empty() && !isUnknown;
}

struct Candidate {
  std::string_view options;
  TargetLanguage target;
};

/// The languages, each with what it takes from little to much.
std::vector<Candidate> candidates() {
  auto with = [](Language language, auto change) {
    TargetLanguage target;
    target.language = language;
    change(target);
    return target;
  };
  auto nothing = [](TargetLanguage&) {};
  return {
      {"--to=glsl", with(Language::Glsl, nothing)},
      {"--to=glsl --vulkan", with(Language::Glsl, [](TargetLanguage& t) { t.isVulkan = true; })},
      {"--to=glsl --vulkan --glsl-version=460", with(Language::Glsl,
                                                     [](TargetLanguage& t) {
                                                       t.isVulkan = true;
                                                       t.glslVersion = 460;
                                                     })},
      {"--to=essl", with(Language::Essl, nothing)},
      {"--to=essl --essl-version=320",
       with(Language::Essl, [](TargetLanguage& t) { t.esslVersion = 320; })},
      {"--to=hlsl", with(Language::Hlsl, nothing)},
      {"--to=hlsl --shader-model=6.5",
       with(Language::Hlsl, [](TargetLanguage& t) { t.shaderModel = 65; })},
      {"--to=msl", with(Language::Msl, nothing)},
      {"--to=msl --msl-version=3.1",
       with(Language::Msl, [](TargetLanguage& t) { t.mslVersion = 30100; })},
  };
}

/// "--to=glsl, --to=hlsl or --to=spvasm"
std::string othersFor(Model model) {
  std::string list;
  bool isFound[size_t(Language::SpvAsm)] = {};
  for (const Candidate& c : candidates()) {
    bool& found = isFound[size_t(c.target.language)];
    if (found || !writesStage(model, c.target)) continue;
    found = true;
    list += fmt::format("{}{}", list.empty() ? "" : ", ", c.options);
  }
  return list + (list.empty() ? "" : " or ") + "--to=spvasm";
}

} // namespace

Status checkStage(Model model, const TargetLanguage& target) {
  if (model == Model::GLCompute || target.language == Language::SpvAsm) return ok();
  const Result<std::string> others = isolate(
      [&]() -> Result<std::string> {
        return writesStage(model, target) ? std::string() : othersFor(model);
      },
      defaultIsolation());
  // A crash has its message when the module itself is written.
  if (!others || others->empty()) return ok();
  const std::string why = isTooOld(model, target)
                              ? fmt::format("{} has no {} shaders", target.str(), stageName(model))
                              : fmt::format("SPIRV-Cross {} does not write {} shaders as {}",
                                            spirvCrossVersion(), stageName(model), target.str());
  return failure(fmt::format("{}; choose {}", why, *others));
}

} // namespace lanewise::driver
