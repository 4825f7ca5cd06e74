// Runs a small shader lane by lane and notes where in memory it goes: in Workgroup memory as
// drivers place it, variables one behind the other, elements by their natural layout; in the
// storage buffer at kNotedBinding by its decorations; and whatever the indices are, one flat
// address computed from them. For tests of what happens to indices that leave their arrays, which
// the interpreter of the driver refuses to follow.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "ir/module.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <spirv/unified1/GLSL.std.450.h>
#include <vector>

namespace lanewise::test {

class FlatExecutor {
public:
  static constexpr uint32_t kNotedBinding = 2;
  struct Access {
    uint64_t address, bytes;
    bool operator==(const Access&) const = default;
  };

  FlatExecutor(Analyses& analyses, std::array<uint32_t, 4> pushConstants)
      : module_(analyses.module()), types_(analyses.get<Types>()),
        constants_(analyses.get<Constants>()), decorations_(analyses.get<Decorations>()),
        push_(pushConstants) {
    for (InstRef i : module_.globals()) {
      if (module_.opcode(i) == spv::Op::OpEntryPoint) main_ = module_.idAt(i, 2);
      if (module_.opcode(i) != spv::Op::OpVariable) continue;
      const auto storage = spv::StorageClass(module_.word(i, 3));
      Pointer& pointer = pointers_[module_.resultId(i)];
      pointer = {storage, module_.resultId(i), 0, types_.info(module_.resultType(i)).element};
      const auto binding =
          decorations_.operand(module_, module_.resultId(i), spv::Decoration::Binding);
      if (storage == spv::StorageClass::StorageBuffer && binding == kNotedBinding) {
        pointer.isNoted = true;
        pointer.address = uint64_t(1) << 44;
      }
      if (storage != spv::StorageClass::Workgroup) continue;
      pointer.isNoted = true;
      pointer.address = nextVariable_;
      nextVariable_ += (layout(pointer.pointee).size + 63) / 64 * 64;
    }
  }

  /// The accesses of one lane, in order. Contents of buffers are a function of `data`.
  std::vector<Access> run(std::array<uint32_t, 3> localId, std::array<uint32_t, 3> size,
                          std::array<uint32_t, 3> workgroup, uint32_t data) {
    accesses_.clear();
    memory_.clear();
    steps_ = 0;
    data_ = data;
    localId_ = localId, size_ = size, workgroup_ = workgroup;
    call(module_.functionOfId(main_), {}, {});
    return accesses_;
  }

  /// Of all Workgroup variables together.
  uint64_t bytes() const { return nextVariable_ - (uint64_t(1) << 40); }

private:
  using Value = std::vector<uint32_t>;
  struct Pointer {
    spv::StorageClass storage{};
    Id variable;
    uint64_t address = 0; ///< of Function variables: the scalar
    Id pointee;
    bool isNoted = false; ///< addresses count
  };
  struct Frame {
    std::map<Id, Value> values;
    std::map<Id, Pointer> pointers;
  };

  SizeAlign layout(Id type) const { return types_.naturalLayout(type, 16).value_or(SizeAlign{}); }
  uint64_t strideOf(Id type) const {
    const SizeAlign s = layout(type);
    return (s.size + s.align - 1) / s.align * s.align;
  }
  uint32_t scalarsOf(Id type) const {
    const TypeInfo& info = types_.info(type);
    if (info.kind == TypeInfo::Kind::Vector) return info.count;
    if (info.kind == TypeInfo::Kind::Array)
      return uint32_t(types_.arrayLength(type).value_or(0)) * scalarsOf(info.element);
    return 1;
  }

  Value call(FunctionRef function, const std::vector<Value>& values,
             const std::vector<Pointer>& pointers) {
    Frame frame;
    size_t parameter = 0;
    for (InstRef i : module_.functionInsts(function)) {
      if (module_.opcode(i) != spv::Op::OpFunctionParameter) continue;
      frame.values[module_.resultId(i)] = values[parameter];
      frame.pointers[module_.resultId(i)] = pointers[parameter++];
    }
    BlockRef from, block = module_.firstBlock(function);
    while (block) {
      BlockRef next;
      std::map<Id, Value> phis;
      for (InstRef i : module_.blockInsts(block)) {
        const spv::Op op = module_.opcode(i);
        if (op == spv::Op::OpReturn) return {};
        if (op == spv::Op::OpReturnValue) return valueOf(frame, module_.idAt(i, 1));
        if (op == spv::Op::OpPhi) {
          for (uint32_t word = 3; word + 1 < module_.wordCount(i); word += 2)
            if (module_.blockOfLabel(module_.idAt(i, word + 1)) == from)
              phis[module_.resultId(i)] = valueOf(frame, module_.idAt(i, word));
          continue;
        }
        for (auto& [id, value] : phis) frame.values[id] = value; // all phis at once
        phis.clear();
        next = terminator(frame, i);
        if (!next) execute(frame, i);
      }
      from = block;
      block = next;
      if (++steps_ > 100000) return ADD_FAILURE() << "the shader does not end", Value{};
    }
    return {};
  }

  BlockRef terminator(Frame& frame, InstRef i) {
    switch (module_.opcode(i)) {
    case spv::Op::OpBranch:
      return module_.blockOfLabel(module_.idAt(i, 1));
    case spv::Op::OpBranchConditional:
      return module_.blockOfLabel(
          module_.idAt(i, valueOf(frame, module_.idAt(i, 1))[0] != 0 ? 2 : 3));
    case spv::Op::OpSwitch: {
      const uint32_t selector = valueOf(frame, module_.idAt(i, 1))[0];
      for (uint32_t word = 3; word + 1 < module_.wordCount(i); word += 2)
        if (module_.word(i, word) == selector)
          return module_.blockOfLabel(module_.idAt(i, word + 1));
      return module_.blockOfLabel(module_.idAt(i, 2));
    }
    default:
      return {};
    }
  }

  Value valueOf(Frame& frame, Id id) {
    if (const auto known = frame.values.find(id); known != frame.values.end()) return known->second;
    if (const auto value = constants_.value(id)) return {uint32_t(value->bits)};
    Value all;
    const InstRef def = module_.def(id);
    if (module_.opcode(def) == spv::Op::OpConstantComposite)
      for (uint32_t word = 3; word < module_.wordCount(def); ++word)
        for (uint32_t v : valueOf(frame, module_.idAt(def, word))) all.push_back(v);
    else
      all.assign(scalarsOf(module_.typeOf(id)), 0);
    return all;
  }
  Pointer pointerOf(Frame& frame, Id id) {
    if (const auto known = frame.pointers.find(id); known != frame.pointers.end())
      return known->second;
    return pointers_[id];
  }

  void execute(Frame& frame, InstRef i) {
    const Id result = module_.resultId(i);
    auto at = [&](uint32_t word) { return module_.idAt(i, word); };
    switch (module_.opcode(i)) {
    case spv::Op::OpVariable:
      frame.pointers[result] = {spv::StorageClass::Function, result, 0,
                                types_.info(module_.resultType(i)).element};
      memory_[result].assign(scalarsOf(frame.pointers[result].pointee), 0);
      return;
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      frame.pointers[result] = chain(frame, i);
      return;
    case spv::Op::OpCopyObject:
      if (types_.pointee(result))
        frame.pointers[result] = pointerOf(frame, at(3));
      else
        frame.values[result] = valueOf(frame, at(3));
      return;
    case spv::Op::OpLoad:
      frame.values[result] = load(pointerOf(frame, at(3)));
      return;
    case spv::Op::OpStore:
      store(pointerOf(frame, at(1)), valueOf(frame, at(2)));
      return;
    case spv::Op::OpFunctionCall: {
      std::vector<Value> values;
      std::vector<Pointer> pointers;
      for (uint32_t word = 4; word < module_.wordCount(i); ++word) {
        const bool isPointer = bool(types_.pointee(at(word)));
        values.push_back(isPointer ? Value() : valueOf(frame, at(word)));
        pointers.push_back(isPointer ? pointerOf(frame, at(word)) : Pointer());
      }
      frame.values[result] = call(module_.functionOfId(at(3)), values, pointers);
      return;
    }
    case spv::Op::OpCompositeExtract:
      frame.values[result] = {valueOf(frame, at(3))[module_.word(i, 4)]};
      return;
    case spv::Op::OpCompositeConstruct: {
      Value all;
      for (uint32_t word = 3; word < module_.wordCount(i); ++word)
        for (uint32_t v : valueOf(frame, at(word))) all.push_back(v);
      frame.values[result] = all;
      return;
    }
    case spv::Op::OpExtInst: { // the two that the kernels use
      const uint32_t a = valueOf(frame, at(5))[0], b = valueOf(frame, at(6))[0];
      const bool isSigned = module_.word(i, 4) == GLSLstd450SMin;
      EXPECT_TRUE(isSigned || module_.word(i, 4) == GLSLstd450UMin);
      frame.values[result] = {(isSigned ? int32_t(a) < int32_t(b) : a < b) ? a : b};
      return;
    }
    case spv::Op::OpSelect:
      frame.values[result] = valueOf(frame, at(valueOf(frame, at(3))[0] != 0 ? 4 : 5));
      return;
    default:
      if (result && module_.blockOf(i)) compute(frame, i);
    }
  }

  void compute(Frame& frame, InstRef i) {
    const spv::Op op = module_.opcode(i);
    if (op == spv::Op::OpLabel || op == spv::Op::OpUndef) return;
    const Value a = valueOf(frame, module_.idAt(i, 3));
    const Value b = module_.wordCount(i) > 4 ? valueOf(frame, module_.idAt(i, 4)) : a;
    const uint32_t x = a[0], y = b[0];
    const uint32_t from = types_.info(module_.typeOf(module_.idAt(i, 3))).width;
    const auto narrow = [](uint32_t v, uint32_t width) {
      return width < 32 ? v & ((1u << width) - 1) : v;
    };
    uint32_t v = 0;
    switch (op) {
    case spv::Op::OpIAdd:
      v = x + y;
      break;
    case spv::Op::OpISub:
      v = x - y;
      break;
    case spv::Op::OpIMul:
      v = x * y;
      break;
    case spv::Op::OpUDiv:
      v = y == 0 ? 0 : x / y;
      break;
    case spv::Op::OpUMod:
      v = y == 0 ? 0 : x % y;
      break;
    case spv::Op::OpBitwiseAnd:
      v = x & y;
      break;
    case spv::Op::OpBitwiseOr:
      v = x | y;
      break;
    case spv::Op::OpBitwiseXor:
      v = x ^ y;
      break;
    case spv::Op::OpShiftLeftLogical:
      v = x << (y & 31);
      break;
    case spv::Op::OpShiftRightLogical:
      v = x >> (y & 31);
      break;
    case spv::Op::OpIEqual:
      v = x == y;
      break;
    case spv::Op::OpINotEqual:
      v = x != y;
      break;
    case spv::Op::OpULessThan:
      v = x < y;
      break;
    case spv::Op::OpUGreaterThan:
      v = x > y;
      break;
    case spv::Op::OpUGreaterThanEqual:
      v = x >= y;
      break;
    case spv::Op::OpULessThanEqual:
      v = x <= y;
      break;
    case spv::Op::OpSLessThan:
      v = int32_t(x) < int32_t(y);
      break;
    case spv::Op::OpSGreaterThanEqual:
      v = int32_t(x) >= int32_t(y);
      break;
    case spv::Op::OpLogicalOr:
      v = x | y;
      break;
    case spv::Op::OpLogicalAnd:
      v = x & y;
      break;
    case spv::Op::OpLogicalNot:
      v = !x;
      break;
    case spv::Op::OpBitcast:
    case spv::Op::OpUConvert:
      v = x;
      break;
    case spv::Op::OpSConvert:
      v = from < 32 ? uint32_t(int32_t(x << (32 - from)) >> (32 - from)) : x;
      break;
    default:
      ADD_FAILURE() << "the executor does not know " << module_.facts(i).name;
    }
    frame.values[module_.resultId(i)] = {narrow(v, types_.info(module_.resultType(i)).width)};
  }

  /// Indices are signed (OpAccessChain).
  int64_t indexOf(Frame& frame, Id id) {
    const uint32_t width = types_.info(module_.typeOf(id)).width, v = valueOf(frame, id)[0];
    return int64_t(int32_t(v << (32 - width)) >> (32 - width));
  }

  Pointer chain(Frame& frame, InstRef i) {
    Pointer p = pointerOf(frame, module_.idAt(i, 3));
    for (uint32_t word = 4; word < module_.wordCount(i); ++word) {
      const TypeInfo info = types_.info(p.pointee);
      const int64_t index = indexOf(frame, module_.idAt(i, word));
      if (info.kind == TypeInfo::Kind::Struct) {
        p.address += memberOffset(p, uint32_t(index));
        p.pointee = types_.member(p.pointee, uint32_t(index));
        continue;
      }
      const uint64_t stride = !p.isNoted                            ? 1
                              : info.kind == TypeInfo::Kind::Vector ? layout(info.element).size
                              : p.storage == spv::StorageClass::Workgroup
                                  ? strideOf(info.element)
                                  : types_.arrayStride(p.pointee).value_or(0);
      p.address += uint64_t(index * int64_t(stride));
      p.pointee = info.element;
    }
    return p;
  }

  uint64_t memberOffset(const Pointer& p, uint32_t member) const {
    if (!p.isNoted) return member;
    if (p.storage == spv::StorageClass::Workgroup)
      return types_.naturalMemberOffset(p.pointee, member, 16).value_or(0);
    return decorations_.operand(module_, p.pointee, spv::Decoration::Offset, member).value_or(0);
  }

  Value load(const Pointer& p) {
    if (p.isNoted) {
      accesses_.push_back({p.address, layout(p.pointee).size});
      return Value(scalarsOf(p.pointee), 0);
    }
    switch (p.storage) {
    case spv::StorageClass::PushConstant:
      return {push_[p.address % push_.size()]};
    case spv::StorageClass::Function: {
      const Value& all = memory_[p.variable];
      const uint32_t count = scalarsOf(p.pointee);
      if (p.address + count > all.size()) return Value(count, 0);
      return {all.begin() + ptrdiff_t(p.address), all.begin() + ptrdiff_t(p.address + count)};
    }
    case spv::StorageClass::Input:
      return builtIn(p);
    default: { // a buffer
      uint64_t h = (p.address + 1) * 0x9E3779B97F4A7C15u ^ uint64_t(data_) << 32 ^ p.variable.value;
      h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9u;
      return {uint32_t(h >> 40) % 64};
    }
    }
  }

  Value builtIn(const Pointer& p) {
    Value all;
    switch (decorations_.builtIn(module_, p.variable).value_or(spv::BuiltIn::Max)) {
    case spv::BuiltIn::LocalInvocationId:
      all.assign(localId_.begin(), localId_.end());
      break;
    case spv::BuiltIn::WorkgroupId:
      all.assign(workgroup_.begin(), workgroup_.end());
      break;
    case spv::BuiltIn::GlobalInvocationId:
      for (uint32_t n = 0; n < 3; ++n) all.push_back(workgroup_[n] * size_[n] + localId_[n]);
      break;
    case spv::BuiltIn::LocalInvocationIndex:
      all = {(localId_[2] * size_[1] + localId_[1]) * size_[0] + localId_[0]};
      break;
    default:
      ADD_FAILURE() << "the executor does not know this input";
      all.assign(3, 0);
    }
    if (scalarsOf(p.pointee) == 1 && all.size() > 1) return {all[p.address]};
    return all;
  }

  void store(const Pointer& p, const Value& value) {
    if (p.isNoted) accesses_.push_back({p.address, layout(p.pointee).size});
    if (p.storage != spv::StorageClass::Function) return;
    Value& all = memory_[p.variable];
    for (size_t n = 0; n < value.size() && p.address + n < all.size(); ++n)
      all[p.address + n] = value[n];
  }

  const Module& module_;
  const Types& types_;
  const Constants& constants_;
  const Decorations& decorations_;
  const std::array<uint32_t, 4> push_;
  Id main_;
  uint64_t nextVariable_ = uint64_t(1) << 40; ///< far from 0: an index may be negative
  std::map<Id, Pointer> pointers_;
  std::map<Id, Value> memory_; ///< of Function variables
  std::vector<Access> accesses_;
  uint32_t steps_ = 0, data_ = 0;
  std::array<uint32_t, 3> localId_{}, size_{}, workgroup_{};
};

} // namespace lanewise::test
