#include "verify/interpreter/code/program.h"

#include "analysis/module/decorations.h"
#include "analysis/module/source_lines.h"

namespace lanewise::driver::interpreter {

SourceLocation Program::locationOf(InstRef inst) const {
  // A compiler that writes OpLine only where the line changes leaves the first instructions of a
  // block without one: the line before them in the function is theirs as well.
  SourceLocation at = lines_->at(*module_, inst);
  BlockRef block = inst ? module_->blockOf(inst) : BlockRef();
  while (block && at.line == 0 && module_->opcode(inst) != spv::Op::OpFunction) {
    inst = InstRef(inst.value - 1);
    at = lines_->at(*module_, inst);
  }
  return at;
}

std::string Program::variableName(uint32_t site) const {
  Id id = sites[site].variable;
  if (!id) return {};
  for (const VariableInfo& v : variables)
    if (v.id == id) return v.name;
  return std::string(analyses_->get<Decorations>().name(*module_, id));
}

spv::Op Program::opcodeAt(uint32_t site) const {
  return site == 0 ? spv::Op::OpNop : module_->opcode(sites[site].inst);
}

} // namespace lanewise::driver::interpreter
