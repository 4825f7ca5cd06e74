#include "input/hlsl_registers.h"

#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "ir/module.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>
#include <vector>

namespace lanewise::driver {

namespace {

/// In the order in which bases are proposed.
enum class RegisterClass : uint32_t { B, T, U, S };
struct RegisterClassName {
  char letter;
  std::string_view option;
};
constexpr std::array kClasses{RegisterClassName{'b', "-fcbuffer-binding-base"},
                              RegisterClassName{'t', "-ftexture-binding-base"},
                              RegisterClassName{'u', "-fuav-binding-base"},
                              RegisterClassName{'s', "-fsampler-binding-base"}};

class Registers {
public:
  explicit Registers(const Module& module) : module_(module), decorations_(module), uses_(module) {}

  struct Register {
    Id variable;
    RegisterClass kind;
  };

  /// By set and binding.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Register>> collect() const {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<Register>> places;
    for (InstRef i : module_.insts()) {
      if (module_.opcode(i) != spv::Op::OpVariable) continue;
      const Id variable = module_.resultId(i);
      const auto set = decorations_.operand(module_, variable, spv::Decoration::DescriptorSet);
      const auto binding = decorations_.operand(module_, variable, spv::Decoration::Binding);
      if (set && binding && isUsed(variable))
        places[{*set, *binding}].push_back({variable, classOf(variable)});
    }
    return places;
  }

  std::string nameOf(Id variable) const {
    std::string_view name = decorations_.name(module_, variable);
    // A cbuffer's variable has no name, its block has.
    if (name.empty()) name = decorations_.name(module_, pointee(variable));
    return std::string(name);
  }

private:
  /// By an instruction, not only by names, decorations and the list of the entry point's interface.
  bool isUsed(Id variable) const {
    for (const Use& use : uses_.uses(variable)) {
      const spv::Op op = module_.opcode(use.user);
      if (op != spv::Op::OpName && op != spv::Op::OpDecorate && op != spv::Op::OpDecorateId &&
          op != spv::Op::OpDecorateString && op != spv::Op::OpEntryPoint)
        return true;
    }
    return false;
  }

  /// What the variable is, or is an array of.
  Id pointee(Id variable) const {
    constexpr uint32_t kTypeWord = 3, kElementWord = 2;
    Id type = module_.idAt(module_.def(module_.typeOf(variable)), kTypeWord);
    while (module_.opcodeOf(type) == spv::Op::OpTypeArray ||
           module_.opcodeOf(type) == spv::Op::OpTypeRuntimeArray)
      type = module_.idAt(module_.def(type), kElementWord);
    return type;
  }

  RegisterClass classOf(Id variable) const {
    constexpr uint32_t kSampledWord = 7;
    const Id type = pointee(variable);
    switch (module_.opcodeOf(type)) {
    case spv::Op::OpTypeSampler:
      return RegisterClass::S;
    case spv::Op::OpTypeImage: // 2: without a sampler, that is, for reading and writing
      return module_.word(module_.def(type), kSampledWord) == 2 ? RegisterClass::U
                                                                : RegisterClass::T;
    case spv::Op::OpTypeStruct:
      if (!isStorage(variable, type)) return RegisterClass::B;
      return isReadOnly(variable, type) ? RegisterClass::T : RegisterClass::U;
    default: // acceleration structures
      return RegisterClass::T;
    }
  }

  bool isStorage(Id variable, Id type) const {
    constexpr uint32_t kStorageClassWord = 3;
    return decorations_.has(type, spv::Decoration::BufferBlock) ||
           spv::StorageClass(module_.word(module_.def(variable), kStorageClassWord)) ==
               spv::StorageClass::StorageBuffer;
  }
  bool isReadOnly(Id variable, Id type) const {
    return decorations_.has(variable, spv::Decoration::NonWritable) ||
           decorations_.hasMember(type, 0, spv::Decoration::NonWritable);
  }

  const Module& module_;
  Decorations decorations_;
  DefUse uses_;
};

} // namespace

std::string sharedRegisters(std::span<const uint32_t> words, const RegisterBases& bases) {
  Result<Module> module = Module::read({words.begin(), words.end()});
  if (!module) return {}; // who reads it next says so
  const Registers registers(*module);
  const std::array<uint32_t, 4> base{bases.constantBuffers, bases.readable, bases.writable,
                                     bases.samplers};
  std::string shared;
  uint32_t most = 0;
  std::array<bool, 4> isThere{};
  for (const auto& [place, variables] : registers.collect()) {
    const auto [set, binding] = place;
    most = std::max(most, binding);
    std::vector<std::string> names;
    for (const Registers::Register& v : variables) {
      isThere[size_t(v.kind)] = true;
      const uint32_t first = base[size_t(v.kind)];
      names.push_back(fmt::format("'{}' ({}{})", registers.nameOf(v.variable),
                                  kClasses[size_t(v.kind)].letter,
                                  binding < first ? binding : binding - first));
    }
    if (names.size() < 2 || !shared.empty()) continue;
    const std::string last = std::move(names.back());
    names.pop_back();
    shared = fmt::format("{} and {} are all binding {} of set {}", fmt::join(names, ", "), last,
                         binding, set);
    if (names.size() == 1) shared.replace(shared.find(" are all "), 9, " are both ");
  }
  if (shared.empty()) return {};
  uint32_t step = 16;
  while (step <= most) step *= 2;
  std::string mend;
  uint32_t next = 0;
  for (size_t n = 0; n < kClasses.size(); ++n) {
    if (!isThere[n]) continue;
    if (next > 0) mend += fmt::format(" {}={}", kClasses[n].option, next);
    next += step;
  }
  return fmt::format("{}; give each class its own bindings ({}), or leave the registers out",
                     shared, mend.substr(std::min<size_t>(1, mend.size())));
}

} // namespace lanewise::driver
