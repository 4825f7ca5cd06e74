// What drivers' compilers say of a program before anybody runs it.
#pragma once

#include "compilers/cost_gate.h"
#include "tuning/program_builder.h"

#include <map>
#include <string>

namespace lanewise::driver {

struct Prediction {
  double cost = 0;      ///< of all workgroups of all dispatches, in cycles of a SIMD
  double registers = 0; ///< the most that a shader takes of an invocation
};
using Predictions = std::map<std::string, Prediction>; ///< by compiler; none that cannot tell

/// Of a program of the scenario's shaders. A compiler that has no figures for one of them is left
/// out.
Predictions predict(CompilerSet& compilers, const Scenario& scenario, const BuiltProgram& program,
                    const TargetProfile& target);

} // namespace lanewise::driver
