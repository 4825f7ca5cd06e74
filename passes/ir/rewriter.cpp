#include "ir/rewriter.h"

#include "text/format_text.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <utility>

namespace lanewise {
namespace {

constexpr size_t kMaxInstWords = 0xFFFF;

} // namespace

// ---- Inst ----

Inst& Inst::string(std::string_view s) {
  size_t begin = words_.size();
  words_.resize(begin + s.size() / sizeof(uint32_t) + 1, 0);
  if (!s.empty()) std::memcpy(words_.data() + begin, s.data(), s.size());
  return *this;
}

std::span<const uint32_t> Inst::finish() {
  words_[0] = (words_[0] & 0xFFFF) | uint32_t(std::min(words_.size(), kMaxInstWords)) << 16;
  return words_;
}

// ---- Recording ----

void Rewriter::record(InstRef at, Kind kind, std::span<const uint32_t> words) {
  assert(at && at.value <= module_.instCount() + (kind == Kind::Before));
  const uint32_t order = uint32_t(kind) << Edit::kKindShift | uint32_t(edits_.size());
  edits_.push_back({at, order, uint32_t(pool_.size()), uint32_t(words.size())});
  pool_.insert(pool_.end(), words.begin(), words.end());
}

void Rewriter::recordInst(InstRef at, Kind kind, Inst inst) {
  std::span<const uint32_t> words = inst.finish();
  if (words.size() > kMaxInstWords && !fault_)
    fault_ =
        Error{formatText("a new {} has {} words; an instruction has at most {}",
                         factsOf(spv::Op(words[0] & 0xFFFF)).name, words.size(), kMaxInstWords),
              {},
              0,
              {},
              true};
  record(at, kind, words);
}

void Rewriter::insertBefore(InstRef at, Inst inst) {
  recordInst(at, Kind::Before, std::move(inst));
}
void Rewriter::insertAfter(InstRef at, Inst inst) {
  recordInst(at, Kind::After, std::move(inst));
}
void Rewriter::replace(InstRef at, Inst inst) {
  recordInst(at, Kind::Replace, std::move(inst));
}
void Rewriter::erase(InstRef at) {
  record(at, Kind::Erase, {});
}

void Rewriter::replaceRange(InstRange range, std::span<const uint32_t> instructions) {
  if (range.empty()) return;
  const auto begin = uint32_t(pool_.size());
  pool_.push_back(range.last.value);
  record(range.first, Kind::ReplaceRange, instructions);
  edits_.back().begin = begin;
}

void Rewriter::setWord(InstRef at, uint32_t n, uint32_t value) {
  assert(n >= 1 && n < module_.wordCount(at));
  record(at, Kind::SetWord, {});
  edits_.back().begin = value;
  edits_.back().size = n;
}

InstRef Rewriter::endOfGlobals() const {
  return module_.globals().last;
}

// ---- Declarations ----

InstRef Rewriter::globalAnchor(InstRef anchor) const {
  InstRef end = endOfGlobals();
  return anchor && anchor < end ? anchor : end;
}

void Rewriter::indexGlobals() {
  if (globalsIndexed_) return;
  globalsIndexed_ = true;
  for (InstRef i : module_.globals()) {
    if (module_.opcode(i) == spv::Op::OpTypeInt && module_.word(i, 2) == 32 &&
        module_.word(i, 3) == 0 && !uint32Type_)
      uint32Type_ = module_.idAt(i, 1);
    if (module_.opcode(i) == spv::Op::OpConstant && module_.wordCount(i) == 4)
      constants_.try_emplace(constantKey(module_.idAt(i, 1), module_.word(i, 3)),
                             module_.resultId(i));
  }
}

/// Sees to it that the integer type `type` is declared before `anchor`.
void Rewriter::raise(Id type, InstRef anchor) {
  if (auto known = placed_.find(type); known != placed_.end()) {
    // Ours to place: its insertion moves to the new anchor. The order of recording keeps it in
    // front there.
    Edit& edit = edits_[known->second];
    if (anchor < edit.at) edit.at = anchor;
    return;
  }
  InstRef d = module_.def(type);
  assert(d && module_.opcode(d) == spv::Op::OpTypeInt);
  if (d < anchor) return;
  placed_.emplace(type, uint32_t(edits_.size()));
  record(anchor, Kind::Before, module_.inst(d));
  erase(d);
}

Id Rewriter::uint32Type(InstRef anchor) {
  indexGlobals();
  anchor = globalAnchor(anchor);
  if (uint32Type_) {
    raise(uint32Type_, anchor);
    return uint32Type_;
  }
  uint32Type_ = newId();
  placed_.emplace(uint32Type_, uint32_t(edits_.size()));
  insertBefore(anchor, Inst(spv::Op::OpTypeInt).id(uint32Type_).word(32).word(0));
  return uint32Type_;
}

Id Rewriter::uint32Constant(uint32_t value, InstRef anchor) {
  return constant(uint32Type(anchor), value, anchor);
}

Id Rewriter::constant(Id integerType, uint32_t value, InstRef anchor) {
  indexGlobals();
  anchor = globalAnchor(anchor);
  raise(integerType, anchor);
  auto [known, isNew] = constants_.try_emplace(constantKey(integerType, value));
  if (!isNew) {
    Id id = known->second;
    auto ours = placed_.find(id);
    InstRef at = ours != placed_.end() ? edits_[ours->second].at : module_.def(id);
    bool before = ours != placed_.end() ? at <= anchor : at < anchor;
    if (before) return id;
  }
  // A second equal constant is allowed (2.8 speaks of types), so one that stands too late stays
  // there.
  Id id = newId();
  known->second = id;
  placed_.emplace(id, uint32_t(edits_.size()));
  Inst constant(spv::Op::OpConstant);
  constant.id(integerType).id(id).word(value);
  if (module_.numberWords(integerType) > 1) constant.word(0); // the upper half
  insertBefore(anchor, std::move(constant));
  return id;
}

// ---- Commit ----

std::optional<Error> Rewriter::findConflict() const {
  const auto isWhole = [](const Edit& e) {
    return e.kind() == Kind::Replace || e.kind() == Kind::ReplaceRange || e.kind() == Kind::Erase;
  };
  uint32_t rangeEnd = 0; // of the last ReplaceRange
  for (size_t e = 0; e < edits_.size(); ++e) {
    const Edit &a = edits_[e ? e - 1 : 0], &b = edits_[e];
    bool inRange = b.at.value < rangeEnd;
    if (b.kind() == Kind::ReplaceRange) rangeEnd = behindRange(b).value;
    if (!inRange && (e == 0 || a.at != b.at)) continue;
    bool same = a.kind() == Kind::Erase && b.kind() == Kind::Erase;
    if (inRange || (isWhole(a) && isWhole(b) && !same) || (a.kind() == Kind::SetWord && isWhole(b)))
      return Error{formatText("{} has two conflicting edits", module_.facts(b.at).name),
                   module_.wordOffset(b.at),
                   module_.resultId(b.at).value,
                   {}};
  }
  return {};
}

void Rewriter::sortEdits() {
  const auto isEarlier = [](const Edit& a, const Edit& b) { return a.key() < b.key(); };
  if (std::is_sorted(edits_.begin(), edits_.end(), isEarlier)) return; // passes mostly go in order
  const size_t places = module_.instCount() + 2; // one behind the last; refs begin with 1
  if (edits_.size() < places / 8) return std::sort(edits_.begin(), edits_.end(), isEarlier);
  // There are hardly more places than edits: count those of each place, then put them there.
  std::vector<uint32_t> begins(places + 1);
  for (const Edit& e : edits_) ++begins[e.at.value + 1];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  std::vector<Edit> sorted(edits_.size());
  for (const Edit& e : edits_) sorted[begins[e.at.value]++] = e;
  edits_.swap(sorted);
  for (auto first = edits_.begin(); first != edits_.end();) {
    const auto last =
        std::find_if(first, edits_.end(), [&](const Edit& e) { return e.at != first->at; });
    if (last - first > 1) std::sort(first, last, isEarlier);
    first = last;
  }
}

/// Words of the result.
size_t Rewriter::editedSize() const {
  size_t size = module_.words().size();
  InstRef erased;
  for (const Edit& e : edits_) {
    if (e.kind() == Kind::SetWord) continue;
    size += e.size;
    if (e.kind() == Kind::Before || e.kind() == Kind::After || e.at == erased) continue;
    const InstRef behind =
        e.kind() == Kind::ReplaceRange ? behindRange(e) : InstRef(e.at.value + 1);
    size -= module_.wordOffset(behind) - module_.wordOffset(e.at);
    erased = e.at; // which may be said twice
  }
  return size;
}

/// `changedAt` becomes the word offsets, in the result, of what is new or was changed.
std::vector<uint32_t> Rewriter::editedWords(std::vector<uint32_t>& changedAt) const {
  std::span<const uint32_t> old = module_.words();
  std::vector<uint32_t> out;
  out.reserve(editedSize());
  size_t copied = 0; // words of the old module that are done
  auto copyTo = [&](size_t end) {
    if (end > copied)
      out.insert(out.end(), old.begin() + ptrdiff_t(copied), old.begin() + ptrdiff_t(end));
    copied = std::max(copied, end);
  };
  for (const Edit& e : edits_) {
    size_t begin = module_.wordOffset(e.at);
    size_t end =
        e.at.value <= module_.instCount() ? module_.wordOffset(InstRef(e.at.value + 1)) : begin;
    const auto insertWords = [&] {
      const auto words = wordsOf(e);
      out.insert(out.end(), words.begin(), words.end());
    };
    const auto note = [&](size_t at) {
      if (changedAt.empty() || changedAt.back() != at) changedAt.push_back(uint32_t(at));
    };
    switch (e.kind()) {
    case Kind::Before:
      copyTo(begin);
      note(out.size());
      insertWords();
      break;
    case Kind::SetWord:
      copyTo(end);
      note(out.size() - (end - begin));
      out[out.size() - (end - begin) + e.size] = e.begin;
      break;
    case Kind::Replace:
      copyTo(begin);
      note(out.size());
      insertWords();
      copied = end;
      break;
    case Kind::ReplaceRange:
      copyTo(begin);
      insertWords();
      copied = module_.wordOffset(behindRange(e));
      break;
    case Kind::Erase:
      copyTo(begin);
      copied = end;
      break;
    case Kind::After:
      copyTo(end);
      note(out.size());
      insertWords();
      break;
    }
  }
  copyTo(old.size());
  return out;
}

void Rewriter::clear() {
  nextId_ = module_.idBound();
  edits_.clear();
  pool_.clear();
  fault_.reset();
  globalsIndexed_ = false;
  uint32Type_ = {};
  constants_.clear();
  placed_.clear();
}

Result<bool> Rewriter::commit() {
  if (edits_.empty()) {
    clear();
    return false;
  }
  sortEdits();
  std::optional<Error> fault = std::move(fault_);
  if (!fault) fault = findConflict();
  if (!fault && nextId_ > Module::kMaxIdBound)
    fault = Error{formatText("the id bound would be {}, above the limit {} (SPIR-V 2.17); "
                             "--compact-ids in front may make room",
                             nextId_, Module::kMaxIdBound),
                  {},
                  0,
                  {},
                  true};
  if (fault) {
    clear();
    return std::move(*fault);
  }
  std::vector<uint32_t> changedAt;
  std::vector<uint32_t> words = editedWords(changedAt);
  if (std::equal(words.begin(), words.end(), module_.words().begin(), module_.words().end())) {
    clear();
    return false;
  }
  words[3] = nextId_;
  // Reading takes the most memory. Of the module as it was the words are enough, to go back to.
  std::vector<Edit>().swap(edits_);
  std::vector<uint32_t>().swap(pool_);
  const bool hadUnknown = module_.hasUnknown();
  const std::shared_ptr<const std::vector<uint32_t>> old = module_.owner_;
  module_ = Module();
  Result<Module> changed =
      hadUnknown ? Module::read(std::move(words)) : Module::readEdited(std::move(words), changedAt);
  module_ = std::move(changed ? *changed : *Module::readShared(old));
  clear();
  if (!changed) return changed.error();
  return true;
}

} // namespace lanewise
