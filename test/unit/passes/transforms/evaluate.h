// Executes one invocation of a straight-line shader on words of memory: what a rewrite of pointers
// and aggregates must leave as it is. Knows no more opcodes than the tests need, and fails on any
// other; trusts that indices are in range but checks that accesses are.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/constants.h"
#include "analysis/module/types.h"
#include "ir/module.h"

#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace lanewise::test {

class Evaluation {
public:
  using Words = std::vector<uint32_t>;

  explicit Evaluation(Analyses& analyses)
      : module_(analyses.module()), types_(analyses.get<Types>()),
        constants_(analyses.get<Constants>()) {
    uint32_t seed = 1;
    for (InstRef i : module_.globals()) {
      const Id id = module_.resultId(i);
      if (module_.opcode(i) == spv::Op::OpVariable) {
        Words& words = memory_[id];
        words.resize(size(types_.pointee(id)));
        for (uint32_t& word : words) word = seed++ * 2654435761u;
        if (module_.wordCount(i) > 4) words = value(module_.idAt(i, 4)).words;
      }
    }
  }

  /// Runs a function without parameters.
  void run(Id function) { call(function, {}); }
  /// What the global variables hold.
  std::map<Id, Words> memory() const {
    std::map<Id, Words> globals;
    for (const auto& [id, words] : memory_)
      if (module_.def(id) < module_.globals().last) globals[id] = words;
    return globals;
  }

private:
  struct Value {
    Words words; ///< of everything but pointers
    Id variable; ///< pointers: where they point
    uint32_t offset = 0;
  };

  uint32_t size(Id type) const {
    const TypeInfo& info = types_.info(type);
    switch (info.kind) {
    case TypeInfo::Kind::Vector:
      return info.count * size(info.element);
    case TypeInfo::Kind::Array:
      return uint32_t(types_.arrayLength(type).value_or(0)) * size(info.element);
    case TypeInfo::Kind::Struct:
      return offsetOf(type, info.count);
    default:
      return 1;
    }
  }
  uint32_t offsetOf(Id type, uint32_t child) const {
    const TypeInfo& info = types_.info(type);
    if (info.kind != TypeInfo::Kind::Struct) return child * size(info.element);
    uint32_t offset = 0;
    for (uint32_t m = 0; m < child; ++m) offset += size(types_.member(type, m));
    return offset;
  }
  Id childOf(Id type, uint32_t child) const {
    const TypeInfo& info = types_.info(type);
    return info.kind == TypeInfo::Kind::Struct ? types_.member(type, child) : info.element;
  }

  Value value(Id id) {
    if (auto found = values_.find(id); found != values_.end()) return found->second;
    if (memory_.count(id)) return {{}, id, 0};
    if (module_.opcodeOf(id) == spv::Op::OpConstantNull)
      return {Words(size(module_.typeOf(id))), {}, 0};
    const auto constant = constants_.value(id);
    if (!constant) ADD_FAILURE() << "no value of %" << id.value;
    return {{constant ? uint32_t(constant->bits) : 0}, {}, 0};
  }

  uint32_t* at(const Value& pointer, uint32_t count) {
    auto found = memory_.find(pointer.variable);
    if (found == memory_.end() || pointer.offset + count > found->second.size()) {
      ADD_FAILURE() << "access out of range";
      scratch_.assign(count, 0);
      return scratch_.data();
    }
    return found->second.data() + pointer.offset;
  }

  Value chain(InstRef i) {
    Value pointer = value(module_.idAt(i, 3));
    Id type = types_.pointee(module_.idAt(i, 3));
    for (uint32_t word = 4; word < module_.wordCount(i); ++word) {
      const uint32_t index = value(module_.idAt(i, word)).words[0];
      pointer.offset += offsetOf(type, index);
      type = childOf(type, index);
    }
    return pointer;
  }

  Words load(const Value& pointer, uint32_t count) {
    const uint32_t* from = at(pointer, count);
    return {from, from + count};
  }
  void store(const Value& pointer, const Words& words) {
    std::copy(words.begin(), words.end(), at(pointer, uint32_t(words.size())));
  }

  void call(Id function, const std::vector<Value>& arguments) {
    size_t argument = 0;
    for (InstRef i : module_.functionInsts(module_.functionOfId(function))) {
      if (module_.opcode(i) == spv::Op::OpFunctionParameter)
        values_[module_.resultId(i)] = arguments.at(argument++);
      else
        execute(i);
    }
    EXPECT_EQ(argument, arguments.size());
  }

  void execute(InstRef i) {
    const Id result = module_.resultId(i), type = module_.resultType(i);
    auto operand = [&](uint32_t word) { return value(module_.idAt(i, word)); };
    switch (module_.opcode(i)) {
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      values_[result] = chain(i);
      return;
    case spv::Op::OpCopyObject:
      values_[result] = operand(3);
      return;
    case spv::Op::OpSelect:
      values_[result] = operand(operand(3).words[0] ? 4 : 5);
      return;
    case spv::Op::OpLoad:
      values_[result] = {load(operand(3), size(type)), {}, 0};
      return;
    case spv::Op::OpStore:
      return store(operand(1), operand(2).words);
    case spv::Op::OpCopyMemory:
      return store(operand(1), load(operand(2), size(types_.pointee(module_.idAt(i, 1)))));
    case spv::Op::OpIAdd:
      values_[result] = {{operand(3).words[0] + operand(4).words[0]}, {}, 0};
      return;
    case spv::Op::OpCompositeConstruct: {
      Words words;
      for (uint32_t word = 3; word < module_.wordCount(i); ++word)
        for (uint32_t w : operand(word).words) words.push_back(w);
      values_[result] = {std::move(words), {}, 0};
      return;
    }
    case spv::Op::OpCompositeExtract: {
      uint32_t offset = 0;
      Id part = module_.typeOf(module_.idAt(i, 3));
      for (uint32_t word = 4; word < module_.wordCount(i); ++word) {
        offset += offsetOf(part, module_.word(i, word));
        part = childOf(part, module_.word(i, word));
      }
      const Words whole = operand(3).words;
      values_[result] = {{whole.begin() + offset, whole.begin() + offset + size(part)}, {}, 0};
      return;
    }
    case spv::Op::OpFunctionCall: {
      std::vector<Value> arguments;
      for (uint32_t word = 4; word < module_.wordCount(i); ++word)
        arguments.push_back(operand(word));
      return call(module_.idAt(i, 3), arguments);
    }
    case spv::Op::OpVariable:
      memory_[result].assign(size(types_.pointee(result)), 0);
      return;
    case spv::Op::OpFunction:
    case spv::Op::OpLabel:
    case spv::Op::OpLine:
    case spv::Op::OpReturn:
    case spv::Op::OpFunctionEnd:
      return;
    default:
      ADD_FAILURE() << "cannot execute " << module_.facts(i).name;
    }
  }

  const Module& module_;
  const Types& types_;
  const Constants& constants_;
  std::map<Id, Words> memory_;
  std::map<Id, Value> values_;
  Words scratch_;
};

} // namespace lanewise::test
