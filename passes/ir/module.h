// The IR: a SPIR-V module as the words it came in, with an index over them.
//
// Module owns the words and never changes them except through Rewriter::commit(). Everything handed
// out is a handle or a span into the words, so reading costs one pass and writing back costs
// nothing: a module that no pass changes is returned byte for byte.
//
// Specification: SPIR-V 2.3 (physical layout), 2.4 (logical layout).
#pragma once

#include "ir/handles.h"
#include "ir/opcode_facts.h"
#include "lanewise/result.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise {

/// A half-open run of instructions, usable in a range for.
struct InstRange {
  InstRef first, last; ///< last is one behind the end

  struct iterator {
    using iterator_category = std::input_iterator_tag; // hands out values, not references
    using value_type = InstRef;
    using difference_type = ptrdiff_t;
    using pointer = void;
    using reference = InstRef;

    uint32_t at;
    InstRef operator*() const { return InstRef(at); }
    iterator& operator++() {
      ++at;
      return *this;
    }
    bool operator==(const iterator&) const = default;
  };
  iterator begin() const { return {first.value}; }
  iterator end() const { return {last.value}; }
  bool empty() const { return first == last; }
  uint32_t size() const { return last.value - first.value; }
};

class Module {
public:
  /// Largest id bound accepted: the universal limit of the specification (2.17).
  static constexpr uint32_t kMaxIdBound = 0x3FFFFF;
  static constexpr uint32_t kHeaderWords = 5;

  /// Indexes `words` (taken over, host byte order). Checks what the rest of the library relies on:
  /// header, instruction lengths, operands against the grammar, ids below the bound and defined at
  /// most once, functions made of blocks that end in one terminator. It does not replace the
  /// validator. An unknown opcode, enumerant or extended instruction is accepted and kept as it is:
  /// hasUnknown() says so.
  static Result<Module> read(std::vector<uint32_t> words);
  /// The same for a module that was read before and then edited: the operands of instructions are
  /// checked only where they are new or were changed, at the word offsets `changed` (ascending).
  static Result<Module> readEdited(std::vector<uint32_t> words, std::span<const uint32_t> changed);

  /// The module as it would be written to a file.
  std::span<const uint32_t> words() const { return words_; }
  /// The same for somebody who keeps them longer than the module.
  std::shared_ptr<const std::vector<uint32_t>> sharedWords() const { return owner_; }

  uint32_t version() const { return words_[1]; } ///< 0x00010600 for SPIR-V 1.6
  uint32_t idBound() const { return words_[3]; }

  // Instructions. Refs run from 1 to instCount().
  uint32_t instCount() const { return uint32_t(offsets_.size()) - 2; }
  InstRange insts() const { return {InstRef(1), InstRef(instCount() + 1)}; }
  /// All words of the instruction, the first holding word count and opcode.
  std::span<const uint32_t> inst(InstRef i) const {
    return {words_.data() + offsets_[i.value], offsets_[i.value + 1] - offsets_[i.value]};
  }
  size_t wordOffset(InstRef i) const { return offsets_[i.value]; }
  spv::Op opcode(InstRef i) const { return spv::Op(words_[offsets_[i.value]] & 0xFFFF); }
  /// Word `n` of the instruction (word 0 holds count and opcode).
  uint32_t word(InstRef i, uint32_t n) const { return words_[offsets_[i.value] + n]; }
  uint32_t wordCount(InstRef i) const { return words_[offsets_[i.value]] >> 16; }
  /// Word `n` as an id. The caller knows from the opcode that it is one.
  Id idAt(InstRef i, uint32_t n) const { return Id(word(i, n)); }
  const OpcodeFacts& facts(InstRef i) const { return factsOf(opcode(i)); }
  /// What executing the instruction does; of an OpExtInst, what the instruction of the set does.
  /// With a cooperative matrix as result or operand any instruction is one of the whole subgroup.
  Effect effects(InstRef i) const {
    if (isExtInst(opcode(i))) return extInstFacts(extInstSet(idAt(i, 3)), word(i, 4)).effects;
    if (cooperativeTypes_.empty()) return facts(i).effects;
    return effectsAmongCooperativeMatrices(i);
  }
  /// True for a type of cooperative matrices, or one made of them (not for pointers to them).
  bool isCooperative(Id type) const {
    return std::binary_search(cooperativeTypes_.begin(), cooperativeTypes_.end(), type);
  }
  /// True for an instruction of which nobody has written down what it does, or that the grammar
  /// does not have: it may read and write any memory, also some that no operand names, and depend
  /// on who else executes it. Not for a call, whose callee is looked at.
  bool isUnread(InstRef i) const {
    return isUnknown(i) || (effects(i) == kEveryEffect && opcode(i) != spv::Op::OpFunctionCall);
  }
  /// Result id and result type, null where the opcode has none.
  Id resultId(InstRef i) const {
    const OpcodeFacts& f = facts(i);
    return f.hasResult ? idAt(i, 1u + f.hasResultType) : Id();
  }
  Id resultType(InstRef i) const { return facts(i).hasResultType ? idAt(i, 1) : Id(); }
  /// The string that starts at word `n`.
  std::string_view stringAt(InstRef i, uint32_t n) const;

  /// The instruction that defines `id`, null if none does (a forward reference of a broken module).
  InstRef def(Id id) const { return id.value < defs_.size() ? defs_[id.value] : InstRef(); }
  /// Opcode that defines `id`, OpNop if none.
  spv::Op opcodeOf(Id id) const {
    InstRef d = def(id);
    return d ? opcode(d) : spv::Op::OpNop;
  }
  /// Type of the value `id`, null if it has none.
  Id typeOf(Id id) const {
    InstRef d = def(id);
    return d ? resultType(d) : Id();
  }

  // Functions and blocks, in module order; refs run from 1 to the count.
  uint32_t functionCount() const { return uint32_t(functions_.size()) - 1; }
  uint32_t blockCount() const { return uint32_t(blocks_.size()) - 1; }
  /// OpFunction to OpFunctionEnd.
  InstRange functionInsts(FunctionRef f) const { return functions_[f.value].insts; }
  Id functionId(FunctionRef f) const { return resultId(functions_[f.value].insts.first); }
  /// Blocks of a function are consecutive: [firstBlock, firstBlock + blockCount).
  BlockRef firstBlock(FunctionRef f) const { return functions_[f.value].firstBlock; }
  uint32_t blockCount(FunctionRef f) const { return functions_[f.value].blockCount; }
  FunctionRef functionOf(BlockRef b) const { return blocks_[b.value].function; }
  /// OpLabel to terminator, with any OpLine in between.
  InstRange blockInsts(BlockRef b) const { return blocks_[b.value].insts; }
  Id labelId(BlockRef b) const { return resultId(blocks_[b.value].insts.first); }
  InstRef terminator(BlockRef b) const { return InstRef(blocks_[b.value].insts.last.value - 1); }
  /// OpSelectionMerge or OpLoopMerge of the block, null if none.
  InstRef mergeInst(BlockRef b) const { return blocks_[b.value].merge; }
  /// The block that holds an instruction, null outside blocks. Within a function, OpLine and debug
  /// OpExtInst (DebugNoScope and the like) may also stand between two blocks.
  BlockRef blockOf(InstRef i) const { return instBlock_[i.value]; }
  /// The block that a label id names, null if `label` is no label.
  BlockRef blockOfLabel(Id label) const;
  /// The function that OpFunction `id` defines, null if it is none.
  FunctionRef functionOfId(Id id) const;
  /// Everything before the first OpFunction.
  InstRange globals() const { return {InstRef(1), firstFunctionInst_}; }

  /// Whether an OpCapability says so; not those that the capability implies.
  bool declares(spv::Capability capability) const;

  /// Calls `visit(uint32_t wordIndex, Id id)` for every id among the operands of `i`, result type
  /// included, result id not. For an instruction with unknown opcode or enumerant, every word that
  /// could be an id is visited (conservative: may name words that are none).
  template <class Visitor>
  void forEachIdOperand(InstRef i, Visitor&& visit) const {
    const OpcodeFacts& f = facts(i);
    std::span<const uint32_t> w = inst(i);
    uint32_t at = 1;
    if (f.hasResultType) visit(at, Id(w[at])), ++at;
    if (f.hasResult) ++at;
    if (f.onlyIds) {
      for (; at < w.size(); ++at) visit(at, Id(w[at]));
      return;
    }
    if (unknown_.empty()) {
      const uint32_t behind = at + f.leadingIds;
      if (!f.hasIdsBehind || behind == w.size()) {
        for (; at < behind; ++at) visit(at, Id(w[at]));
        return;
      }
    }
    scratchOperands(i, [&](uint32_t n) { visit(n, Id(w[n])); });
  }

  /// True when some instruction has an opcode, enumerant or extended instruction that the table
  /// does not know; isUnknown() says which. Passes leave whatever such an instruction may touch
  /// alone.
  bool hasUnknown() const { return !unknown_.empty(); }
  bool isUnknown(InstRef i) const;
  /// The first instruction that keeps passes from rewriting the module at all: one that is unknown,
  /// or an OpExtension of a name that the grammar does not have, which may give known instructions
  /// another meaning. Null if there is none.
  InstRef firstBeyondGrammar() const {
    return unknown_.empty() || (unknownExtension_ && unknownExtension_ < unknown_.front())
               ? unknownExtension_
               : unknown_.front();
  }

  /// Set of an OpExtInstImport id; Unknown if `import` is none.
  ExtInstSet extInstSet(Id import) const {
    for (const auto& [id, set] : extInstSets_)
      if (id == import) return set;
    return ExtInstSet::Unknown;
  }

  /// Words that a literal of the OpTypeInt or OpTypeFloat `type` takes in OpConstant,
  /// OpSpecConstant and the cases of OpSwitch (whose type is that of the selector): 1 up to 32
  /// bits, 2 up to 64; low word first (SPIR-V 2.2.1). 0 if `type` is neither.
  uint32_t numberWords(Id type) const {
    InstRef d = def(type);
    if (!d || (opcode(d) != spv::Op::OpTypeInt && opcode(d) != spv::Op::OpTypeFloat)) return 0;
    uint32_t bits = word(d, 2);
    return bits / 32 + (bits % 32 != 0);
  }

private:
  friend class Rewriter;
  friend class ModuleReader;
  struct Block {
    InstRange insts;
    FunctionRef function;
    InstRef merge;
  };
  struct Function {
    InstRange insts;
    BlockRef firstBlock;
    uint32_t blockCount = 0;
  };

  Module() = default;
  static Result<Module> readShared(std::shared_ptr<const std::vector<uint32_t>> words);
  Effect effectsAmongCooperativeMatrices(InstRef i) const;
  /// Slow path of forEachIdOperand: parses the operands by the grammar.
  void parseIdOperands(InstRef i, void (*visit)(void*, uint32_t), void* context) const;
  template <class F>
  void scratchOperands(InstRef i, F&& f) const {
    parseIdOperands(
        i, [](void* c, uint32_t n) { (*static_cast<F*>(c))(n); }, &f);
  }

  std::shared_ptr<const std::vector<uint32_t>> owner_; ///< of the words: copies share them
  std::span<const uint32_t> words_;
  std::vector<uint32_t> offsets_; ///< by InstRef; [instCount()+1] is the end
  std::vector<InstRef> defs_;     ///< by Id
  std::vector<BlockRef> instBlock_;
  std::vector<Block> blocks_;                          ///< [0] unused
  std::vector<Function> functions_;                    ///< [0] unused
  std::vector<InstRef> unknown_;                       ///< sorted
  std::vector<Id> cooperativeTypes_;                   ///< sorted once the module is read
  std::vector<std::pair<Id, ExtInstSet>> extInstSets_; ///< by OpExtInstImport, few
  InstRef unknownExtension_;                           ///< the first one
  InstRef firstFunctionInst_;
};

} // namespace lanewise
