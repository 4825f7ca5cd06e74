#include "spirv/assembly.h"

#include "assembly/assembler.h"
#include "assembly/printer.h"
#include "support/failure.h"
#include "support/source_quote.h"
#include "support/terminal.h"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <optional>

namespace lanewise::driver {

namespace {

/// SPIRV-Tools' own header also tells which program of which version made the words, and the id
/// bound: neither says anything of the module, and both differ between machines.
std::string textHeader(std::span<const uint32_t> words) {
  const uint32_t version = words.size() > 1 ? words[1] : 0;
  return fmt::format("; SPIR-V\n; Version: {}.{}\n", version >> 16 & 0xFF, version >> 8 & 0xFF);
}

/// "; Version: 1.3" among the comments before the first instruction.
std::optional<spv_target_env> versionOfText(std::string_view text) {
  static constexpr spv_target_env kByMinor[] = {
      SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_1, SPV_ENV_UNIVERSAL_1_2, SPV_ENV_UNIVERSAL_1_3,
      SPV_ENV_UNIVERSAL_1_4, SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) continue;
    if (line[start] != ';') return {};
    constexpr std::string_view kKey = "; Version: 1.";
    if (!line.substr(start).starts_with(kKey)) continue;
    std::string_view minor = line.substr(start + kKey.size());
    if (minor.empty() || minor[0] < '0' || minor[0] > '6') return {};
    return kByMinor[minor[0] - '0'];
  }
  return {};
}

/// "NAME:LINE:COLUMN: error: MESSAGE" and the line of the text.
std::string placed(TextPlace place, const std::string& message, const std::string& name,
                   std::string_view text) {
  std::string whole = fmt::format("{}:{}:{}: error: {}", name, place.line, place.column, message);
  // Assembly has no directives.
  for (uint32_t n = 1; n < place.line && !text.empty(); ++n)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  const std::string quote = quoted(text, tokenAt(text, place.column), terminalWidth(stderr));
  return quote.empty() ? whole : whole + "\n" + quote.substr(0, quote.size() - 1);
}

} // namespace

Result<Words> assemble(std::string_view text, const std::string& name, spv_target_env env) {
  env = versionOfText(text).value_or(env);
  Result<ToolsAssembly> theirs = assembleByTools(text, env);
  if (theirs && !theirs->words.empty()) return std::move(theirs->words);
  Assembled ours = assembleText(text, versionOf(env));
  if (!ours.words.empty()) return std::move(ours.words);
  if (!theirs)
    return failure(fmt::format("{}: the SPIR-V assembler {}", name, theirs.error().message));
  // Who came further met what is wrong; the other only something newer than it is.
  if (ours.error.place.line > theirs->line)
    return failure(placed(ours.error.place, ours.error.message, name, text));
  return failure(placed({theirs->line, theirs->column}, theirs->message, name, text));
}

Result<std::string> disassemble(std::span<const uint32_t> words, TextHeader header, IdNames names) {
  const std::string top = header == TextHeader::Yes ? textHeader(words) : std::string();
  Result<std::string> text = disassembleByTools(words, names);
  if (text) return top + *text;
  if (Result<Module> module = Module::read(Words(words.begin(), words.end())))
    return top + printAssembly(*module, {.hasFriendlyNames = names == IdNames::Friendly});
  if (!text.error().message.starts_with("cannot print"))
    return failure("the SPIR-V disassembler " + text.error().message);
  return text;
}

} // namespace lanewise::driver
