#include "verify/program/stated_inputs.h"

#include "analysis/module/decorations.h"
#include "ir/module.h"
#include "support/failure.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace lanewise::driver {
namespace {

using Subject = StatedFact::Subject;

/// Where a module declares what facts name.
class Declared {
public:
  static std::optional<Declared> read(const Words& words) {
    Result<Module> module = Module::read(words);
    if (!module) return std::nullopt;
    return Declared(std::move(*module));
  }

  /// Byte offset in the push-constant block.
  std::optional<uint32_t> offsetOf(const StatedFact& fact) const {
    if (fact.name.empty()) return fact.offset;
    for (InstRef i : module_.globals())
      if (module_.opcode(i) == spv::Op::OpVariable &&
          spv::StorageClass(module_.word(i, 3)) == spv::StorageClass::PushConstant)
        return memberOffset(module_.idAt(module_.def(module_.resultType(i)), 3), fact.name);
    return std::nullopt;
  }

  bool isCalled(const ReflectedBinding& binding, const std::string& name) const {
    if (binding.name == name || fmt::format("{}.{}", binding.set, binding.binding) == name)
      return true;
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) != spv::Op::OpVariable) continue;
      const Id variable = module_.resultId(i);
      if (decorations_.operand(module_, variable, spv::Decoration::DescriptorSet) != binding.set ||
          decorations_.operand(module_, variable, spv::Decoration::Binding) != binding.binding)
        continue;
      const Id block = module_.idAt(module_.def(module_.resultType(i)), 3);
      if (decorations_.name(module_, variable) == name || decorations_.name(module_, block) == name)
        return true;
    }
    return false;
  }

private:
  explicit Declared(Module module) : module_(std::move(module)), decorations_(module_) {}

  /// Of "light.size.x" in a struct or vector.
  std::optional<uint32_t> memberOffset(Id type, std::string_view path) const {
    const InstRef def = module_.def(type);
    if (!def) return std::nullopt;
    if (path.empty()) return 0u;
    const std::string_view first = path.substr(0, path.find('.'));
    const std::string_view rest = first.size() == path.size() ? "" : path.substr(first.size() + 1);
    if (module_.opcode(def) == spv::Op::OpTypeVector) {
      const size_t n = std::string_view("xyzw").find(first);
      const InstRef scalar = module_.def(module_.idAt(def, 2));
      if (first.size() != 1 || n == std::string_view::npos || !rest.empty()) return std::nullopt;
      return uint32_t(n) * module_.word(scalar, 2) / 8;
    }
    if (module_.opcode(def) != spv::Op::OpTypeStruct) return std::nullopt;
    for (uint32_t m = 0; m + 2 < module_.wordCount(def); ++m) {
      if (Decorations::memberName(module_, type, m) != first) continue;
      const auto offset = decorations_.operand(module_, type, spv::Decoration::Offset, m);
      const auto inside = memberOffset(module_.idAt(def, m + 2), rest);
      return offset && inside ? std::optional(*offset + *inside) : std::nullopt;
    }
    return std::nullopt;
  }

  Module module_;
  Decorations decorations_;
};

// ---- push constants ----

std::optional<ScalarType> typeAt(const ReflectedBlock& block, uint32_t offset) {
  for (const ReflectedField& field : block.header)
    if (field.offset == offset) return field.type;
  for (uint64_t n = 0; n < block.arrayLength; ++n)
    for (const ReflectedField& field : block.element)
      if (block.arrayOffset + n * block.arrayStride + field.offset == offset) return field.type;
  return std::nullopt;
}

bool isSignedScalar(ScalarType type) {
  return type == ScalarType::I8 || type == ScalarType::I16 || type == ScalarType::I32 ||
         type == ScalarType::I64;
}

int64_t readInteger(ScalarType type, const uint8_t* from) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, byteSize(type));
  const uint32_t unused = 64 - 8 * uint32_t(byteSize(type));
  return isSignedScalar(type) ? int64_t(bits << unused) >> unused : int64_t(bits);
}

/// An integer that facts about a shader's push constants speak of.
struct PushInteger {
  ScalarType type;
  uint32_t offset;
};
std::optional<PushInteger> pushInteger(const Declared& declared, const ReflectedBlock& block,
                                       const StatedFact& fact, size_t bytes) {
  const auto offset = declared.offsetOf(fact);
  if (!offset) return std::nullopt;
  const auto type = typeAt(block, *offset);
  if (!type || isFloat(*type) || *offset + byteSize(*type) > bytes) return std::nullopt;
  return PushInteger{*type, *offset};
}

// ---- one dispatch ----

uint64_t lengthOf(const ReflectedBlock& block, const ScenarioBuffer& buffer) {
  return buffer.bytes() < block.arrayOffset
             ? 0
             : (buffer.bytes() - block.arrayOffset) / block.arrayStride;
}

bool isRuntimeArray(const ReflectedBinding& binding) {
  return binding.isBuffer() && binding.block.arrayStride != 0 && binding.block.arrayLength == 0;
}

/// A number that agrees with all facts that `isIt` picks, near one that does not; the number itself
/// where none is found.
template <class IsIt>
int64_t agreeing(const std::vector<StatedFact>& facts, int64_t number, IsIt&& isIt) {
  const auto agrees = [&](int64_t n) {
    return std::all_of(facts.begin(), facts.end(),
                       [&](const StatedFact& f) { return !isIt(f) || f.holdsFor(n); });
  };
  if (agrees(number)) return number;
  std::vector<int64_t> tries;
  int64_t modulus = 1, rest = 0;
  for (const StatedFact& fact : facts) {
    if (!isIt(fact)) continue;
    if (fact.modulus != 0) modulus = fact.modulus, rest = fact.value;
    for (int64_t near : {fact.value, fact.value + 1, fact.value - 1}) tries.push_back(near);
  }
  tries.push_back(number);
  for (size_t n = tries.size(); n-- > 0;) {
    const int64_t down = tries[n] - ((tries[n] % modulus + modulus) % modulus) + rest;
    tries.insert(tries.end(), {down, down + modulus, down - modulus});
  }
  for (int64_t n : tries)
    if (n >= 0 && agrees(n)) return n;
  for (int64_t n : tries)
    if (agrees(n)) return n;
  return number;
}

bool isSameSubject(const StatedFact& a, const StatedFact& b) {
  return a.subject == b.subject && a.name == b.name && a.offset == b.offset &&
         a.component == b.component;
}

} // namespace

Status checkStated(const Scenario& scenario, const Program& program) {
  for (size_t d = 0; d < program.dispatches.size() && !scenario.stated.empty(); ++d) {
    const ProgramDispatch& dispatch = program.dispatches[d];
    const ProgramShader& shader = program.shaders[dispatch.shader];
    const auto declared = Declared::read(shader.words);
    if (!declared) continue;
    for (const StatedFact& fact : scenario.stated) {
      const auto check = [&](int64_t number, std::string_view what) -> Status {
        if (fact.holdsFor(number)) return ok();
        return failure(fmt::format("--assume='{}' does not hold: {} is {} in dispatch {} (shader "
                                   "'{}'); change the inputs, or what is assumed",
                                   fact.text, what, number, d + 1, shader.name));
      };
      Status agrees = ok();
      if (fact.subject == Subject::Groups) {
        if (dispatch.indirect)
          return failure(
              fmt::format("--assume='{}' cannot be checked: dispatch {} reads its number "
                          "of workgroups from a buffer",
                          fact.text, d + 1));
        agrees = check(dispatch.groups[fact.component], "it");
      } else if (fact.subject == Subject::PushConstant) {
        const auto integer = pushInteger(*declared, shader.reflection.pushConstants, fact,
                                         dispatch.pushConstants.size());
        if (integer)
          agrees = check(
              readInteger(integer->type, dispatch.pushConstants.data() + integer->offset), "it");
      } else {
        for (const ReflectedBinding& binding : shader.reflection.bindings)
          for (const ProgramDispatch::Binding& bound : dispatch.bindings)
            if (agrees && isRuntimeArray(binding) && bound.set == binding.set &&
                bound.binding == binding.binding && declared->isCalled(binding, fact.name))
              agrees = check(int64_t(lengthOf(binding.block, scenario.buffers[bound.buffer])),
                             "the length");
      }
      if (!agrees) return agrees;
    }
  }
  return ok();
}

void meetStated(Scenario& scenario, const Words& words) {
  const auto declared = Declared::read(words);
  if (!declared || scenario.dispatches.empty() || scenario.shaders.empty()) return;
  const ScenarioShader& shader = scenario.shaders.front();
  const Result<Reflection> reflection = reflect(words, shader.entry, shader.specConstants);
  if (!reflection) return;
  ScenarioDispatch& dispatch = scenario.dispatches.front();
  for (const StatedFact& fact : scenario.stated) {
    const auto agreed = [&](int64_t number) {
      return agreeing(scenario.stated, number,
                      [&](const StatedFact& other) { return isSameSubject(fact, other); });
    };
    if (fact.subject == Subject::Groups) {
      const int64_t groups = agreed(dispatch.groups[fact.component]);
      if (groups > 0 && groups <= UINT16_MAX) dispatch.groups[fact.component] = uint32_t(groups);
    } else if (fact.subject == Subject::PushConstant) {
      const auto integer =
          pushInteger(*declared, reflection->pushConstants, fact, dispatch.pushConstants.size());
      if (!integer) continue;
      uint8_t* at = dispatch.pushConstants.data() + integer->offset;
      const int64_t number = agreed(readInteger(integer->type, at));
      std::memcpy(at, &number, byteSize(integer->type));
    } else {
      for (const ReflectedBinding& binding : reflection->bindings)
        for (const ScenarioBinding& bound : dispatch.bindings) {
          if (!isRuntimeArray(binding) || bound.set != binding.set ||
              bound.binding != binding.binding || !declared->isCalled(binding, fact.name))
            continue;
          for (ScenarioBuffer& buffer : scenario.buffers)
            if (buffer.name == bound.buffer && buffer.elementBytes() == binding.block.arrayStride) {
              const int64_t length = int64_t(lengthOf(binding.block, buffer));
              const int64_t wanted = agreed(length) - length + int64_t(buffer.count);
              if (wanted > 0 && wanted <= (1 << 24)) buffer.count = uint64_t(wanted);
            }
        }
    }
  }
}

} // namespace lanewise::driver
