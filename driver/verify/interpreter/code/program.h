// A compute entry point lowered to the interpreter's code, with everything that running it and
// reporting on it needs. Immutable once made: any number of threads run it.
#pragma once

#include "analysis/module/analyses.h"
#include "analysis/module/source_lines.h"
#include "ir/module.h"
#include "lanewise/assumptions.h"
#include "lanewise/remarks.h"
#include "lanewise/result.h"
#include "lanewise/target_profile.h"
#include "verify/formats/image_shape.h"
#include "verify/formats/narrow_floats.h"
#include "verify/interpreter/code/code.h"
#include "verify/interpreter/code/tickets.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lanewise::driver::interpreter {

/// What an access does for other invocations (Vulkan, Memory Model, "Private vs. Non-Private" and
/// "Per-Instruction Availability and Visibility Semantics"). In a module of the GLSL450 memory
/// model, which has no such flags, every access does all of it.
struct Sharing {
  bool isPrivate = false;
  bool isPublished = true; ///< MakePointerAvailable of a write, MakePointerVisible of a read
};

/// Whom a scope includes, narrow to wide. Scopes wider than a workgroup count as Device.
enum class Level : uint8_t { Invocation, Subgroup, Workgroup, Device };

/// One SPIR-V instruction that something can be said about. Site 0 is none.
struct Site {
  InstRef inst;
  Id variable; ///< that a memory access goes to, null if it is not known
  /// The origin of a value that an image gave for a texel that it does not have. An instruction has
  /// another site for what else is undefined about it.
  bool isOutside = false;
  Sharing load{}, store{};
  uint8_t atomicBytes = 0; ///< of what an atomic accesses
  Level atomicScope{};
};

/// Which memory a barrier or fence orders: bits of a mask.
enum MemoryClass : uint8_t { kStorageClass = 1, kWorkgroupClass = 2, kImageClass = 4 };
constexpr uint32_t kMemoryClasses = 3;
/// 0, 1 or 2 for one bit of MemoryClass.
constexpr uint32_t classIndex(MemoryClass c) {
  return c == kStorageClass ? 0 : c == kWorkgroupClass ? 1 : 2;
}

/// How much has to be remembered of the accesses to one class of memory.
enum class Tracking : uint8_t {
  Barriers,  ///< only barriers of the whole workgroup order them: a tick is enough
  Lanes,     ///< some lanes of a workgroup may be ordered and others not
  Workgroups ///< and so may workgroups
};

/// Scope and semantics of a barrier or an atomic.
struct Ordering {
  Level level = Level::Invocation;
  uint8_t classes = 0; ///< MemoryClass bits: no other class is ordered
  bool acquires = false, releases = false;
  /// Always, in a module of the GLSL450 memory model.
  bool makesAvailable = true, makesVisible = true;
  bool names(uint32_t classAt) const { return (acquires || releases) && classes >> classAt & 1; }
  /// Orders all of it, both ways.
  bool isFull() const { return acquires && releases && makesAvailable && makesVisible; }
};

struct BarrierInfo {
  std::optional<Level> execution; ///< null: OpMemoryBarrier
  Ordering memory;
};

struct AtomicInfo {
  spv::Op opcode{};
  uint8_t bytes = 4;
  bool isImage = false;
  MemoryClass memoryClass = kStorageClass;
  Ordering ordering;
  Ordering unequal;        ///< where OpAtomicCompareExchange does not write
  uint32_t comparator = 0; ///< cell, of OpAtomicCompareExchange
};

enum class ImageOperation : uint8_t {
  Read, ///< OpImageRead and OpImageFetch
  Write,
  TexelPointer,
  Sample,
  Gather,
  QuerySize,
  QueryLevels
};

/// An instruction on an image. An image and a sampler are values of one cell: the address of the
/// resource; a sampled image is both, in two cells.
struct ImageInfo {
  ImageOperation operation{};
  uint32_t image = 0, sampler = 0; ///< cells
  struct Vector {
    uint32_t cell = 0, count = 0;
    uint8_t shift = 32; ///< 64 - width of the components
    bool isSigned = true;
  };
  Vector coordinate; ///< integers of Read, Write and TexelPointer, else floats
  bool isProjected = false;
  uint32_t lod = 0; ///< cell, 0: none; a float of Sample, else an integer
  uint32_t ddx = 0, ddy = 0, gradientCount = 0; ///< cells of Grad
  Vector offset;                                ///< of the operands ConstOffset and Offset
  Vector offsets;                               ///< of ConstOffsets: four pairs
  uint32_t component = 0;                       ///< cell, of Gather
  Vector texel;                                 ///< of Write
  uint32_t outside = 0;                         ///< site of what a texel outside gives
  Sharing sharing{};
};

struct GroupInfo {
  spv::Op opcode{};
  spv::GroupOperation operation{}; ///< of arithmetic and of OpGroupNonUniformBallotBitCount
  uint8_t width = 32;              ///< of the value's components
  uint32_t cluster = 0;            ///< ClusteredReduce: lanes in a cluster
  uint32_t result = 0, value = 0, index = 0; ///< cells
  uint32_t resultCells = 1, valueCells = 1;
  int32_t barrier = -1;  ///< index into Program::barriers, for an OpControlBarrier of a subgroup
  int32_t multiply = -1; ///< index into Program::multiplies
};

/// A cooperative matrix in memory.
struct MatrixAccess {
  uint32_t rows = 0, columns = 0;
  uint32_t stride = 0;       ///< cell: from row to row, or column to column, in elements
  uint32_t elementBytes = 4; ///< of what the pointer points to
  uint8_t componentBytes = 4;
  bool isColumnMajor = false;
};

struct MatrixOperand {
  uint32_t cell = 0, cells = 0; ///< of each lane
  uint8_t width = 32;
  FloatEncoding encoding{}; ///< of floats
  bool isSigned = false;    ///< integers
};

/// OpCooperativeMatrixMulAddKHR: result = a b + c.
struct MultiplyInfo {
  uint32_t rows = 0, columns = 0, inner = 0;
  MatrixOperand a, b, c, result;
  bool isFloat = true, isSaturating = false;
};

/// An instruction of GLSL.std.450; see GlslCall (glsl_std_450.h).
struct ExtendedInfo {
  uint32_t instruction = 0;
  uint32_t resultCount = 1, resultWidth = 32, secondWidth = 32;
  bool isFloat = false, isSecondFloat = false; ///< the result and its second half
  struct Operand {
    uint32_t cell = 0, cells = 1, width = 32;
  };
  std::vector<Operand> operands;
};

struct SwitchTable {
  std::vector<std::pair<uint64_t, uint32_t>> cases; ///< sorted by literal, zero-extended
  uint32_t otherwise = 0;
};

/// A loop construct, for the dynamic instance of what happens in it.
struct LoopInfo {
  uint32_t header = 0;  ///< address of its first instruction
  uint32_t counter = 0; ///< cell that counts iterations
};

/// A block's stretch of code and the loop constructs round it, outermost first.
struct BlockInfo {
  uint32_t begin = 0, end = 0; ///< addresses
  uint32_t function = 0;
  std::vector<uint32_t> loops; ///< indices into Program::loops
  BlockRef block = {};         ///< null: what a lane does before the entry point
  uint32_t firstEdge = 0;      ///< of the Branch or Switch at its end
};

struct FunctionInfo {
  uint32_t entry = 0;
  uint32_t returnAddress = 0; ///< cell
  std::string name;
};

/// A variable of the interface or of Workgroup memory. `cell` holds its address.
struct VariableInfo {
  Id id;
  std::string name;
  spv::StorageClass storage{};
  uint32_t cell = 0;
  uint32_t set = 0, binding = 0;
  uint32_t descriptors = 1; ///< elements of an array of descriptors
  bool isDescriptorArray = false;
  bool isWritten = true;  ///< false: no instruction writes through it
  uint64_t bytes = 0;     ///< Workgroup: size; others: least size of the block
  bool isZeroed = false;  ///< Workgroup variables with a null initializer
  bool isUniform = false; ///< a uniform buffer, push constants or a sampled image
  enum class Kind : uint8_t { Buffer, Image, Sampler } kind = Kind::Buffer;
  ImageDimension dimension{}; ///< of an image
  bool isArrayed = false;     ///< an image with layers
};

struct BuiltInVariable {
  spv::BuiltIn builtIn{};
  uint32_t cell = 0;
  uint32_t cells = 1;
};

struct ProgramOptions {
  std::string entry; ///< empty: the only one
  std::map<uint32_t, uint64_t> specConstants;
  /// How Workgroup memory without explicit layout is laid out.
  SharedMemoryRules sharedRules;
  /// Of the runs to come; counts where there are cooperative matrices.
  uint32_t subgroupSize = kDefaultSubgroupSize;
};

class Program {
public:
  const Module& module() const { return *module_; }
  Analyses& analyses() const { return *analyses_; }
  /// Where a site is in the source; where the module does not say, the nearest line before it in
  /// its function. Line 0 if there is none.
  SourceLocation location(uint32_t site) const { return locationOf(sites[site].inst); }
  SourceLocation locationOf(InstRef inst) const;
  /// The variable that a memory access goes to, empty if it is not known.
  std::string variableName(uint32_t site) const;
  spv::Op opcodeAt(uint32_t site) const;
  const OpcodeFacts& facts(uint32_t site) const { return factsOf(opcodeAt(site)); }

  /// The block that holds an address of the code.
  const BlockInfo& blockAt(uint32_t address) const { return blocks[blockOf[address]]; }

  std::array<uint32_t, 3> workgroupSize{1, 1, 1};
  std::vector<Instr> code;
  uint32_t start = 0;     ///< where a lane begins
  uint32_t cellCount = 0; ///< of a lane
  /// Cells that hold the same in every lane at its start: constants. [0, initialCells.size()).
  std::vector<uint64_t> initialCells;
  std::vector<uint32_t> initialMarks;
  std::vector<Site> sites;
  std::vector<BlockInfo> blocks;
  std::vector<uint32_t> blockOf; ///< by address
  /// Edges are the ways out of branches: of a Branch where its condition holds, then where it does
  /// not; of a Switch its default, then its cases in the order of SwitchTable.
  uint32_t edgeCount = 0;
  std::vector<LoopInfo> loops;
  std::vector<FunctionInfo> functions;
  std::vector<VariableInfo> variables;
  std::vector<BuiltInVariable> builtIns;
  std::vector<BarrierInfo> barriers;
  std::vector<AtomicInfo> atomics;
  std::vector<ImageInfo> images;
  std::vector<GroupInfo> groups;
  std::vector<MatrixAccess> matrixAccesses;
  std::vector<MultiplyInfo> multiplies;
  std::vector<ExtendedInfo> extended;
  std::vector<SwitchTable> switches;
  uint32_t granuleBytes = 4;      ///< smallest scalar that is loaded or stored in shared memory
  bool hasStorageAtomics = false; ///< workgroups may speak to one another
  bool isVulkanModel = false;     ///< OpMemoryModel: Vulkan rather than GLSL450
  uint8_t privateClasses = 0;     ///< of memory that private accesses go to
  std::array<Tracking, kMemoryClasses> tracking{};
  /// Atomics of this class may fail to be atomic with respect to one another.
  std::array<bool, kMemoryClasses> hasUnlikeAtomics{};
  std::unique_ptr<Tickets> tickets; ///< null where only barriers are tracked
  bool hasPhysicalPointers = false; ///< some access may go to any buffer
  uint64_t workgroupBytes = 0;      ///< Workgroup memory in all

private:
  friend class ModuleLowering;
  Program() = default;
  std::unique_ptr<Module> module_;
  Assumptions assumptions_;
  std::unique_ptr<Analyses> analyses_;
  const SourceLines* lines_ = nullptr;
};

} // namespace lanewise::driver::interpreter
