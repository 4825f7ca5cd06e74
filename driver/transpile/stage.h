// Stages of shaders: which entry point of a module is meant, and which languages have its stage.
#pragma once

#include "ir/module.h"
#include "lanewise/result.h"
#include "spirv/spirv_tools.h"
#include "transpile/target_language.h"

#include <string>
#include <string_view>

namespace lanewise::driver {

struct ChosenEntry {
  std::string name;
  spv::ExecutionModel model = spv::ExecutionModel::GLCompute;
  /// Where a compute shader was taken though others have its name or none was asked for: a sentence
  /// that says so.
  std::string others;
  bool isCompute() const { return model == spv::ExecutionModel::GLCompute; }
};

/// The entry point called `name` (empty: any) of stage `stage` ("frag"; empty: any). Where several
/// are meant, the only compute shader among them; without one, the Error says how to choose.
Result<ChosenEntry> chooseEntry(const Module& module, const std::string& name,
                                const std::string& stage);

/// An Error says that the installed SPIRV-Cross does not write this stage in this language, and in
/// which it does.
Status checkStage(spv::ExecutionModel model, const TargetLanguage& target);

/// As file extensions name it: "frag"; empty for a model that no extension stands for.
std::string_view extensionOf(spv::ExecutionModel model);

/// A shader of this stage that does nothing, for asking what a language makes of the stage. No
/// validator has to take it.
Words emptyShader(spv::ExecutionModel model);

} // namespace lanewise::driver
