// What a command runs: a scenario, given or generated, and the modules that stand for its shaders.
// A single module is a workload of one.
#pragma once

#include "input/front_end.h"
#include "lanewise/assumptions.h"
#include "lanewise/result.h"
#include "verify/inputs/synthesize.h"
#include "verify/program/program.h"
#include "verify/scenario/scenario.h"

#include <string>
#include <vector>

namespace lanewise::driver {

/// The scenario of a command line.
struct ScenarioChoice {
  std::string path;       ///< --scenario; "" for none
  std::string size;       ///< --size: one of its [sizes]
  std::string shader;     ///< --shader: the one that INPUT stands for; "" where that is clear
  Parameters values = {}; ///< of its parameters, in place of the file's

  bool isGiven() const { return !path.empty(); }
};

/// Whether compiled source keeps the line information that it was compiled with.
enum class Lines { Keep, Strip };
Words wordsOf(const LoadedModule& module, Lines lines);

/// Programs that run beside one another.
struct Workload {
  Scenario scenario;
  std::vector<ProgramVariant> programs; ///< the original first
  std::vector<std::string> notes;       ///< what was generated or assumed
  std::string notRunnable;              ///< why no inputs could be generated; "" where they could
};

/// The shaders of a scenario, each loaded as the scenario and the command line ask for: macros of
/// the command line go before the scenario's; -x speaks of what stands for a shader, not of the
/// scenario's own files.
class ScenarioShaders {
public:
  /// Reads the scenario and no shader. `given` is the command line's. With `keepsQueueFaults` as
  /// of ScenarioReading.
  static Result<ScenarioShaders> read(const ScenarioChoice& choice, LoadOptions given,
                                      bool keepsQueueFaults = false);

  const Scenario& scenario() const { return scenario_; }
  /// Those that the scenario's own dispatches use; those that only rivals use are none of them.
  std::vector<const ScenarioShader*> used() const;
  /// The shader that the module `input` stands for: the one that --shader names, else the one with
  /// that file or a file of that name (that of the scenario's own dispatches before a rival's),
  /// else the only one that the scenario's own dispatches use.
  Result<const ScenarioShader*> standsFor(const std::string& input) const;
  /// The same for `opt`, which may rewrite a file that several shaders share: then the first.
  Result<const ScenarioShader*> firstOf(const std::string& input) const;

  /// How the scenario's own file of a shader is loaded.
  LoadOptions optionsFor(const ScenarioShader& shader) const;
  /// How a file is loaded that stands for it.
  LoadOptions optionsForStandIn(const ScenarioShader& shader) const;
  /// The shader's specialization constants in the module, beside `given`. An error names the
  /// shader.
  static Result<Assumptions> assumptionsFor(const ScenarioShader& shader, const Module& module,
                                            Assumptions given);
  /// Gives a shader's constants the types that they have in the module, once and for all.
  Status settle(const std::string& shader, const Module& module);

  Result<LoadedModule> load(const ScenarioShader& shader) const;
  Result<LoadedModule> loadStandIn(const ScenarioShader& shader, const std::string& path) const;
  /// Where `opt --scenario -o FOLDER` wrote what stands for a shader.
  Result<std::string> pathIn(const std::string& folder, const ScenarioShader& shader) const;

private:
  ScenarioChoice choice_;
  Scenario scenario_;
  LoadOptions given_;
};

/// The shaders that the scenario's own dispatches use, in the order of the scenario.
std::vector<const ScenarioShader*> shadersOfProgram(const Scenario& scenario);
/// The same for any dispatches.
std::vector<const ScenarioShader*> shadersOf(const Scenario& scenario,
                                             const std::vector<ScenarioDispatch>& dispatches);

/// The layout manifest that `opt --scenario -o FOLDER` left there; "" where there is none.
std::string manifestIn(const std::string& folder);
/// The layouts by which a variant sees buffers.
Result<LayoutManifest> layoutsOf(const ScenarioVariant& variant);

/// Generates the scenario of a module, or of an original and what was made of it, both under the
/// name of their entry point. The error is one line and begins "no inputs could be generated".
Result<Scenario> generateScenario(const ShaderPair& modules, const Assumptions& assumptions,
                                  uint64_t seed, std::vector<std::string>& notes,
                                  const SynthesisLimits& limits = {});

} // namespace lanewise::driver
