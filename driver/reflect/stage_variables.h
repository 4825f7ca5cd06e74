// Inputs, outputs and built-ins of an entry point.
#pragma once

#include "analysis/module/entry_points.h"
#include "reflect/type_describer.h"

namespace lanewise::driver {

/// Fills inputs, outputs and built-ins of `to`. Inputs and outputs are those of OpEntryPoint's
/// interface, which pipelines match whether they are used or not; built-ins those that the entry
/// point's functions name.
void describeStageVariables(Analyses& analyses, TypeDescriber& types, const EntryPoint& entry,
                            DescribedEntryPoint& to);

} // namespace lanewise::driver
