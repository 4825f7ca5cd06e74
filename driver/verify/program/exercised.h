// Which ways the branches of a program's shaders went, collected over runs in the interpreter.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver {

namespace interpreter {
class Program;
}

/// What runs took of one shader.
struct ExercisedShader {
  std::string shader; ///< the scenario's name
  std::shared_ptr<const interpreter::Program> code;
  bool hasRun = false;        ///< some workgroup of it
  std::vector<uint8_t> edges; ///< by Program's edges: not 0 where a lane took it
};
using Exercised = std::vector<ExercisedShader>; ///< by shader of a program

/// Adds what other runs of the same modules took, perhaps with other specialization constants.
void merge(Exercised& to, const Exercised& more);
/// The same program by program; as many of both.
void merge(std::span<Exercised> to, std::span<const Exercised> more);

} // namespace lanewise::driver
