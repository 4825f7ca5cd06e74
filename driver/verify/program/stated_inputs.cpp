#include "verify/program/stated_inputs.h"

#include "analysis/module/analyses.h"
#include "analysis/module/decorations.h"
#include "analysis/module/stated_subjects.h"
#include "ir/module.h"
#include "support/failure.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace lanewise::driver {
namespace {

using Subject = StatedFact::Subject;

/// What a module declares of all that facts name.
class Declared {
public:
  static std::unique_ptr<Declared> read(const Words& words, const std::vector<StatedFact>& facts) {
    Result<Module> module = Module::read(words);
    if (!module) return nullptr;
    return std::unique_ptr<Declared>(new Declared(std::move(*module), facts));
  }
  const StatedSubject& subject(size_t fact) { return analyses_.get<StatedSubjects>().of(fact); }
  bool isMeant(size_t fact, const ReflectedBinding& binding) {
    const Decorations& decorations = analyses_.get<Decorations>();
    const auto& buffers = subject(fact).buffers;
    return std::any_of(buffers.begin(), buffers.end(), [&](Id buffer) {
      return decorations.operand(module_, buffer, spv::Decoration::DescriptorSet) == binding.set &&
             decorations.operand(module_, buffer, spv::Decoration::Binding) == binding.binding;
    });
  }

private:
  Declared(Module module, const std::vector<StatedFact>& facts)
      : module_(std::move(module)), assumptions_{.specConstants = {},
                                                 .workgroupSize = std::nullopt,
                                                 .stated = facts},
        analyses_(module_, assumptions_) {}

  const Module module_;
  const Assumptions assumptions_;
  Analyses analyses_;
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
std::optional<PushInteger> pushInteger(const StatedSubject& subject, const ReflectedBlock& block,
                                       size_t bytes) {
  const auto offset = subject.offset;
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

/// A number that agrees with all facts, near one that does not; the number itself where none is
/// found.
int64_t agreeing(const std::vector<StatedFact>& facts, int64_t number) {
  const auto agrees = [&](int64_t n) {
    return std::all_of(facts.begin(), facts.end(),
                       [&](const StatedFact& f) { return f.holdsFor(n); });
  };
  if (agrees(number)) return number;
  std::vector<int64_t> tries;
  int64_t modulus = 1, rest = 0;
  for (const StatedFact& fact : facts) {
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

/// The facts are about the shaders that are optimized.
bool isStatedOf(const Scenario& scenario, const ProgramShader& shader) {
  return scenario.statedOf.empty() || scenario.statedOf.contains(shader.name);
}

/// What a dispatch has of the input that a fact names: a number for each buffer that it means.
std::vector<int64_t> numbersOf(Declared& declared, size_t fact, const ProgramShader& shader,
                               const ProgramDispatch& dispatch, const Scenario& scenario) {
  const StatedFact& stated = scenario.stated[fact];
  if (stated.subject == Subject::Groups) return {dispatch.groups[stated.component]};
  if (stated.subject == Subject::PushConstant) {
    const auto integer = pushInteger(declared.subject(fact), shader.reflection.pushConstants,
                                     dispatch.pushConstants.size());
    if (!integer) return {};
    return {readInteger(integer->type, dispatch.pushConstants.data() + integer->offset)};
  }
  std::vector<int64_t> lengths;
  for (const ReflectedBinding& binding : shader.reflection.bindings)
    for (const ProgramDispatch::Binding& bound : dispatch.bindings)
      if (isRuntimeArray(binding) && bound.set == binding.set && bound.binding == binding.binding &&
          declared.isMeant(fact, binding))
        lengths.push_back(int64_t(lengthOf(binding.block, scenario.buffers[bound.buffer])));
  return lengths;
}

/// Changes one generated dispatch.
class Meeting {
public:
  Meeting(Scenario& scenario, Declared& declared, const Reflection& reflection)
      : scenario_(scenario), declared_(declared), reflection_(reflection),
        dispatch_(scenario.dispatches.front()) {}

  void meet(size_t fact) {
    const StatedFact& stated = scenario_.stated[fact];
    if (stated.subject == Subject::Groups)
      meetGroups(fact, dispatch_.groups[stated.component]);
    else if (stated.subject == Subject::PushConstant)
      meetPushConstant(fact);
    else
      for (const ReflectedBinding& binding : reflection_.bindings)
        for (const ScenarioBinding& bound : dispatch_.bindings)
          if (isRuntimeArray(binding) && bound.set == binding.set &&
              bound.binding == binding.binding && declared_.isMeant(fact, binding))
            meetLength(fact, binding.block, bound.buffer);
  }

  const std::vector<std::string>& changes() const { return changes_; }

private:
  bool isSameSubject(size_t a, size_t b) {
    const StatedFact &one = scenario_.stated[a], &other = scenario_.stated[b];
    if (one.subject != other.subject) return false;
    if (one.subject == Subject::Groups) return one.component == other.component;
    const StatedSubject &first = declared_.subject(a), &second = declared_.subject(b);
    return first.offset == second.offset && first.buffers == second.buffers;
  }

  int64_t agreed(size_t fact, int64_t number) {
    std::vector<StatedFact> same;
    for (size_t n = 0; n < scenario_.stated.size(); ++n)
      if (isSameSubject(fact, n)) same.push_back(scenario_.stated[n]);
    return agreeing(same, number);
  }

  void meetGroups(size_t fact, uint32_t& groups) {
    const int64_t wanted = agreed(fact, groups);
    if (wanted == groups || wanted <= 0 || wanted > UINT16_MAX) return;
    groups = uint32_t(wanted);
    changes_.push_back(
        fmt::format("groups.{} is {}", "xyz"[scenario_.stated[fact].component], groups));
  }

  void meetPushConstant(size_t fact) {
    const auto integer = pushInteger(declared_.subject(fact), reflection_.pushConstants,
                                     dispatch_.pushConstants.size());
    if (!integer) return;
    uint8_t* at = dispatch_.pushConstants.data() + integer->offset;
    const int64_t number = readInteger(integer->type, at), wanted = agreed(fact, number);
    if (wanted == number) return;
    std::memcpy(at, &wanted, byteSize(integer->type));
    const std::string& name = scenario_.stated[fact].name;
    changes_.push_back(fmt::format(
        "push.{} is {}", name.empty() ? fmt::format("{}", integer->offset) : name, wanted));
  }

  void meetLength(size_t fact, const ReflectedBlock& block, const std::string& bound) {
    for (ScenarioBuffer& buffer : scenario_.buffers) {
      if (buffer.name != bound || buffer.elementBytes() != block.arrayStride) continue;
      const int64_t length = int64_t(lengthOf(block, buffer)), wanted = agreed(fact, length);
      const int64_t count = wanted - length + int64_t(buffer.count);
      if (wanted == length || count <= 0 || count > (1 << 24)) continue;
      buffer.count = uint64_t(count);
      changes_.push_back(
          fmt::format("buffer {}.length is {}", scenario_.stated[fact].name, wanted));
    }
  }

  Scenario& scenario_;
  Declared& declared_;
  const Reflection& reflection_;
  ScenarioDispatch& dispatch_;
  std::vector<std::string> changes_;
};

} // namespace

Status checkStated(const Scenario& scenario, const Program& program) {
  for (size_t d = 0; d < program.dispatches.size() && !scenario.stated.empty(); ++d) {
    const ProgramDispatch& dispatch = program.dispatches[d];
    const ProgramShader& shader = program.shaders[dispatch.shader];
    if (!isStatedOf(scenario, shader)) continue;
    const auto declared = Declared::read(shader.words, scenario.stated);
    if (!declared) continue;
    for (size_t n = 0; n < scenario.stated.size(); ++n) {
      const StatedFact& fact = scenario.stated[n];
      if (fact.subject == Subject::Groups && dispatch.indirect)
        return failure(fmt::format("--assume='{}' cannot be checked: dispatch {} reads its number "
                                   "of workgroups from a buffer",
                                   fact.text, d + 1));
      for (int64_t number : numbersOf(*declared, n, shader, dispatch, scenario))
        if (!fact.holdsFor(number))
          return failure(fmt::format("--assume='{}' does not hold: {} is {} in dispatch {} (shader "
                                     "'{}'); change the inputs, or what is assumed",
                                     fact.text,
                                     fact.subject == Subject::BufferLength ? "the length" : "it",
                                     number, d + 1, shader.name));
    }
  }
  return ok();
}

std::vector<std::string> explainUnchecked(const Scenario& scenario, const Program& program) {
  std::vector<std::string> notes;
  if (scenario.stated.empty()) return notes;
  std::vector<std::unique_ptr<Declared>> shaders;
  for (const ProgramShader& shader : program.shaders)
    shaders.push_back(isStatedOf(scenario, shader) ? Declared::read(shader.words, scenario.stated)
                                                   : nullptr);
  for (size_t n = 0; n < scenario.stated.size(); ++n) {
    bool isChecked = scenario.stated[n].subject == Subject::Groups;
    for (const ProgramDispatch& dispatch : program.dispatches) {
      Declared* declared = shaders[dispatch.shader].get();
      isChecked =
          isChecked ||
          (declared &&
           !numbersOf(*declared, n, program.shaders[dispatch.shader], dispatch, scenario).empty());
    }
    for (const auto& declared : shaders) {
      if (isChecked || !declared) continue;
      notes.push_back(explainUnused(scenario.stated[n], declared->subject(n)) +
                      " (nothing is checked of it)");
      isChecked = true;
    }
  }
  return notes;
}

void meetStated(Scenario& scenario, const Words& words, std::vector<std::string>& notes) {
  const auto declared = Declared::read(words, scenario.stated);
  if (!declared || scenario.dispatches.empty() || scenario.shaders.empty()) return;
  const ScenarioShader& shader = scenario.shaders.front();
  const Result<Reflection> reflection = reflect(words, shader.entry, shader.specConstants);
  if (!reflection) return;
  Meeting meeting(scenario, *declared, *reflection);
  for (size_t n = 0; n < scenario.stated.size(); ++n) meeting.meet(n);
  if (!meeting.changes().empty())
    notes.push_back(fmt::format("generated inputs changed to agree with --assume: {}",
                                fmt::join(meeting.changes(), ", ")));
}

} // namespace lanewise::driver
