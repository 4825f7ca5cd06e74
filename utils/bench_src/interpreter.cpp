// Speed of the interpreter with shadow state on: simple instructions a second on one core. Run
// through utils/bench --interpreter.
#include "input/front_end.h"
#include "verify/interpreter/lower/lower_program.h"
#include "verify/interpreter/run/machine.h"

#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <vector>

namespace {

using namespace lanewise;
namespace interp = driver::interpreter;

struct Kernel {
  const char* name;
  const char* text;
};

// What shaders do most, each kind by itself.
constexpr Kernel kKernels[] = {
    {"integer arithmetic",
     "void main() { uint x = gl_GlobalInvocationID.x, y = 1;\n"
     "for (uint k = 0; k < 2000; ++k) { x = x * 1664525u + 1013904223u; y ^= x >> 7; }\n"
     "b[gl_GlobalInvocationID.x] = y; }"},
    {"float arithmetic",
     "void main() { float x = float(gl_GlobalInvocationID.x), y = 1;\n"
     "for (uint k = 0; k < 2000; ++k) { x = x * 0.5 + 3.0; y = y + x * 0.25; }\n"
     "b[gl_GlobalInvocationID.x] = floatBitsToUint(y); }"},
    {"shared memory",
     "void main() { uint t = gl_LocalInvocationIndex, y = 0; s[t] = t;\nbarrier();\n"
     "for (uint k = 0; k < 1000; ++k) y += s[(t + k) & 255u];\n"
     "b[gl_GlobalInvocationID.x] = y; }"},
    {"storage buffer", "void main() { uint t = gl_GlobalInvocationID.x;\n"
                       "for (uint k = 0; k < 1000; ++k) b[t] += k;\n}"},
    {"barriers",
     "void main() { uint t = gl_LocalInvocationIndex; s[t] = t;\n"
     "for (uint k = 0; k < 200; ++k) { barrier(); uint x = s[t ^ 1u];\nbarrier(); s[t] = x + k; }\n"
     "b[gl_GlobalInvocationID.x] = s[t]; }"},
};

bool measure(const Kernel& kernel) {
  driver::LoadOptions options;
  std::string text = std::string("#version 450\nlayout(local_size_x = 256) in;\n"
                                 "layout(binding = 0) buffer B { uint b[]; };\n"
                                 "shared uint s[256];\n") +
                     kernel.text;
  Result<driver::Compiled> compiled =
      driver::compileSource({"bench.comp", text, "comp", false}, options);
  if (!compiled || !compiled->errors.empty()) return false;
  auto program = interp::lowerProgram(compiled->words, {});
  if (!program) return false;
  constexpr uint32_t kGroups = 16;
  std::vector<uint8_t> bytes(kGroups * 256 * 4);
  std::vector<interp::BufferMemory> memory{{bytes, "b", {}}};
  interp::BufferBinding binding;
  interp::MachineOptions machine;
  machine.threads = 1;
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    auto start = std::chrono::steady_clock::now();
    auto done =
        interp::dispatch({program->get(), {kGroups, 1, 1}, {&binding, 1}, {}}, memory, machine);
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (!done || !done->findings.empty()) return false;
    best = std::max(best, double(done->instructions) / spent.count());
  }
  fmt::print("{:<20} {:>8.1f} million instructions a second\n", kernel.name, best / 1e6);
  return true;
}

} // namespace

int main() {
  for (const Kernel& kernel : kKernels)
    if (!measure(kernel)) {
      fmt::print(stderr, "{}: did not run\n", kernel.name);
      return 1;
    }
  return 0;
}
