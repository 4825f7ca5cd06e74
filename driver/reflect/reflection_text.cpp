#include "reflect/reflection_report.h"
#include "verify/formats/scalars.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver {
namespace {

constexpr size_t kTextColumns = 80;
constexpr size_t kStep = 2;

/// Names in a module may be any bytes; control characters would garble a terminal.
std::string printable(const std::string& name) {
  std::string text = name;
  for (char& c : text)
    if (std::iscntrl(static_cast<unsigned char>(c))) c = '?';
  return text;
}

std::string joined(const std::vector<uint32_t>& ids) {
  return fmt::format("{}", fmt::join(ids, ", "));
}

std::string constants(const std::vector<uint32_t>& ids) {
  return fmt::format("specialization constant{} {}", ids.size() == 1 ? "" : "s", joined(ids));
}

std::vector<std::string> wordsOf(const MemoryQualifiers& q) {
  std::vector<std::string> words;
  if (q.isReadOnly) words.emplace_back("readonly");
  if (q.isWriteOnly) words.emplace_back("writeonly");
  if (q.isCoherent) words.emplace_back("coherent");
  if (q.isVolatile) words.emplace_back("volatile");
  if (q.isRestrict) words.emplace_back("restrict");
  return words;
}

/// "STORAGE_BUFFER" as "storage buffer".
std::string kindText(const std::string& kind) {
  std::string text = kind.empty() ? "unknown kind of resource" : kind;
  if (text.ends_with("_KHR") || text.ends_with("_ARM")) text.resize(text.size() - 4);
  for (char& c : text) c = c == '_' ? ' ' : char(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string extentText(const ArrayExtent& extent) {
  return extent.length ? fmt::format("[{}]", *extent.length) : "[]";
}

/// Where lengths come from, for each extent that is not literal.
void addOpenLengths(const std::vector<ArrayExtent>& extents, std::vector<std::string>& facts) {
  for (const ArrayExtent& extent : extents)
    if (!extent.specIds.empty())
      facts.push_back(fmt::format("{} by {}", extentText(extent), constants(extent.specIds)));
}

std::string bytesText(std::optional<uint64_t> bytes) {
  return bytes ? fmt::format("{} byte{}", *bytes, *bytes == 1 ? "" : "s") : "unknown size";
}

class Writer {
public:
  explicit Writer(const ModuleInterface& interface) : interface_(interface) {}

  std::string run(const std::string& name) {
    // Not wrapped: whoever looks for a file looks for its whole name.
    text_ = fmt::format("{}: SPIR-V {}.{}\n", printable(name), interface_.version >> 16,
                        interface_.version >> 8 & 0xFF);
    list(1, "capabilities: ", interface_.capabilities);
    list(1, "extensions: ", interface_.extensions);
    list(1, "extended instructions: ", interface_.instructionSets);
    addSpecConstants();
    for (const DescribedEntryPoint& entry : interface_.entryPoints) addEntry(entry);
    if (interface_.entryPoints.empty()) add(1, "no entry point");
    if (!interface_.unusedBindings.empty()) {
      add(1, "bindings that no entry point uses");
      shown_.clear();
      for (const DescribedBinding& binding : interface_.unusedBindings) addBinding(2, binding);
    }
    return std::move(text_);
  }

private:
  // ----- lines -----

  /// What does not fit goes on in the next line, two steps further in.
  void add(size_t level, const std::string& line) {
    std::string indent(level * kStep, ' ');
    std::string rest = line;
    while (indent.size() + rest.size() > kTextColumns) {
      size_t space = rest.rfind(' ', kTextColumns - indent.size());
      // Leading blanks, as before a right-aligned offset, are no place to break.
      if (space == std::string::npos || space <= rest.find_first_not_of(' '))
        space = rest.find(' ', kTextColumns - indent.size());
      if (space == std::string::npos) break;
      text_ += indent + rest.substr(0, space) + "\n";
      rest.erase(0, space + 1);
      indent = std::string((level + 2) * kStep, ' ');
    }
    text_ += indent + rest + "\n";
  }

  void list(size_t level, const std::string& title, const std::vector<std::string>& items) {
    if (items.empty()) return;
    std::vector<std::string> shown;
    for (const std::string& item : items) shown.push_back(printable(item));
    add(level, title + fmt::format("{}", fmt::join(shown, ", ")));
  }

  static std::string withFacts(std::string line, const std::vector<std::string>& facts) {
    return facts.empty() ? line : line + fmt::format(" ({})", fmt::join(facts, ", "));
  }

  static std::string declaration(const std::string& type, const std::string& name) {
    return printable(name.empty() || name == type ? type : type + " " + name);
  }

  // ----- parts -----

  void addSpecConstants() {
    if (interface_.specConstants.empty()) return;
    add(1, "specialization constants");
    for (const DescribedSpecConstant& constant : interface_.specConstants)
      add(2, fmt::format("{:>3}  {} = {}", constant.id, declaration(constant.type, constant.name),
                         defaultText(constant)));
  }

  void addEntry(const DescribedEntryPoint& entry) {
    shown_.clear();
    add(1, fmt::format("{} entry point {}", entry.stage, printable(entry.name)));
    if (entry.workgroupSize) addWorkgroupSize(*entry.workgroupSize);
    list(2, "execution modes: ", entry.executionModes);
    addVariables("inputs", entry.inputs);
    addVariables("outputs", entry.outputs);
    list(2, "built-in inputs: ", entry.inputBuiltIns);
    list(2, "built-in outputs: ", entry.outputBuiltIns);
    if (!entry.bindings.empty()) add(2, "bindings");
    for (const DescribedBinding& binding : entry.bindings) addBinding(3, binding);
    if (entry.pushConstants) addPushConstants(*entry.pushConstants);
    addShared(entry);
  }

  void addWorkgroupSize(const DescribedWorkgroupSize& size) {
    std::vector<std::string> facts;
    for (size_t d = 0; d < 3; ++d)
      if (!size.specIds[d].empty())
        facts.push_back(fmt::format("{} by {}", "xyz"[d], constants(size.specIds[d])));
    add(2, withFacts(
               fmt::format("workgroup size {} x {} x {}", size.size[0], size.size[1], size.size[2]),
               facts));
  }

  void addVariables(const char* title, const std::vector<StageVariable>& variables) {
    if (variables.empty()) return;
    add(2, title);
    for (const StageVariable& variable : variables) {
      std::vector<std::string> facts = variable.qualifiers;
      if (variable.component) facts.push_back(fmt::format("component {}", variable.component));
      if (variable.index) facts.push_back(fmt::format("index {}", *variable.index));
      if (variable.locations != 1) facts.push_back(fmt::format("{} locations", variable.locations));
      addOpenLengths(variable.type.extents, facts);
      const std::string place = variable.location ? fmt::format("{}", *variable.location) : "-";
      add(3, withFacts(fmt::format("location {:>2}  {}", place,
                                   declaration(variable.type.text, variable.name)),
                       facts));
    }
  }

  void addBinding(size_t level, const DescribedBinding& binding) {
    auto number = [](std::optional<uint32_t> n) {
      return n ? fmt::format("{}", *n) : std::string("-");
    };
    std::vector<std::string> facts = wordsOf(binding.qualifiers);
    if (!binding.format.empty()) facts.insert(facts.begin(), binding.format);
    if (binding.inputAttachmentIndex)
      facts.push_back(fmt::format("attachment {}", *binding.inputAttachmentIndex));
    addOpenLengths(binding.array, facts);
    std::string array;
    for (const ArrayExtent& extent : binding.array) array += extentText(extent);
    const bool isBuffer = !binding.block.type.structName.empty();
    const std::string type = isBuffer ? std::string() : ": " + binding.block.type.text;
    add(level, withFacts(fmt::format("{:<5} {} {}{}{}",
                                     number(binding.set) + "." + number(binding.binding),
                                     kindText(binding.kind), printable(binding.block.name), array,
                                     printable(type)),
                         facts));
    if (isBuffer) addBlock(level + 3, binding.block);
  }

  void addPushConstants(const DescribedBlock& block) {
    add(2, block.name.empty() ? "push constants" : "push constants " + printable(block.name));
    addBlock(3, block);
  }

  void addBlock(size_t level, const DescribedBlock& block) {
    if (block.runtimeArray)
      add(level, fmt::format("{}, then {} for each element", bytesText(block.bytes),
                             bytesText(block.runtimeArray->stride)));
    else
      add(level, bytesText(block.bytes));
    addMembers(level, block.type.structName);
  }

  void addMembers(size_t level, const std::string& name) {
    const DescribedStruct* described = interface_.findStruct(name);
    if (!described) return;
    if (!shown_.insert(name).second) {
      if (!described->members.empty())
        add(level, fmt::format("members of {}: see above", printable(name)));
      return;
    }
    for (const DescribedMember& member : described->members) {
      std::vector<std::string> facts;
      if (!member.type.extents.empty() && member.type.extents[0].stride)
        facts.push_back(fmt::format("stride {}", strides(member.type.extents)));
      if (member.matrixStride)
        facts.push_back(fmt::format("{}-major, matrix stride {}",
                                    member.isRowMajor ? "row" : "column", member.matrixStride));
      addOpenLengths(member.type.extents, facts);
      for (std::string& word : wordsOf(member.qualifiers)) facts.push_back(std::move(word));
      const std::string offset = member.offset ? fmt::format("{}", *member.offset) : "-";
      add(level,
          withFacts(fmt::format("{:>5}  {}", offset, declaration(member.type.text, member.name)),
                    facts));
      const std::string& inner =
          member.type.structName.empty() ? member.type.pointee : member.type.structName;
      if (!inner.empty() && level < kDeepest) addMembers(level + 3, inner);
    }
  }

  static std::string strides(const std::vector<ArrayExtent>& extents) {
    std::vector<uint32_t> all;
    for (const ArrayExtent& extent : extents) all.push_back(extent.stride);
    return fmt::format("{}", fmt::join(all, ", "));
  }

  void addShared(const DescribedEntryPoint& entry) {
    for (const SharedVariable& payload : entry.taskPayload) {
      add(2, fmt::format("task payload {}: {}", declaration(payload.type.text, payload.name),
                         bytesText(payload.bytes)));
    }
    if (entry.sharedVariables.empty()) return;
    add(2, fmt::format("shared memory: {}", bytesText(entry.sharedBytes)));
    for (const SharedVariable& shared : entry.sharedVariables) {
      std::vector<std::string> facts;
      addOpenLengths(shared.type.extents, facts);
      add(3, withFacts(fmt::format("{}: {}", declaration(shared.type.text, shared.name),
                                   bytesText(shared.bytes)),
                       facts));
    }
  }

  static constexpr size_t kDeepest = 24; ///< levels; further in, nothing would be left of a line
  const ModuleInterface& interface_;
  std::set<std::string> shown_; ///< structs whose members this entry point has shown
  std::string text_;
};

} // namespace

std::string defaultText(const DescribedSpecConstant& constant) {
  using enum DescribedSpecConstant::Kind;
  switch (constant.kind) {
  case Bool:
    return constant.defaultBits ? "true" : "false";
  case Float:
    if (constant.width == 16 || constant.width == 32 || constant.width == 64) {
      const ScalarType type = constant.width == 16   ? ScalarType::F16
                              : constant.width == 32 ? ScalarType::F32
                                                     : ScalarType::F64;
      uint8_t bytes[8];
      std::memcpy(bytes, &constant.defaultBits, 8);
      return formatScalar(type, bytes);
    }
    return fmt::format("{:#x}", constant.defaultBits);
  case Signed: {
    const uint32_t unused = 64 - constant.width;
    return fmt::format("{}", int64_t(constant.defaultBits << unused) >> unused);
  }
  case Unsigned:
    break;
  }
  return fmt::format("{}", constant.defaultBits);
}

std::string reflectionAsText(const ReflectReport& report) {
  std::string text;
  for (const ReflectedInput& input : report.inputs) {
    if (!text.empty()) text += "\n";
    text += Writer(input.interface).run(input.name);
  }
  return text;
}

} // namespace lanewise::driver
