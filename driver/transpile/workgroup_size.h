// A workgroup's size that specialization constants give has another name in each language.
#pragma once

#include "ir/rewriter.h"
#include "lanewise/result.h"
#include "transpile/target_language.h"

namespace lanewise::driver {

/// Makes what uses such constants name them as `target` can. An Error names a use that has no name
/// there, or in MSL the length of an array that is computed from a specialization constant.
Status nameWorkgroupSize(const Module& module, const TargetLanguage& target, Rewriter& rewriter);

} // namespace lanewise::driver
