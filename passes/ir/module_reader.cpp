// Module::read: one pass that finds the instructions, checks each and builds the index.

#include "ir/grammar_names.h"
#include "ir/module.h"
#include "ir/newer_enumerants.h"
#include "ir/operand_walk.h"
#include "text/format_text.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace lanewise {

using detail::OperandWalk;
using detail::WalkOutcome;

namespace {

constexpr std::string_view kMaybeNewer = ", or is newer than the grammar that this program has";

/// Of what stands in front of the functions, all but lines.
bool isDeclaration(OpClass c) {
  switch (c) {
  case OpClass::Preamble:
  case OpClass::Debug:
  case OpClass::Annotation:
  case OpClass::Type:
  case OpClass::Constant:
  case OpClass::Variable:
    return true;
  default:
    return false;
  }
}

} // namespace

class ModuleReader {
public:
  using Words = std::shared_ptr<const std::vector<uint32_t>>;

  explicit ModuleReader(Words words) { take(std::move(words)); }
  ModuleReader(Words words, std::span<const uint32_t> changed)
      : isEdited_(true), changed_(changed) {
    take(std::move(words));
  }

  Result<Module> read() {
    checkHeader() && indexInstructions() && checkEnd();
    if (error_) return std::move(*error_);
    return std::move(m_);
  }

private:
  void take(Words words) {
    m_.owner_ = std::move(words);
    m_.words_ = *m_.owner_;
  }

  // Each step gives false once error_ is set.
  bool checkHeader();
  uint32_t countInstructions() const;
  bool indexInstructions();
  bool checkEnd();

  bool indexInstruction(InstRef i);
  bool indexUnchanged(InstRef i);
  InstRef indexUnchangedRun(InstRef first, size_t at);
  void noteExtension(InstRef i);
  void noteCooperativeType(InstRef i, std::span<const uint32_t> w);
  bool checkOperands(InstRef i, std::span<const uint32_t> w, const OpcodeFacts& f);
  bool walkOperands(InstRef i, std::span<const uint32_t> w, const OpcodeFacts& f);
  bool checkResultType(InstRef i, Id type);
  bool checkDeclaration(InstRef i, const OpcodeFacts& f);
  bool define(InstRef i, Id id);

  bool place(InstRef i, const OpcodeFacts& f);
  bool placeDeclaration(InstRef i, const OpcodeFacts& f);
  bool placeFunction(InstRef i, spv::Op op);
  bool placeLabel(InstRef i);
  bool placeInBlock(InstRef i, const OpcodeFacts& f);

  bool validId(uint32_t id) const { return id - 1u < m_.words_[3] - 1u; }
  bool inFunction() const { return functionStart_ != InstRef(); }
  bool inBlock() const { return blockStart_ != InstRef(); }

  bool fail(std::string message, std::optional<size_t> wordOffset = {}, uint32_t id = 0) {
    error_ = Error{std::move(message), wordOffset, id, {}};
    return false;
  }
  /// Blames an instruction.
  bool fail(InstRef i, std::string_view what, uint32_t id = 0) {
    return fail(formatText("{} {}", m_.facts(i).name, what), m_.wordOffset(i), id);
  }

  /// Whether the instruction at a word was read before. Asked once for each, in their order.
  bool isUnchanged(size_t at) {
    if (!isEdited_) return false;
    while (!changed_.empty() && changed_.front() < at) changed_ = changed_.subspan(1);
    return changed_.empty() || changed_.front() != at;
  }

  Module m_;
  const bool isEdited_ = false;
  std::span<const uint32_t> changed_; ///< word offsets that are still to come
  std::optional<Error> error_;
  bool unknownOpcode_ = false; ///< ids may have definitions that we do not see

  InstRef functionStart_;  ///< null outside functions
  BlockRef functionBlock_; ///< first block of that function
  InstRef blockStart_;     ///< null outside blocks
  InstRef blockMerge_;

  std::vector<bool> forwardPointers_; ///< by Id, named by OpTypeForwardPointer; empty if none is
  std::vector<std::pair<InstRef, Id>> forwardUses_; ///< by types, of ids not yet defined
};

Result<Module> Module::readShared(std::shared_ptr<const std::vector<uint32_t>> words) {
  return ModuleReader(std::move(words)).read();
}

Result<Module> Module::read(std::vector<uint32_t> words) {
  return readShared(std::make_shared<const std::vector<uint32_t>>(std::move(words)));
}
Result<Module> Module::readEdited(std::vector<uint32_t> words, std::span<const uint32_t> changed) {
  return ModuleReader(std::make_shared<const std::vector<uint32_t>>(std::move(words)), changed)
      .read();
}

// ---- Header and instruction lengths ----

bool ModuleReader::checkHeader() {
  const std::span<const uint32_t> w = m_.words_;
  constexpr uint32_t kSwappedMagic = 0x03022307;
  if (w.empty()) return fail("the module is empty");
  if (w[0] == kSwappedMagic)
    return fail("the module has the opposite byte order (magic number 0x03022307); swap the four "
                "bytes of every word, for example with 'spirv-dis IN | spirv-as - -o OUT'",
                0);
  if (w[0] != spv::MagicNumber)
    return fail(
        formatText(
            "not a SPIR-V module: it starts with {:#010x} instead of the magic number 0x07230203",
            w[0]),
        0);
  if (w.size() < Module::kHeaderWords)
    return fail(
        formatText("the module is truncated: {} words, but the header alone takes 5", w.size()),
        w.size());
  if ((w[1] >> 16) != 1 || (w[1] & 0xFF) != 0)
    return fail(formatText("unknown SPIR-V version {:#010x}", w[1]), 1);
  if (w[3] == 0) return fail("the id bound is 0; it must be greater than every id", 3);
  if (w[3] > Module::kMaxIdBound)
    return fail(
        formatText(
            "the id bound {} is above the limit {} (SPIR-V 2.17); 'spirv-opt --compact-ids' may "
            "lower it",
            w[3], Module::kMaxIdBound),
        3);
  return true;
}

// ---- One instruction ----

/// As many as can be told before they are looked at: up to the first one of a wrong length.
uint32_t ModuleReader::countInstructions() const {
  const std::span<const uint32_t> w = m_.words_;
  uint32_t count = 0;
  for (size_t at = Module::kHeaderWords; at < w.size(); ++count) {
    const uint32_t length = w[at] >> 16;
    if (length == 0 || length > w.size() - at) break;
    at += length;
  }
  return count;
}

bool ModuleReader::indexInstructions() {
  const std::span<const uint32_t> w = m_.words_;
  if (w.size() > UINT32_MAX) return fail("the module is larger than 16 GiB");
  const uint32_t count = countInstructions();
  m_.offsets_.resize(count + 2);
  m_.instBlock_.resize(count + 2);
  m_.defs_.resize(w[3]);
  m_.blocks_.emplace_back();
  m_.functions_.emplace_back();
  m_.offsets_[1] = Module::kHeaderWords;
  size_t at = Module::kHeaderWords;
  for (InstRef i(1); i.value <= count;) {
    i = indexUnchangedRun(i, at);
    at = m_.offsets_[i.value];
    if (i.value > count) break;
    const bool isOld = isUnchanged(at);
    at += w[at] >> 16;
    m_.offsets_[i.value + 1] = uint32_t(at);
    if (!(isOld ? indexUnchanged(i) : indexInstruction(i))) return false;
    ++i.value;
  }
  if (at < w.size()) {
    const uint32_t length = w[at] >> 16;
    if (length == 0) return fail("an instruction has word count 0", at);
    return fail(formatText("the module is truncated: {} has {} words, but only {} are left",
                           factsOf(spv::Op(w[at] & 0xFFFF)).name, length, w.size() - at),
                at);
  }
  std::sort(m_.cooperativeTypes_.begin(), m_.cooperativeTypes_.end());
  return true;
}

bool ModuleReader::indexInstruction(InstRef i) {
  const OpcodeFacts& f = m_.facts(i);
  std::span<const uint32_t> w = m_.inst(i);
  if (f.opClass == OpClass::Unknown) {
    unknownOpcode_ = true;
    m_.unknown_.push_back(i);
    if (inBlock()) m_.instBlock_[i.value] = BlockRef(uint32_t(m_.blocks_.size()));
    return true;
  }
  if (!checkOperands(i, w, f)) return false;
  if (f.opClass == OpClass::Preamble) noteExtension(i);
  if (!place(i, f)) return false;
  if (f.opClass == OpClass::Type) noteCooperativeType(i, w);
  if (f.hasResult) return define(i, Id(w[1u + f.hasResultType]));
  return true;
}

/// The same for an instruction that is known to be right in itself: most of what a pass leaves.
bool ModuleReader::indexUnchanged(InstRef i) {
  const uint32_t* const w = m_.words_.data() + m_.offsets_[i.value];
  const OpcodeFacts& f = factsOf(spv::Op(w[0] & 0xFFFF));
  if (f.opClass == OpClass::Value && inBlock() && !blockMerge_)
    m_.instBlock_[i.value] = BlockRef(uint32_t(m_.blocks_.size()));
  else if (!place(i, f))
    return false;
  else if (f.opClass == OpClass::Preamble)
    noteExtension(i);
  else if (f.opClass == OpClass::Type)
    noteCooperativeType(i, m_.inst(i));
  if (!f.hasResult) return true;
  const uint32_t id = w[1u + f.hasResultType];
  InstRef& def = m_.defs_[id];
  if (def) return define(i, Id(id)); // which says what is wrong
  def = i;
  return true;
}

/// The same for a run of them, from the one at word `at` on, that are declared in front of the
/// functions or compute values in a block: nearly all of a module. Gives what stands behind them.
InstRef ModuleReader::indexUnchangedRun(InstRef first, size_t at) {
  const bool areValues = inBlock() && !blockMerge_;
  const bool areGlobals = !inFunction() && !m_.firstFunctionInst_;
  if (!isEdited_ || (!areValues && !areGlobals)) return first;
  const uint32_t* const words = m_.words_.data();
  const size_t end = changed_.empty() ? m_.words_.size() : changed_.front();
  const BlockRef block(areValues ? uint32_t(m_.blocks_.size()) : 0);
  uint32_t* const offsets = m_.offsets_.data();
  BlockRef* const blocks = m_.instBlock_.data();
  InstRef* const defs = m_.defs_.data();
  InstRef i = first;
  for (const uint32_t last = m_.instCount(); at < end && i.value <= last; ++i.value) {
    const uint32_t* const w = words + at;
    const OpcodeFacts& f = factsOf(spv::Op(w[0] & 0xFFFF));
    if (areValues ? f.opClass != OpClass::Value : !isDeclaration(f.opClass)) break;
    if (f.hasResult) {
      InstRef& def = defs[w[1u + f.hasResultType]];
      if (def) break; // indexUnchanged() says what is wrong
      def = i;
    }
    blocks[i.value] = block;
    at += w[0] >> 16;
    offsets[i.value + 1] = uint32_t(at);
    if (areValues) continue;
    if (f.opClass == OpClass::Preamble) noteExtension(i);
    if (f.opClass == OpClass::Type) noteCooperativeType(i, m_.inst(i));
  }
  return i;
}

void ModuleReader::noteExtension(InstRef i) {
  const spv::Op op = m_.opcode(i);
  if (op == spv::Op::OpExtension && !m_.unknownExtension_ && !isKnownExtension(m_.stringAt(i, 1)))
    m_.unknownExtension_ = i;
  if (op == spv::Op::OpExtInstImport)
    m_.extInstSets_.emplace_back(m_.idAt(i, 1), extInstSetFromName(m_.stringAt(i, 2)));
}

void ModuleReader::noteCooperativeType(InstRef i, std::span<const uint32_t> w) {
  std::vector<Id>& types = m_.cooperativeTypes_;
  auto isOne = [&](uint32_t id) {
    return std::find(types.begin(), types.end(), Id(id)) != types.end();
  };
  const spv::Op op = m_.opcode(i);
  bool isIt =
      op == newer::Op::OpTypeCooperativeMatrixKHR || op == newer::Op::OpTypeCooperativeMatrixNV;
  if (types.empty() && !isIt) return;
  if (op == spv::Op::OpTypeArray) isIt = isOne(w[2]);
  if (op == spv::Op::OpTypeStruct) isIt = std::any_of(w.begin() + 2, w.end(), isOne);
  if (isIt) types.push_back(Id(w[1]));
}

bool ModuleReader::checkOperands(InstRef i, std::span<const uint32_t> w, const OpcodeFacts& f) {
  if (w.size() < f.minWords)
    return fail(i, formatText("has {} words; it needs at least {}", w.size(), f.minWords));
  if (w.size() > f.maxWords)
    return fail(
        i, formatText("has {} words, but takes at most {}{}", w.size(), f.maxWords, kMaybeNewer));
  uint32_t at = 1;
  if (f.hasResultType && !checkResultType(i, Id(w[at++]))) return false;
  if (f.hasResult) ++at; // define() looks at it
  if (f.onlyIds) {
    for (; at < w.size(); ++at)
      if (!validId(w[at]))
        return fail(i, formatText("has operand id {}, outside 1 to {}", w[at], m_.idBound() - 1));
    bool pairs = !f.operands.empty() && f.operands.back().kind == OperandKind::PairIdId;
    if (pairs && (w.size() - f.minWords) % 2 != 0)
      return fail(i, "ends in the middle of an operand pair");
  } else if (!walkOperands(i, w, f)) {
    return false;
  }
  if (f.opClass == OpClass::Type || f.opClass == OpClass::Constant) return checkDeclaration(i, f);
  return true;
}

bool ModuleReader::walkOperands(InstRef i, std::span<const uint32_t> w, const OpcodeFacts& f) {
  uint32_t badId = 0, badAt = 0;
  detail::IdVisitor ids([&](uint32_t n) {
    if (!validId(w[n]) && badAt == 0) badId = w[n], badAt = n;
  });
  OperandWalk walk(m_, w, ids);
  WalkOutcome outcome = walk.run(f);
  if (badAt != 0)
    return fail(i, formatText("has operand id {}, outside 1 to {}", badId, m_.idBound() - 1));
  switch (outcome) {
  case WalkOutcome::Known:
    return true;
  case WalkOutcome::Unknown:
    m_.unknown_.push_back(i);
    return true;
  case WalkOutcome::TooFewWords:
    return fail(i, "ends before its last operand");
  case WalkOutcome::TooManyWords:
    return fail(i, formatText("has {} word{} after its last operand{}", w.size() - walk.at(),
                              w.size() - walk.at() == 1 ? "" : "s", kMaybeNewer));
  case WalkOutcome::OpenString:
    return fail(i, "has an unterminated string");
  case WalkOutcome::NotANumber:
    return fail(i, "has a type that is neither integer nor float", w[1]);
  case WalkOutcome::NotASelector:
    return fail(i, "has a selector that is not a previously defined integer", w[1]);
  case WalkOutcome::NotASpecOp:
    return fail(i, formatText("cannot hold {} (opcode {})", factsOf(spv::Op(w[3])).name, w[3]),
                w[2]);
  }
  return false;
}

/// The result type must be a type declared before (2.4, 2.8), or analyses would have to look for
/// cycles.
bool ModuleReader::checkResultType(InstRef i, Id type) {
  if (!validId(type.value))
    return fail(i,
                formatText("has result type id {}, outside 1 to {}", type.value, m_.idBound() - 1));
  InstRef d = m_.defs_[type.value];
  if (!d && unknownOpcode_) return true;
  if (!d) return fail(i, "uses a result type that is not declared before it", type.value);
  if (m_.facts(d).opClass != OpClass::Type)
    return fail(i, "has a result type that is not a type", type.value);
  return true;
}

/// Types and constants refer to what stands before them (2.4); only a pointer announced by
/// OpTypeForwardPointer may come later. So they form no cycle except through OpTypePointer.
bool ModuleReader::checkDeclaration(InstRef i, const OpcodeFacts& f) {
  spv::Op op = m_.opcode(i);
  if (op == spv::Op::OpTypeForwardPointer) {
    if (forwardPointers_.empty()) forwardPointers_.resize(m_.words_[3]);
    forwardPointers_[m_.word(i, 1)] = true;
    return true;
  }
  // The commonest, which have nothing but their type and a number; and one whose function comes
  // later.
  if (op == spv::Op::OpConstant || op == spv::Op::OpSpecConstant) return true;
  if (op == spv::Op::OpConstantFunctionPointerINTEL) return true;
  if (f.operands.size() == 1u + f.hasResultType) return true; // nothing but the result
  bool good = true;
  m_.forEachIdOperand(i, [&](uint32_t, Id id) {
    if (!good || !validId(id.value) || m_.defs_[id.value]) return;
    bool announced =
        !forwardPointers_.empty() && forwardPointers_[id.value] && f.opClass == OpClass::Type;
    if (announced || unknownOpcode_)
      forwardUses_.push_back({i, id}); // checkEnd() looks again
    else
      good = fail(i, "uses an id that is not declared before it", id.value);
  });
  return good;
}

bool ModuleReader::define(InstRef i, Id id) {
  if (!validId(id.value))
    return fail(i, formatText("has result id {}, outside 1 to {}", id.value, m_.idBound() - 1));
  if (InstRef first = m_.defs_[id.value])
    return fail(i,
                formatText("redefines an id already defined by {} at word {}", m_.facts(first).name,
                           m_.wordOffset(first)),
                id.value);
  m_.defs_[id.value] = i;
  return true;
}

// ---- Functions and blocks ----

bool ModuleReader::place(InstRef i, const OpcodeFacts& f) {
  switch (f.opClass) {
  case OpClass::Line:
    if (inBlock()) m_.instBlock_[i.value] = BlockRef(uint32_t(m_.blocks_.size()));
    return true;
  case OpClass::Preamble:
  case OpClass::Debug:
  case OpClass::Annotation:
  case OpClass::Type:
  case OpClass::Constant:
    return placeDeclaration(i, f);
  case OpClass::Function:
    return placeFunction(i, m_.opcode(i));
  case OpClass::Label:
    return placeLabel(i);
  case OpClass::Variable:
    return inFunction() ? placeInBlock(i, f) : placeDeclaration(i, f);
  case OpClass::Merge:
  case OpClass::Terminator:
  case OpClass::Value:
    return placeInBlock(i, f);
  case OpClass::Unknown:
    break;
  }
  return true;
}

bool ModuleReader::placeDeclaration(InstRef i, const OpcodeFacts& f) {
  if (m_.opcode(i) == spv::Op::OpUndef && inBlock()) return placeInBlock(i, f);
  if (inFunction() || m_.firstFunctionInst_) return fail(i, "must come before the first function");
  return true;
}

bool ModuleReader::placeFunction(InstRef i, spv::Op op) {
  if (op == spv::Op::OpFunction) {
    if (inFunction()) return fail(i, "is inside another function; OpFunctionEnd is missing");
    if (!m_.firstFunctionInst_) m_.firstFunctionInst_ = i;
    functionStart_ = i;
    functionBlock_ = BlockRef(uint32_t(m_.blocks_.size()));
    return true;
  }
  if (!inFunction()) return fail(i, "is outside a function");
  if (inBlock()) return fail(i, "is in a block that has no terminator", m_.word(blockStart_, 1));
  uint32_t blocks = uint32_t(m_.blocks_.size()) - functionBlock_.value;
  if (op == spv::Op::OpFunctionParameter)
    return blocks == 0 || fail(i, "comes after the first block of the function");
  Module::Function function;
  function.insts = {functionStart_, InstRef(i.value + 1)};
  function.firstBlock = functionBlock_;
  function.blockCount = blocks;
  m_.functions_.push_back(function);
  functionStart_ = {};
  return true;
}

bool ModuleReader::placeLabel(InstRef i) {
  if (!inFunction()) return fail(i, "is outside a function", m_.word(i, 1));
  if (inBlock())
    return fail(i, formatText("is in block %{}, which has no terminator", m_.word(blockStart_, 1)),
                m_.word(i, 1));
  blockStart_ = i;
  blockMerge_ = {};
  m_.instBlock_[i.value] = BlockRef(uint32_t(m_.blocks_.size()));
  return true;
}

bool ModuleReader::placeInBlock(InstRef i, const OpcodeFacts& f) {
  spv::Op op = m_.opcode(i);
  bool debugOrNop = isExtInst(op) || op == spv::Op::OpNop;
  if (!inBlock()) {
    // DebugScope, DebugNoScope and DebugLine also stand between blocks and before OpFunctionEnd,
    // other non-semantic instructions among the globals; instructions of extensions may have places
    // of their own.
    constexpr uint32_t kFirstExtensionOpcode = 4096;
    bool elsewhere =
        f.opClass == OpClass::Value && !inFunction() && uint32_t(op) >= kFirstExtensionOpcode;
    return debugOrNop || elsewhere || fail(i, "is outside a block");
  }
  BlockRef block(uint32_t(m_.blocks_.size()));
  m_.instBlock_[i.value] = block;
  if (f.opClass == OpClass::Merge) {
    if (blockMerge_)
      return fail(i, "is a second merge instruction in its block", m_.word(blockStart_, 1));
    blockMerge_ = i;
  } else if (f.opClass == OpClass::Terminator) {
    m_.blocks_.push_back({{blockStart_, InstRef(i.value + 1)},
                          FunctionRef(uint32_t(m_.functions_.size())),
                          blockMerge_});
    blockStart_ = {};
  } else if (blockMerge_ && !debugOrNop) {
    return fail(i, "is between a merge instruction and the terminator", m_.word(blockStart_, 1));
  }
  return true;
}

// ---- What only the end shows ----

bool ModuleReader::checkEnd() {
  if (inFunction()) {
    uint32_t id = m_.word(functionStart_, 2);
    return fail("the module ends inside a function; OpFunctionEnd is missing", m_.words_.size(),
                id);
  }
  if (!m_.firstFunctionInst_) m_.firstFunctionInst_ = InstRef(m_.instCount() + 1);
  for (auto [user, id] : forwardUses_) {
    InstRef d = m_.def(id);
    if (!d && !unknownOpcode_)
      return fail(user, "uses a forward pointer that is never declared", id.value);
    if (d && m_.opcode(d) != spv::Op::OpTypePointer)
      return fail(user, "forward-references an id that is not an OpTypePointer", id.value);
  }
  return true;
}

} // namespace lanewise
