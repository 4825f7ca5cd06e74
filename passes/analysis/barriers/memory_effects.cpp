#include "analysis/barriers/memory_effects.h"

#include "analysis/barriers/memory_signals.h"
#include "analysis/module/buffer_variables.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "analysis/uniformity/uniformity.h"
#include "text/format_text.h"

#include <algorithm>
#include <set>

namespace lanewise {

/// Walks over the module once.
class MemoryEffects::Collector {
public:
  Collector(Analyses& analyses, MemoryEffects& result)
      : analyses_(analyses), module_(analyses.module()), signals_(analyses), result_(result) {}

  void run() {
    for (InstRef i : module_.globals())
      if (module_.facts(i).opClass == OpClass::Variable) addVariable(module_.resultId(i));
    std::sort(result_.variables_.begin(), result_.variables_.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
    result_.accessesFrom_.resize(module_.instCount() + 2);
    for (InstRef i : module_.insts()) {
      result_.accessesFrom_[i.value] = uint32_t(result_.accesses_.size());
      if (module_.blockOf(i)) visit(i);
    }
    result_.accessesFrom_.back() = uint32_t(result_.accesses_.size());
    bool hasTexelBuffers = false, hasBuffers = false;
    for (const MemoryAccess& a : result_.accesses_) {
      hasTexelBuffers = hasTexelBuffers || a.isTexelBuffer;
      hasBuffers = hasBuffers || a.memory == MemoryClass::Buffer;
    }
    result_.buffersMayAliasImages_ = hasTexelBuffers && hasBuffers;
    findUnwritten();
  }

private:
  void addVariable(Id id) {
    const Types& types = analyses_.get<Types>();
    auto storage = types.storageOf(id);
    if (!storage) return;
    VariableFacts facts;
    facts.id = id;
    const Decorations& decorations = analyses_.get<Decorations>();
    switch (*storage) {
    case spv::StorageClass::Workgroup:
      facts.memory = MemoryClass::Workgroup;
      facts.mayOverlap = decorations.has(types.pointee(id), spv::Decoration::Block);
      break;
    case spv::StorageClass::Uniform:
      if (!isStorageBuffer(analyses_, id)) return;
      [[fallthrough]];
    case spv::StorageClass::StorageBuffer:
      facts.memory = MemoryClass::Buffer;
      facts.isArrayOfDescriptors = blockTypeOf(analyses_, id) != types.pointee(id);
      facts.isReadOnly = isBufferDecorated(analyses_, id, spv::Decoration::NonWritable, true);
      facts.isRestrict = isBufferDecorated(analyses_, id, spv::Decoration::Restrict, true);
      break;
    case spv::StorageClass::UniformConstant:
      facts.memory = MemoryClass::Image;
      facts.isArrayOfDescriptors = blockTypeOf(analyses_, id) != types.pointee(id);
      facts.isReadOnly = decorations.has(id, spv::Decoration::NonWritable) || isSampled(id);
      facts.isRestrict = decorations.has(id, spv::Decoration::Restrict);
      break;
    default:
      return;
    }
    if (decorations.has(id, spv::Decoration::Aliased)) {
      facts.mayOverlap = true;
      facts.isRestrict = false;
    }
    if (auto set = decorations.operand(module_, id, spv::Decoration::DescriptorSet))
      facts.set = *set;
    if (auto binding = decorations.operand(module_, id, spv::Decoration::Binding))
      facts.binding = *binding;
    result_.variables_.push_back(facts);
  }

  /// Finds the variables that nobody writes, also not by another name.
  void findUnwritten() {
    std::set<std::pair<MemoryClass, Id>> written;
    for (const MemoryAccess& a : result_.accesses_)
      if (a.isWrite) written.insert({a.memory, a.variable});
    for (VariableFacts& facts : result_.variables_)
      facts.mayBeWritten =
          !facts.isReadOnly || std::any_of(written.begin(), written.end(), [&](const auto& w) {
            const bool isSeenBoth = w.first == facts.memory || (result_.buffersMayAliasImages_ &&
                                                                w.first != MemoryClass::Workgroup);
            return isSeenBoth && result_.aliasing(w.second, facts.id) != Aliasing::None;
          });
  }

  /// A sampled image (or anything that is no storage image) is only read.
  bool isSampled(Id variable) const {
    InstRef type = module_.def(blockTypeOf(analyses_, variable));
    return !type || module_.opcode(type) != spv::Op::OpTypeImage || module_.word(type, 7) == 1;
  }

  void visit(InstRef i) {
    const OpcodeFacts& facts = module_.facts(i);
    if (facts.opClass == OpClass::Line || facts.opClass == OpClass::Debug) return;
    if (facts.opClass == OpClass::Unknown || module_.isUnknown(i)) return touchAll(i);
    if (facts.opClass != OpClass::Value) return;
    if (module_.opcode(i) == spv::Op::OpFunctionCall) {
      FunctionRef callee = module_.functionOfId(module_.idAt(i, 3));
      if (!callee || module_.blockCount(callee) == 0) touchAll(i);
      return;
    }
    const Effect effects = module_.effects(i);
    const bool reads = has(effects, Effect::ReadsMemory),
               writes = has(effects, Effect::WritesMemory);
    if (isBarrier(module_.opcode(i)) || !(reads || writes || has(effects, Effect::Barrier))) return;
    if (has(effects, Effect::Barrier)) return touchAll(i); // one of the rarer kinds
    switch (module_.opcode(i)) {
    case spv::Op::OpLoad:
      return addPointer(i, module_.idAt(i, 3), true, false);
    case spv::Op::OpStore:
      return addPointer(i, module_.idAt(i, 1), false, true);
    case spv::Op::OpCopyMemory:
      addPointer(i, module_.idAt(i, 2), true, false);
      return addPointer(i, module_.idAt(i, 1), false, true);
    default:
      return addOperands(i, reads, writes);
    }
  }

  void touchAll(InstRef i) {
    for (MemoryClass memory : kMemoryClasses) {
      MemoryAccess access = start(i, memory, true, true);
      access.signalReach = memory == MemoryClass::Workgroup ? kWorkgroupRank : kWidestRank;
      access.orderedClasses = 7;
      result_.accesses_.push_back(std::move(access));
    }
  }

  MemoryAccess start(InstRef i, MemoryClass memory, bool reads, bool writes) const {
    MemoryAccess access;
    access.inst = i;
    access.memory = memory;
    access.isRead = reads;
    access.isWrite = writes;
    return access;
  }

  /// An instruction that may touch what any of its pointer or image operands names.
  void addOperands(InstRef i, bool reads, bool writes) {
    bool hasMemory = false, isFollowed = true;
    module_.forEachIdOperand(i, [&](uint32_t, Id id) {
      if (!isFollowed || !module_.def(id)) return;
      const Id type = module_.typeOf(id);
      const spv::Op kind = module_.opcodeOf(type);
      if (analyses_.get<Types>().storageOf(id)) {
        hasMemory = true;
        // How far from the pointer on an instruction of an unusual kind goes is not known.
        addPointer(i, id, reads, writes, has(module_.effects(i), Effect::Atomic));
      } else if (kind == spv::Op::OpTypeImage) {
        hasMemory = true;
        addImage(i, id, type, reads, writes);
      } else if (kind == spv::Op::OpTypeSampledImage) {
        hasMemory = true;
        addImage(i, id, module_.idAt(module_.def(type), 2), reads, writes);
      } else if (kind == spv::Op::OpTypeAccelerationStructureKHR ||
                 kind == spv::Op::OpTypeRayQueryKHR) {
        isFollowed = false;
      }
    });
    if (!hasMemory || !isFollowed) touchAll(i);
  }

  void addPointer(InstRef i, Id pointer, bool reads, bool writes, bool isPrecise = true) {
    auto storage = analyses_.get<Types>().storageOf(pointer);
    if (!storage) return touchAll(i); // a kind of pointer that is not followed
    MemoryClass memory = MemoryClass::Buffer;
    PointerOrigin origin;
    switch (*storage) {
    case spv::StorageClass::Function:
    case spv::StorageClass::Private:
    case spv::StorageClass::Input:
    case spv::StorageClass::Output:
    case spv::StorageClass::PushConstant:
    case spv::StorageClass::UniformConstant: // handles
      return;
    case spv::StorageClass::Generic:
      return touchAll(i);
    case spv::StorageClass::Workgroup:
      memory = MemoryClass::Workgroup;
      origin = originOf(analyses_, pointer);
      break;
    case spv::StorageClass::Image:
      return addTexel(i, pointer, reads, writes);
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
      origin = originOf(analyses_, pointer);
      if (*storage == spv::StorageClass::Uniform && origin.variable &&
          !isStorageBuffer(analyses_, origin.variable))
        return; // does not change during a dispatch
      break;
    case spv::StorageClass::PhysicalStorageBuffer:
    case spv::StorageClass::CrossWorkgroup:
    case spv::StorageClass::AtomicCounter:
      break;
    default:
      return touchAll(i);
    }
    MemoryAccess access = start(i, memory, reads, writes);
    access.variable = origin.variable;
    access.signalReach = signals_.reachOf(i, *storage, origin.variable, origin.indices);
    if (isPrecise) access.indices = std::move(origin.indices);
    addAtomicFacts(access);
    result_.accesses_.push_back(std::move(access));
  }

  void addAtomicFacts(MemoryAccess& access) const {
    if (!has(module_.effects(access.inst), Effect::Atomic)) return;
    access.isAtomic = true;
    const uint32_t word = atomicSemanticsWord(module_.facts(access.inst));
    std::optional<uint64_t> semantics;
    if (word < module_.wordCount(access.inst))
      semantics = analyses_.get<Constants>().literal(module_.idAt(access.inst, word));
    for (MemoryClass memory : kMemoryClasses)
      if (!semantics ||
          ((*semantics & kOrderBits) != 0 && (*semantics & semanticsBitsOf(memory)) != 0))
        access.orderedClasses |= 1u << uint32_t(memory);
  }

  /// An atomic through the pointer that OpImageTexelPointer made.
  void addTexel(InstRef i, Id pointer, bool reads, bool writes) {
    MemoryAccess access = start(i, MemoryClass::Image, reads, writes);
    access.isTexelBuffer = true;
    InstRef def = module_.def(pointer);
    if (def && module_.opcode(def) == spv::Op::OpImageTexelPointer) {
      const Id image = module_.idAt(def, 3);
      access.variable = originOf(analyses_, image).variable;
      access.isTexelBuffer = isBufferImage(analyses_.get<Types>().pointee(image));
    }
    access.signalReach = signals_.reachOf(i, spv::StorageClass::Image, access.variable, {});
    addAtomicFacts(access);
    result_.accesses_.push_back(std::move(access));
  }

  bool isBufferImage(Id type) const {
    InstRef def = module_.def(type);
    if (!def || module_.opcode(def) != spv::Op::OpTypeImage) return true;
    return spv::Dim(module_.word(def, 3)) == spv::Dim::Buffer;
  }

  void addImage(InstRef i, Id image, Id type, bool reads, bool writes) {
    MemoryAccess access = start(i, MemoryClass::Image, reads, writes);
    access.isTexelBuffer = isBufferImage(type);
    access.variable = variableOfImage(image);
    access.signalReach =
        signals_.reachOf(i, spv::StorageClass::UniformConstant, access.variable, {});
    result_.accesses_.push_back(std::move(access));
  }

  Id variableOfImage(Id image) const {
    for (uint32_t steps = 0; steps < 16; ++steps) {
      InstRef def = module_.def(image);
      if (!def) return {};
      switch (module_.opcode(def)) {
      case spv::Op::OpLoad:
        return originOf(analyses_, module_.idAt(def, 3)).variable;
      case spv::Op::OpSampledImage:
      case spv::Op::OpImage:
      case spv::Op::OpCopyObject:
        image = module_.idAt(def, 3);
        break;
      default:
        return {};
      }
    }
    return {};
  }

  Analyses& analyses_;
  const Module& module_;
  const MemorySignals signals_;
  MemoryEffects& result_;
};

MemoryEffects::MemoryEffects(Analyses& analyses) {
  Collector(analyses, *this).run();
}

std::span<const MemoryAccess> MemoryEffects::in(InstRange range) const {
  return {accesses_.data() + accessesFrom_[range.first.value],
          accesses_.data() + accessesFrom_[range.last.value]};
}

const MemoryEffects::VariableFacts* MemoryEffects::factsOf(Id variable) const {
  auto at = std::lower_bound(variables_.begin(), variables_.end(), variable,
                             [](const VariableFacts& f, Id id) { return f.id < id; });
  return at != variables_.end() && at->id == variable ? &*at : nullptr;
}

Aliasing MemoryEffects::aliasing(Id a, Id b) const {
  const VariableFacts* x = factsOf(a);
  const VariableFacts* y = factsOf(b);
  if (x && y && x == y) return Aliasing::Same;
  // A pointer that was not followed may come from any variable, also from a restricted one.
  if (!x || !y) return Aliasing::Possible;
  const bool isOneDescriptor =
      x->binding != UINT32_MAX && x->set == y->set && x->binding == y->binding;
  if (isOneDescriptor) return Aliasing::Same;
  if (x->memory == MemoryClass::Workgroup && y->memory == MemoryClass::Workgroup)
    return x->mayOverlap && y->mayOverlap ? Aliasing::Possible : Aliasing::None;
  if (x->isReadOnly && y->isReadOnly) return Aliasing::None;
  if ((x->isRestrict && !y->mayOverlap) || (y->isRestrict && !x->mayOverlap)) return Aliasing::None;
  return Aliasing::Possible;
}

bool MemoryEffects::mayBeWrittenByOthers(const MemoryAccess& access) const {
  const VariableFacts* facts = factsOf(access.variable);
  return !facts || facts->mayBeWritten;
}

std::string describe(Analyses& analyses, const MemoryAccess& access) {
  const Module& module = analyses.module();
  const bool both = access.isRead && access.isWrite;
  std::string_view verb = access.isAtomic  ? "atomic on"
                          : both           ? "access to"
                          : access.isWrite ? "store to"
                                           : "load of";
  std::string_view name;
  if (access.variable) {
    name = analyses.get<Decorations>().name(module, access.variable);
    if (name.empty())
      name = analyses.get<Decorations>().name(module, blockTypeOf(analyses, access.variable));
  }
  if (!name.empty()) return formatText("{} '{}'", verb, name);
  if (access.variable) return formatText("{} %{}", verb, access.variable.value);
  switch (access.memory) {
  case MemoryClass::Workgroup:
    return formatText("{} an unknown shared variable", verb);
  case MemoryClass::Buffer:
    return formatText("{} an unknown buffer", verb);
  case MemoryClass::Image:
    return formatText("{} an unknown image", verb);
  }
  return std::string(verb);
}

} // namespace lanewise
