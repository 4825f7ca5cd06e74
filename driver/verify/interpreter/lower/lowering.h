// Internal to the interpreter: lowers one module. What belongs to the whole module is in
// lowering.cpp, control flow in lower_function.cpp, values in lower_value.cpp, memory in
// lower_memory.cpp, meeting points in lower_group.cpp.
#pragma once

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "verify/interpreter/code/program.h"

#include <set>
#include <utility>

namespace lanewise::driver {
struct GlslInstruction;
}

namespace lanewise::driver::interpreter {

/// How a type lies in byte-addressed memory, where the type alone does not say.
struct MatrixLayout {
  uint32_t stride = 0; ///< MatrixStride; 0: columns one after the other
  bool isRowMajor = false;
  bool operator==(const MatrixLayout&) const = default;
};

/// What a pointer value is, as far as it is known when lowering.
struct Pointer {
  uint32_t cell = 0;  ///< holds the address of which `offset` is the rest
  int64_t offset = 0; ///< bytes; cells for cell memory
  Id pointee;
  spv::StorageClass storage{};
  Id variable;           ///< null if it is not known
  bool isStatic = false; ///< cell memory at `offset`, no address needed
  MatrixLayout matrix;
  uint32_t componentStride = 0; ///< pointee is a vector (a column) whose components stand apart
  uint32_t arrayStride = 0;     ///< of the pointer type, for OpPtrAccessChain
};

/// `count` scalars in memory at a constant distance, in consecutive cells.
struct Run {
  uint32_t cell = 0, count = 1;
  uint64_t offset = 0;
  uint32_t bytes = 4, stride = 4;
  bool isBool = false;
};

/// A type of cooperative matrices. Each lane has `cells` of the elements.
struct CooperativeMatrix {
  Id component;
  uint32_t scope = 0, rows = 0, columns = 0, cells = 0;
};

class ModuleLowering {
public:
  ModuleLowering(std::vector<uint32_t> words, const ProgramOptions& options);
  Result<std::shared_ptr<const Program>> run();

private:
  // lowering.cpp
  Status readModule();
  Status checkCapabilities();
  Status findEntry();
  void checkExecutionModes();
  void lowerConstant(InstRef i);
  void computeConstant(InstRef i, uint32_t to);
  void finish();
  void lowerVariables();
  void lowerVariable(InstRef i);
  VariableInfo variableOf(InstRef i, Id& type, spv::StorageClass storage);
  void addVariable(VariableInfo v, Id pointee);
  void lowerInterfaceVariable(InstRef i, Id pointee, spv::StorageClass storage);
  void findWrittenVariables();
  void refuse(std::string what) { refused_.insert(std::move(what)); }

  // lower_function.cpp
  void lowerFunctions();
  void declareFunction(FunctionRef f);
  void lowerFunction(FunctionRef f);
  std::vector<BlockRef> structuredOrder(FunctionRef f) const;
  void lowerEntryCode();
  void lowerFunctionVariables(FunctionRef f);
  void lowerBlock(BlockRef b);
  void branchTo(BlockRef from, BlockRef to, uint32_t inst, bool isElse);
  bool needsEdge(BlockRef to) const;
  void lowerTerminator(BlockRef b, InstRef i);
  void lowerSwitch(BlockRef b, InstRef i);
  uint32_t addEdges(uint32_t count) {
    return std::exchange(program_->edgeCount, program_->edgeCount + count);
  }
  void lowerCall(InstRef i);
  void lowerEdge(BlockRef from, BlockRef to);
  void lowerPhis(BlockRef from, BlockRef to);
  std::vector<uint32_t> loopsAround(BlockRef b) const;
  void patchJumps();

  // lower_value.cpp
  void lowerInst(InstRef i);
  bool lowerSimple(InstRef i, spv::Op op, uint32_t firstOperand);
  bool lowerComposite(InstRef i, spv::Op op, uint32_t first);
  bool lowerFloatMatrix(InstRef i, spv::Op op, uint32_t first);
  bool lowerBits(InstRef i, spv::Op op, uint32_t first);
  bool lowerIntegerDot(InstRef i, spv::Op op);
  void lowerShuffle(InstRef i, uint32_t first);
  void lowerBitcast(InstRef i, uint32_t first);
  bool lowerValueOp(InstRef i, spv::Op op, uint32_t firstOperand);
  void lowerExtended(InstRef i);
  void lowerGlsl(InstRef i, const GlslInstruction& known);

  // lower_memory.cpp
  bool lowerMemoryOp(InstRef i, spv::Op op);
  void lowerAccessChain(InstRef i, bool isPointerChain);
  bool stepInto(Pointer& p, Id index, InstRef at, bool& ok);
  void indexBy(Pointer& p, Id index, uint64_t stride, uint64_t bound, InstRef at);
  void load(const Pointer& p, uint32_t to, InstRef at, Sharing sharing = {});
  void store(const Pointer& p, uint32_t from, InstRef at, Sharing sharing = {});
  void lowerCopyMemory(InstRef i);
  void lowerArrayLength(InstRef i);
  void lowerPointerCompare(InstRef i, spv::Op op);
  void lowerAtomic(InstRef i, spv::Op op);
  Pointer pointer(Id id);
  void definePointer(Id id, const Pointer& p);
  uint32_t addressCell(const Pointer& p, InstRef at);
  Pointer pointerOfType(Id value, uint32_t cell);
  bool isCellMemory(spv::StorageClass s) const;
  bool collectRuns(Id type, MatrixLayout matrix, uint32_t componentStride, uint32_t cell,
                   uint64_t offset, bool isNatural, std::vector<Run>& runs);
  uint64_t memberOffset(Id structType, uint32_t member, bool isNatural) const;
  uint64_t strideOf(Id arrayType, MatrixLayout matrix, bool isNatural) const;
  uint64_t sizeInMemory(Id type, MatrixLayout matrix, bool isNatural) const;
  MatrixLayout matrixOf(Id structType, uint32_t member) const;
  bool isNatural(spv::StorageClass s) const;
  void noteAccess(uint32_t bytes);

  void noteMatrixAccess(uint32_t site, const Pointer& p, Sharing sharing, bool isStore);

  // lower_cooperative.cpp
  void checkCooperativeTypes();
  const CooperativeMatrix* cooperative(Id type) const; ///< null for any other type
  FloatEncoding encodingOf(Id type) const;             ///< of its scalars
  bool lowerNewerOp(InstRef i, spv::Op op);
  bool lowerNarrowConversion(InstRef i, spv::Op op);
  void lowerMixedDot(InstRef i, bool hasAccumulator);
  void lowerFma(InstRef i);
  void lowerMatrixAccess(InstRef i, bool isStore);
  void lowerMultiply(InstRef i);
  void replicate(uint32_t to, Id part, Id type, InstRef at);

  // lower_image.cpp
  void lowerOpaqueVariable(InstRef i, Id pointee);
  void loadDescriptor(const Pointer& p, uint32_t to, InstRef at);
  bool lowerImageOp(InstRef i, spv::Op op);
  void lowerTexelPointer(InstRef i);
  void lowerImageQuery(InstRef i, spv::Op op);
  void lowerImageAccess(InstRef i, spv::Op op);
  bool readImageOperands(InstRef i, uint32_t w, ImageInfo& info);
  void emitImage(InstRef i, ImageInfo info, uint32_t to, uint32_t cells, Id variable);
  std::string whyNotImage(Id imageType) const;
  Id imageTypeOf(Id type) const;
  Id imageVariable(Id value) const;
  ImageInfo::Vector vectorOf(Id value);

  // lower_group.cpp
  bool lowerGroupOp(InstRef i, spv::Op op);
  void lowerBarrier(InstRef i);
  uint32_t constantOr(Id id, uint32_t otherwise) const;

  // lower_order.cpp
  Level levelOf(Id scope) const;
  Ordering orderingOf(Id scope, Id semantics) const;
  Sharing sharingOf(InstRef i, uint32_t& w, bool isWrite) const;
  void noteSharing(uint32_t site, MemoryClass memoryClass, Sharing sharing, bool isWrite);
  void decideTracking();
  Tracking trackingOf(uint32_t classAt) const;

  // Small things.
  const TypeInfo& info(Id type) const { return types_->info(type); }
  uint32_t cellsOf(Id type);
  Id typeOf(Id value) const { return module_->typeOf(value); }
  uint32_t widthOf(Id type) const; ///< of its scalars; 1 for Booleans
  uint32_t componentsOf(Id type) const;
  uint32_t invocations() const {
    const auto& size = program_->workgroupSize;
    return size[0] * size[1] * size[2];
  }
  bool isFloat(Id type) const; ///< its scalars
  uint32_t allocate(uint32_t cells) {
    uint32_t at = nextCell_;
    nextCell_ += cells;
    return at;
  }
  uint32_t constantCell(uint64_t value);
  /// First cell of a value; allocates it if it is used before it is defined (phis).
  uint32_t cell(Id id);
  /// The cells of an operand, with the address of a pointer put together.
  uint32_t valueCell(Id id, InstRef at);
  /// The result of `i` is what stands in `from` already.
  void alias(InstRef i, uint32_t from);
  uint32_t define(InstRef i) { return cell(module_->resultId(i)); }
  uint32_t siteOf(InstRef i, Id variable = Id());
  Instr& emit(Op op, InstRef at);
  void move(uint32_t to, uint32_t from, uint32_t cells, InstRef at);
  std::string nameOf(InstRef i) const;

  ProgramOptions options_;
  std::vector<uint32_t> words_;
  std::shared_ptr<Program> program_;
  Module* module_ = nullptr;
  const Types* types_ = nullptr;
  const Constants* constants_ = nullptr;
  const Decorations* decorations_ = nullptr;
  const Cfg* cfg_ = nullptr;
  const Dominance* dominance_ = nullptr;
  const EntryPoint* entry_ = nullptr;
  std::set<std::string> refused_; ///< opcodes and the like that the interpreter does not know
  std::set<uint32_t> capabilities_;
  mutable std::map<Id, CooperativeMatrix> cooperative_; ///< by type, as far as asked for

  std::vector<Instr>* out_ = nullptr; ///< what emit() writes to
  std::vector<Instr> prologue_;       ///< computes constants, once
  uint32_t nextCell_ = 1;             ///< cell 0 is never used
  std::vector<uint32_t> cells_;       ///< by Id: first cell, 0: none yet
  std::vector<uint32_t> typeCells_;   ///< by Id of a type
  std::set<Id> written_;              ///< variables that something is stored to
  bool writesAnywhere_ = false;       ///< through a pointer that names no variable
  std::vector<std::pair<Id, MemoryClass>> privateAccesses_; ///< by variable
  std::vector<Pointer> pointers_;                           ///< by pointerOf_ - 1
  std::vector<uint32_t> pointerOf_;                         ///< by Id
  std::map<uint64_t, uint32_t> numbers_; ///< constants that lowering itself needs
  std::vector<std::pair<uint32_t, uint64_t>> constantValues_;
  std::vector<std::pair<uint32_t, uint32_t>> constantMarks_; ///< cell, site
  std::vector<uint32_t> siteOfInst_;                         ///< by InstRef
  std::vector<uint32_t> functionIndex_;                      ///< by FunctionRef: index + 1
  std::vector<std::pair<uint32_t, uint32_t>> privateInits_;  ///< variable, initializer (ids)

  // Of the function under way.
  std::vector<uint32_t> blockStart_;  ///< by BlockRef
  std::vector<int32_t> loopOfHeader_; ///< by BlockRef: index into Program::loops, -1
  struct Patch {
    uint32_t inst;
    BlockRef to;
    enum Where : uint8_t { Aux, B, SwitchCase, SwitchDefault } where;
    uint32_t index; ///< case
  };
  std::vector<Patch> patches_;
  FunctionRef function_;
  BlockRef nextBlock_; ///< that follows in the code
  std::vector<uint32_t> functionLoops_;
  std::vector<std::pair<BlockRef, BlockRef>> loopBlocks_; ///< header and merge, by functionLoops_
  std::vector<uint32_t> resultCells_; ///< by index of a function: its result, 0 for void
  std::vector<std::pair<uint32_t, FunctionRef>> callPatches_;
};

} // namespace lanewise::driver::interpreter
