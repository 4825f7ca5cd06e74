#include "verify/compare/source_texts.h"

#include "support/files.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <spirv/unified1/NonSemanticShaderDebugInfo100.h>

namespace lanewise::driver {
namespace {

// OpExtInst: type, result, set and instruction take words 1 to 4.
constexpr uint32_t kFirstOperand = 5;

constexpr std::string_view kSpace = " \t\r\f\v";

std::string_view trimmed(std::string_view text) {
  size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) + 1 - first);
}

/// The number of "#line 12", nothing if this is no such directive or speaks of another file.
std::optional<uint32_t> lineDirective(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  line = trimmed(line.substr(1));
  if (!line.starts_with("line")) return std::nullopt;
  line = trimmed(line.substr(4));
  uint32_t number = 0;
  auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return number;
}

} // namespace

SourceTexts::Lines SourceTexts::split(std::string_view text) {
  Lines lines;
  uint32_t number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    // What compilers put before the text ends with such a directive (glslang: "#line 1").
    if (auto next = lineDirective(trimmed(line)))
      number = *next - 1;
    else
      lines[number] = line;
    at = end + 1;
  }
  return lines;
}

void SourceTexts::add(const Module& module) {
  std::string file, text;
  auto finish = [&] {
    if (!file.empty() && !text.empty()) files_.try_emplace(file, split(text));
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

const SourceTexts::Lines& SourceTexts::lines(const std::string& file) {
  auto [found, isNew] = files_.try_emplace(file);
  if (isNew && !file.empty() && file != "-" && !isFolder(file))
    if (Result<std::string> text = readFile(file)) found->second = split(*text);
  return found->second;
}

std::string SourceTexts::line(const SourceLocation& at) {
  if (at.line == 0 || at.file.empty()) return {};
  const Lines& all = lines(at.file);
  auto line = all.find(at.line);
  return line != all.end() ? std::string(trimmed(line->second)) : std::string();
}

} // namespace lanewise::driver
