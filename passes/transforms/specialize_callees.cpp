#include "transforms/specialize_callees.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"
#include "ir/debug_instructions.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {
namespace {

/// Universal limit (SPIR-V 2.17).
constexpr size_t kMaxParameters = 255;

} // namespace

PathStep stepOf(Analyses& analyses, InstRef chain, uint32_t word, Id& type) {
  const Module& module = analyses.module();
  const Types& types = analyses.get<Types>();
  const Id index = module.idAt(chain, word);
  if (types.info(type).kind != TypeInfo::Kind::Struct) {
    type = types.info(type).element;
    return {index, module.typeOf(index), 0};
  }
  const auto member = uint32_t(analyses.get<Constants>().literal(index).value_or(0));
  type = types.member(type, member);
  return {index, {}, member};
}

std::vector<uint32_t> Binding::key() const {
  std::vector<uint32_t> words{variable.value, uint32_t(steps.size())};
  for (const PathStep& step : steps) {
    words.push_back(step.indexType.value);
    words.push_back(step.member);
  }
  return words;
}

CalleeSpecializer::CalleeSpecializer(Analyses& analyses, const SharedUses& uses,
                                     const SharedUsesOptions& options)
    : analyses_(analyses), module_(analyses.module()), uses_(uses), options_(options) {}

// ---- plan ----

std::vector<UseRefusal> CalleeSpecializer::plan() {
  // Without a parameter that is bound there is nothing to specialize.
  if (std::none_of(uses_.pointers.begin(), uses_.pointers.end(), [&](const SharedPointer& p) {
        return module_.opcode(p.def) == spv::Op::OpFunctionParameter;
      }))
    return {};
  collectFunctions();
  size_t expanded = 0;
  auto expandAll = [&] {
    while (expanded < instances_.size())
      if (!expand(expanded++)) return false;
    return true;
  };
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    if (functions_[f].isRoot) instanceFor(FunctionRef(f), {}, {});
  if (!expandAll()) return refusals_;
  // What is left is called from nowhere but from itself (which a shader may not).
  for (uint32_t f = 1; f <= module_.functionCount(); ++f) {
    if (!functions_[f].instances.empty()) continue;
    instanceFor(FunctionRef(f), {}, {});
    if (!expandAll()) return refusals_;
  }
  return {};
}

void CalleeSpecializer::collectFunctions() {
  functions_.resize(module_.functionCount() + 1);
  for (size_t p = 0; p < uses_.pointers.size(); ++p)
    if (FunctionRef f = uses_.pointers[p].function) functions_[f.value].pointers.push_back(p);
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    for (InstRef i : module_.functionInsts(FunctionRef(f))) {
      if (module_.opcode(i) != spv::Op::OpFunctionCall) continue;
      functions_[f].calls.push_back(i);
      if (FunctionRef callee = module_.functionOfId(module_.idAt(i, 3)))
        functions_[callee.value].isCalled = true;
    }
  for (uint32_t f = 1; f <= module_.functionCount(); ++f)
    functions_[f].isRoot =
        !functions_[f].isCalled || isNamedElsewhere(module_.functionId(FunctionRef(f)));
}

/// Whether more than calls and descriptions name a function: an entry point, an export, an address
/// that is taken.
bool CalleeSpecializer::isNamedElsewhere(Id function) const {
  if (analyses_.get<Decorations>().has(function, spv::Decoration::LinkageAttributes)) return true;
  for (Use use : analyses_.get<DefUse>().uses(function)) {
    const spv::Op op = module_.opcode(use.user);
    const OpClass opClass = module_.facts(use.user).opClass;
    const bool isCall = op == spv::Op::OpFunctionCall && use.word == 3;
    const bool isDescription =
        op == spv::Op::OpExtInst || opClass == OpClass::Debug || opClass == OpClass::Annotation;
    if (module_.isUnknown(use.user) || (!isCall && !isDescription)) return true;
  }
  return false;
}

/// What the pointers in a function are bound to.
std::map<Id, Binding> CalleeSpecializer::bindingsIn(const Instance& instance) {
  std::map<Id, Binding> bound;
  for (const SharedPointer& p : uses_.pointers)
    if (!p.from) bound[p.id].variable = p.id;
  auto bind = [&](const SharedPointer& p) {
    const spv::Op op = module_.opcode(p.def);
    if (op == spv::Op::OpFunctionParameter) {
      if (instance.bindings.empty()) return;
      const std::vector<InstRef> parameters = parametersOf(module_, p.function);
      const auto n = std::find(parameters.begin(), parameters.end(), p.def) - parameters.begin();
      if (const Binding& binding = instance.bindings[size_t(n)]; binding.variable)
        bound[p.id] = binding;
      return;
    }
    const auto from = bound.find(p.from);
    if (from == bound.end()) return;
    Binding binding = from->second;
    Id type = analyses_.get<Types>().pointee(p.from);
    if (op != spv::Op::OpCopyObject)
      for (uint32_t word = 4; word < module_.wordCount(p.def); ++word)
        binding.steps.push_back(stepOf(analyses_, p.def, word, type));
    bound[p.id] = std::move(binding);
  };
  for (size_t p : functions_[instance.function.value].pointers) bind(uses_.pointers[p]);
  return bound;
}

/// Finds or makes the instances that one calls.
bool CalleeSpecializer::expand(size_t caller) {
  const FunctionRef function = instances_[caller].function;
  const std::map<Id, Binding> bound = bindingsIn(instances_[caller]);
  for (InstRef call : functions_[function.value].calls) {
    const FunctionRef callee = module_.functionOfId(module_.idAt(call, 3));
    if (!callee) continue;
    std::vector<Binding> bindings(module_.wordCount(call) - 4);
    bool isBound = false;
    for (uint32_t n = 0; n < bindings.size(); ++n) {
      const auto found = bound.find(module_.idAt(call, 4 + n));
      if (found == bound.end()) continue;
      bindings[n] = found->second;
      isBound = true;
    }
    if (!isBound) bindings.clear();
    const auto target = instanceFor(callee, std::move(bindings), call);
    if (!target) return false;
    instances_[caller].targets.emplace_back(call, *target);
  }
  return true;
}

/// Nothing when it is refused.
std::optional<size_t> CalleeSpecializer::instanceFor(FunctionRef callee,
                                                     std::vector<Binding> bindings, InstRef call) {
  std::vector<uint32_t> key{callee.value};
  for (const Binding& binding : bindings) {
    const std::vector<uint32_t> words = binding.key();
    key.insert(key.end(), words.begin(), words.end());
  }
  auto [known, isNew] = known_.try_emplace(std::move(key), instances_.size());
  if (!isNew) return known->second;
  Instance instance{callee, std::move(bindings), {}, {}};
  size_t parameters = 0;
  for (const Binding& binding : instance.bindings) {
    parameters += !binding.variable;
    for (const PathStep& step : binding.steps) parameters += bool(step.indexType);
  }
  if (parameters > kMaxParameters) {
    refuse(instance, call, "many-parameters",
           formatText("a function would have more than {} parameters", kMaxParameters));
    return std::nullopt;
  }
  std::vector<size_t>& others = functions_[callee.value].instances;
  if (!others.empty()) {
    const InstRange insts = module_.functionInsts(callee);
    clonedWords_ += module_.wordOffset(insts.last) - module_.wordOffset(insts.first);
    if (clonedWords_ > options_.maxClonedWords) {
      refuse(instance.bindings.empty() ? instances_[others.back()] : instance, call, "many-clones",
             "functions would be cloned too many times for the pointers passed to them");
      return std::nullopt;
    }
  }
  others.push_back(instances_.size());
  instances_.push_back(std::move(instance));
  return instances_.size() - 1;
}

void CalleeSpecializer::refuse(const Instance& instance, InstRef call, std::string_view name,
                               std::string reason) {
  std::set<Id> variables;
  for (const Binding& binding : instance.bindings)
    if (binding.variable) variables.insert(binding.variable);
  for (Id variable : variables) refusals_.push_back({variable, call, name, reason});
}

// ---- emit ----

void CalleeSpecializer::emit(Rewriter& rewriter) {
  // The first keeps the id of the original: where more than calls may name that, plan() began with
  // an instance without bindings.
  for (const FunctionFacts& function : functions_)
    for (size_t n : function.instances)
      instances_[n].id = n == function.instances.front()
                             ? module_.functionId(instances_[n].function)
                             : rewriter.newId();
  for (Instance& instance : instances_) {
    if (instance.id != module_.functionId(instance.function)) {
      emitClone(instance, rewriter);
      continue;
    }
    for (const auto& [call, target] : instance.targets)
      if (instances_[target].id != module_.idAt(call, 3))
        rewriter.setId(call, 3, instances_[target].id);
  }
  emitNames(rewriter);
}

void CalleeSpecializer::emitClone(Instance& instance, Rewriter& rewriter) {
  const InstRange insts = module_.functionInsts(instance.function);
  const InstRef end(insts.last.value - 1);
  std::map<Id, Id> fresh;
  for (InstRef i : insts)
    if (Id id = module_.resultId(i)) {
      fresh[id] = module_.opcode(i) == spv::Op::OpFunction ? instance.id : rewriter.newId();
      clones_[id].push_back(fresh[id]);
    }
  // The line of the function itself.
  const InstRef before(insts.first.value - 1);
  if (before && module_.opcode(before) == spv::Op::OpLine)
    rewriter.insertAfter(end, Inst(module_.inst(before)));
  auto target = instance.targets.begin();
  for (InstRef i : insts) {
    // A DebugFunction has one definition.
    if (module_.opcode(i) == spv::Op::OpExtInst &&
        module_.extInstSet(module_.idAt(i, 3)) == ExtInstSet::NonSemanticShaderDebugInfo100 &&
        module_.word(i, 4) == kDebugFunctionDefinition)
      continue;
    Inst copy(module_.inst(i));
    if (Id id = module_.resultId(i))
      copy.set(1u + module_.facts(i).hasResultType, fresh.at(id).value);
    module_.forEachIdOperand(i, [&](uint32_t word, Id id) {
      if (auto known = fresh.find(id); known != fresh.end()) copy.set(word, known->second.value);
    });
    if (target != instance.targets.end() && target->first == i) {
      copy.set(3, instances_[target->second].id.value);
      ++target;
    }
    rewriter.insertAfter(end, std::move(copy));
  }
}

/// Names and decorations of the clones' ids, each behind the original's.
void CalleeSpecializer::emitNames(Rewriter& rewriter) {
  if (clones_.empty()) return;
  for (InstRef i : module_.globals()) {
    const spv::Op op = module_.opcode(i);
    if (op == spv::Op::OpGroupDecorate) {
      Inst group(module_.inst(i));
      bool isLonger = false;
      for (uint32_t word = 2; word < module_.wordCount(i); ++word)
        if (auto found = clones_.find(module_.idAt(i, word)); found != clones_.end())
          for (Id clone : found->second) group.id(clone), isLonger = true;
      if (isLonger) rewriter.replace(i, std::move(group));
      continue;
    }
    const bool isDecoration =
        op == spv::Op::OpDecorate || op == spv::Op::OpDecorateId || op == spv::Op::OpDecorateString;
    if (op != spv::Op::OpName && !isDecoration) continue;
    const auto found = clones_.find(module_.idAt(i, 1));
    if (found == clones_.end()) continue;
    // A symbol has one definition.
    if (isDecoration && spv::Decoration(module_.word(i, 2)) == spv::Decoration::LinkageAttributes)
      continue;
    for (Id clone : found->second)
      rewriter.insertAfter(i, Inst(module_.inst(i)).set(1, clone.value));
  }
}

} // namespace lanewise
