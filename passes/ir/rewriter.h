// The only way to change a Module: record edits against the module as it is, then commit them all
// in one linear pass. Until commit() the module does not change, so refs and spans stay valid while
// a pass works.
#pragma once

#include "ir/handles.h"
#include "ir/module.h"
#include "lanewise/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lanewise {

/// One new instruction, word by word; the word count is filled in when it is handed to the
/// Rewriter.
///   Inst(spv::Op::OpIAdd).id(type).id(result).id(a).id(b)
class Inst {
public:
  explicit Inst(spv::Op op) {
    words_.reserve(8); // most are no longer
    words_.push_back(uint32_t(op));
  }
  /// A copy of an existing instruction, to be changed with set().
  explicit Inst(std::span<const uint32_t> words) : words_(words.begin(), words.end()) {}

  Inst& id(Id i) { return word(i.value); }
  Inst& word(uint32_t w) {
    words_.push_back(w);
    return *this;
  }
  Inst& words(std::span<const uint32_t> ws) {
    words_.insert(words_.end(), ws.begin(), ws.end());
    return *this;
  }
  Inst& string(std::string_view s);
  Inst& set(uint32_t n, uint32_t w) {
    words_[n] = w;
    return *this;
  }
  /// The finished words, word count included.
  std::span<const uint32_t> finish();

private:
  std::vector<uint32_t> words_;
};

/// Records edits and commits them. Several edits may meet at one place: insertions before an
/// instruction keep the order in which they were made and stand before its replacement; insertions
/// after it stand behind, in order. Inserted text cannot itself be edited before the commit.
class Rewriter {
public:
  explicit Rewriter(Module& module) : module_(module), nextId_(module.idBound()) {}
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  const Module& module() const { return module_; }

  /// A fresh id. commit() fails when the bound would pass Module::kMaxIdBound.
  Id newId() { return Id(nextId_++); }

  void insertBefore(InstRef at, Inst inst);
  void insertAfter(InstRef at, Inst inst);
  /// Replaces all words of an instruction. At most once for each, not together with setWord or
  /// erase.
  void replace(InstRef at, Inst inst);
  /// Overwrites word `n` (1 or higher) of an instruction; several may be set.
  void setWord(InstRef at, uint32_t n, uint32_t value);
  void setId(InstRef at, uint32_t n, Id id) { setWord(at, n, id.value); }
  void erase(InstRef at);
  /// Replaces a run of instructions by others (whole ones, word counts filled in), or by nothing.
  /// No other edit may be inside; insertions before the first are in front.
  void replaceRange(InstRange range, std::span<const uint32_t> instructions);
  /// Several whole instructions at once, word counts filled in.
  void insertBefore(InstRef at, std::span<const uint32_t> instructions) {
    record(at, Kind::Before, instructions);
  }
  void insertAfter(InstRef at, std::span<const uint32_t> instructions) {
    record(at, Kind::After, instructions);
  }

  // Declarations. Each returns an id whose declaration stands before `anchor`, a global instruction
  // that will use it (or, with a null anchor, before the first function). An equal declaration that
  // already stands there, or that was inserted by this Rewriter earlier, is used again; a scalar
  // integer type that is declared behind the anchor is moved, since the specification forbids a
  // second one (2.8).
  Id uint32Type(InstRef anchor = {});
  Id uint32Constant(uint32_t value, InstRef anchor = {});
  /// A constant of an existing integer type, of up to 64 bits (then extended by zeros).
  Id constant(Id integerType, uint32_t value, InstRef anchor = {});
  /// Any other type or constant: inserted before `anchor` as given, never shared. `words` lacks the
  /// result id: `make(id)` builds the instruction from it.
  template <class Make>
  Id declare(InstRef anchor, Make&& make) {
    Id id = newId();
    insertBefore(anchor ? anchor : endOfGlobals(), make(id));
    return id;
  }

  /// First OpFunction, or the end of the module when there is none.
  InstRef endOfGlobals() const;

  bool hasEdits() const { return !edits_.empty(); }

  /// Carries out all edits and indexes the module anew. True if anything changed. On an error (a
  /// fault of the pass: an edited module that cannot be read) the module is as it was. All refs are
  /// invalid after a commit that changed something; ids are not. The Rewriter is empty afterwards.
  Result<bool> commit();

private:
  enum class Kind : uint8_t { Before, SetWord, Replace, ReplaceRange, Erase, After };
  /// Passes make as many as there are instructions.
  struct Edit {
    InstRef at;
    uint32_t order; ///< kind, then the sequence number, which keeps equal places stable
    uint32_t begin; ///< into pool_; SetWord: the value
    /// Words in pool_; SetWord: which word. ReplaceRange has one word more in front of its own: the
    /// instruction behind the last.
    uint32_t size;

    static constexpr uint32_t kKindShift = 29;
    Kind kind() const { return Kind(order >> kKindShift); }
    /// Edits are carried out in this order.
    uint64_t key() const { return uint64_t(at.value) << 32 | order; }
  };
  void recordInst(InstRef at, Kind kind, Inst inst);
  void record(InstRef at, Kind kind, std::span<const uint32_t> words);
  /// ReplaceRange: the instruction behind the last one that goes, and the words in its place.
  InstRef behindRange(const Edit& edit) const { return InstRef(pool_[edit.begin]); }
  std::span<const uint32_t> wordsOf(const Edit& edit) const {
    const uint32_t own = edit.kind() == Kind::ReplaceRange;
    return std::span(pool_).subspan(edit.begin + own, edit.size);
  }

  InstRef globalAnchor(InstRef anchor) const;
  void indexGlobals();
  void raise(Id type, InstRef anchor);
  static uint64_t constantKey(Id type, uint32_t value) {
    return uint64_t(type.value) << 32 | value;
  }
  void sortEdits();
  std::optional<Error> findConflict() const;
  size_t editedSize() const;
  std::vector<uint32_t> editedWords(std::vector<uint32_t>& changedAt) const;
  void clear();

  Module& module_;
  uint32_t nextId_;
  std::vector<Edit> edits_; ///< in the order of recording until commit()
  std::vector<uint32_t> pool_;
  std::optional<Error> fault_; ///< found while recording, reported by commit()

  // For declarations; filled by the first that is asked for. Looked up only, never iterated.
  bool globalsIndexed_ = false;
  Id uint32Type_;
  std::unordered_map<uint64_t, Id>
      constants_; ///< 32-bit constants by constantKey(), the earliest of each
  std::unordered_map<Id, uint32_t> placed_; ///< ids that we place: which of edits_ does
};

} // namespace lanewise
