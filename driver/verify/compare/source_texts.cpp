#include "verify/compare/source_texts.h"

#include "support/files.h"

#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

namespace lanewise::driver {
namespace {

// OpExtInst: type, result, set and instruction take words 1 to 4.
constexpr uint32_t kFirstOperand = 5;

} // namespace

void SourceTexts::add(const Module& module) {
  std::string file, text;
  auto finish = [&] {
    if (!file.empty() && !text.empty()) files_.try_emplace(file, numberedLines(text));
    file.clear(), text.clear();
  };
  auto stringOf = [&](InstRef i, uint32_t word) -> std::string_view {
    if (word >= module.wordCount(i)) return {};
    const InstRef def = module.def(module.idAt(i, word));
    return def && module.opcode(def) == spv::Op::OpString ? module.stringAt(def, 2)
                                                          : std::string_view();
  };
  for (InstRef i : module.insts()) {
    if (module.opcode(i) == spv::Op::OpFunction) break;
    if (module.opcode(i) == spv::Op::OpSource) {
      finish();
      file = stringOf(i, 3);
      if (module.wordCount(i) > 4) text = module.stringAt(i, 4);
    } else if (module.opcode(i) == spv::Op::OpSourceContinued) {
      text += module.stringAt(i, 1);
    } else if (module.opcode(i) == spv::Op::OpExtInst &&
               module.extInstSet(module.idAt(i, 3)) == ExtInstSet::NonSemanticShaderDebugInfo100) {
      if (module.word(i, 4) == NonSemanticShaderDebugInfo100DebugSource) {
        finish();
        file = stringOf(i, kFirstOperand);
        text = stringOf(i, kFirstOperand + 1);
      } else if (module.word(i, 4) == NonSemanticShaderDebugInfo100DebugSourceContinued) {
        text += stringOf(i, kFirstOperand);
      }
    }
  }
  finish();
}

const NumberedLines& SourceTexts::lines(const std::string& file) {
  auto [found, isNew] = files_.try_emplace(file);
  if (isNew && !file.empty() && file != "-" && !isFolder(file))
    if (Result<std::string> text = readFile(file)) found->second = numberedLines(*text);
  return found->second;
}

const std::string& SourceTexts::wholeLine(const SourceLocation& at) {
  static const std::string none;
  if (at.line == 0 || at.file.empty()) return none;
  const NumberedLines& all = lines(at.file);
  const auto line = all.find(at.line);
  return line != all.end() ? line->second : none;
}

std::string SourceTexts::line(const SourceLocation& at) {
  return std::string(withoutSpaceAround(wholeLine(at)));
}

std::string SourceTexts::quote(const SourceLocation& at, std::string_view subject,
                               uint32_t columns) {
  const std::string& text = wholeLine(at);
  return quoted(text, rangeIn(text, at.column, subject), columns);
}

} // namespace lanewise::driver
