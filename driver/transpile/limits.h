// What a language cannot express: refused where the text would be wrong, told where it does less.
#pragma once

#include "ir/module.h"
#include "lanewise/result.h"
#include "transpile/spirv_cross.h"
#include "transpile/stage.h"
#include "transpile/target_language.h"

#include <vector>

namespace lanewise::driver {

/// The type of a variable without its pointer and arrays.
Id typeOfDescriptor(const Module& module, Id variable);

/// An Error names what `target` cannot express; `notes` gets what it expresses only in part.
Status checkLimits(const Module& module, const TargetLanguage& target, const ChosenEntry& entry,
                   std::vector<TranspileNote>& notes);

} // namespace lanewise::driver
