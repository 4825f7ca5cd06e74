#include "ir/beyond_grammar.h"

#include "ir/grammar_names.h"
#include "text/format_text.h"

namespace lanewise {
std::string nameOfUnknown(const Module& module, InstRef i) {
  const OpcodeFacts& facts = module.facts(i);
  if (facts.opClass == OpClass::Unknown) return formatText("opcode {}", uint32_t(module.opcode(i)));
  switch (module.opcode(i)) {
  case spv::Op::OpExtension:
    return formatText("the extension '{}'", module.stringAt(i, 1));
  case spv::Op::OpCapability:
    return formatText("capability {}", module.word(i, 1));
  case spv::Op::OpExecutionMode:
  case spv::Op::OpExecutionModeId:
    return formatText("execution mode {}", module.word(i, 2));
  case spv::Op::OpExtInst: {
    const InstRef import = module.def(module.idAt(i, 3));
    const bool isImport = import && module.opcode(import) == spv::Op::OpExtInstImport;
    return formatText("extended instruction {} of '{}'", module.word(i, 4),
                      isImport ? module.stringAt(import, 2) : std::string_view());
  }
  default:
    return formatText("an operand of {}", facts.name);
  }
}

std::optional<std::string> whatIsBeyondGrammar(const Module& module) {
  const InstRef first = module.firstBeyondGrammar();
  if (!first) return {};
  return formatText("{} (word {}), which the grammar of SPIR-V {} does not have",
                    nameOfUnknown(module, first), module.wordOffset(first), grammarVersion());
}

} // namespace lanewise
