#include "input/hlsl_wave_intrinsics.h"

#include "analysis/module/source_lines.h"
#include "ir/module.h"
#include "ir/rewriter.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver {

namespace {

constexpr uint32_t kOperationWord = 4; ///< of OpGroupNonUniformIAdd and its kin
constexpr uint32_t kValueWord = 4;     ///< of OpGroupNonUniformAllEqual

/// The intrinsic that an InclusiveScan was, empty for any other instruction.
std::string_view scanOf(const Module& module, InstRef i) {
  std::string_view name;
  switch (module.opcode(i)) {
  case spv::Op::OpGroupNonUniformIAdd:
  case spv::Op::OpGroupNonUniformFAdd:
    name = "WavePrefixSum";
    break;
  case spv::Op::OpGroupNonUniformIMul:
  case spv::Op::OpGroupNonUniformFMul:
    name = "WavePrefixProduct";
    break;
  default:
    return {};
  }
  bool isInclusive =
      spv::GroupOperation(module.word(i, kOperationWord)) == spv::GroupOperation::InclusiveScan;
  return isInclusive ? name : std::string_view();
}

bool comparesWholeVectors(const Module& module, InstRef i) {
  return module.opcode(i) == spv::Op::OpGroupNonUniformAllEqual &&
         module.opcodeOf(module.typeOf(module.idAt(i, kValueWord))) == spv::Op::OpTypeVector;
}

/// Once for a line: a call in a function that was inlined or unrolled is one mistake.
void addOnce(std::vector<std::string>& lines, std::string line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
}

} // namespace

Status mendWaveIntrinsics(Compiled& compiled) {
  Result<Module> module = Module::read(compiled.words);
  if (!module) return module.error();
  SourceLines lines(*module);
  Rewriter rewriter(*module);
  for (InstRef i : module->insts()) {
    SourceLocation at = lines.at(*module, i);
    if (std::string_view name = scanOf(*module, i); !name.empty()) {
      rewriter.setWord(i, kOperationWord, uint32_t(spv::GroupOperation::ExclusiveScan));
      addOnce(
          compiled.warnings,
          fmt::format("{}:{}: warning: glslang {} compiles '{}' to an inclusive scan; the output "
                      "has the exclusive one that HLSL means, as DXC writes it",
                      at.file, at.line, glslangVersion(), name));
    } else if (comparesWholeVectors(*module, i)) {
      addOnce(
          compiled.errors,
          fmt::format("{}:{}: error: glslang {} compiles 'WaveActiveAllEqual' of a vector to one "
                      "answer for all components, where HLSL has one for each; compare the "
                      "components one by one, or compile with DXC and hand over its .spv",
                      at.file, at.line, glslangVersion()));
    }
  }
  Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  if (*changed) compiled.words.assign(module->words().begin(), module->words().end());
  return ok();
}

} // namespace lanewise::driver
