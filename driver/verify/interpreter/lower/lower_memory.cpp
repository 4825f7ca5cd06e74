// Lowers pointers and what goes through them. Constant offsets are folded into the accesses; what a
// Function or Private variable holds stands in cells, and is moved rather than loaded where its
// place is known.
#include "verify/interpreter/lower/lowering.h"

#include <algorithm>
#include <fmt/format.h>

namespace lanewise::driver::interpreter {
namespace {

using Kind = TypeInfo::Kind;
using S = spv::Op;
using spv::StorageClass;

constexpr size_t kMaxRuns = 4096; // of one access; beyond that the value is too scattered

bool fitsInt32(int64_t value) {
  return value >= INT32_MIN && value <= INT32_MAX;
}

MemoryClass classOf(StorageClass storage) {
  return storage == StorageClass::Workgroup ? kWorkgroupClass
         : storage == StorageClass::Image   ? kImageClass
                                            : kStorageClass;
}

} // namespace

bool ModuleLowering::isCellMemory(StorageClass s) const {
  return s == StorageClass::Function || s == StorageClass::Private || s == StorageClass::Input;
}

bool ModuleLowering::isNatural(StorageClass s) const {
  return s == StorageClass::Workgroup &&
         capabilities_.count(uint32_t(spv::Capability::WorkgroupMemoryExplicitLayoutKHR)) == 0;
}

// ----- layout -----

MatrixLayout ModuleLowering::matrixOf(Id structType, uint32_t member) const {
  return {types_->matrixStride(structType, member).value_or(0),
          types_->isRowMajor(structType, member)};
}

uint64_t ModuleLowering::memberOffset(Id structType, uint32_t member, bool natural) const {
  if (natural)
    return types_->naturalMemberOffset(structType, member, options_.sharedRules).value_or(0);
  return types_->offset(structType, member).value_or(0);
}

uint64_t ModuleLowering::strideOf(Id arrayType, MatrixLayout matrix, bool natural) const {
  if (!natural)
    if (auto stride = types_->arrayStride(arrayType)) return *stride;
  Id element = info(arrayType).element;
  if (natural) {
    SizeAlign layout =
        types_->naturalLayout(element, options_.sharedRules).value_or(SizeAlign{0, 1});
    return (layout.size + layout.align - 1) / layout.align * layout.align;
  }
  return sizeInMemory(element, matrix, natural);
}

uint64_t ModuleLowering::sizeInMemory(Id type, MatrixLayout matrix, bool natural) const {
  if (natural) return types_->naturalLayout(type, options_.sharedRules).value_or(SizeAlign{}).size;
  const TypeInfo& t = info(type);
  switch (t.kind) {
  case Kind::Bool:
    return 4;
  case Kind::Int:
  case Kind::Float:
    return t.width / 8;
  case Kind::Pointer:
    return 8;
  case Kind::Vector:
    return t.count * sizeInMemory(t.element, matrix, natural);
  case Kind::Matrix:
    return uint64_t(matrix.stride) * (matrix.isRowMajor ? componentsOf(t.element) : t.count);
  case Kind::Array:
    return strideOf(type, matrix, natural) * types_->arrayLength(type).value_or(0);
  case Kind::Struct: {
    uint64_t end = 0;
    for (uint32_t m = 0; m < t.count; ++m)
      end = std::max(end, memberOffset(type, m, natural) +
                              sizeInMemory(types_->member(type, m), matrixOf(type, m), natural));
    return end;
  }
  case Kind::Other: // floats that are not IEEE 754's
    return t.width / 8;
  default:
    return 0;
  }
}

// Appends the scalars of a type; false when there are too many pieces.
bool ModuleLowering::collectRuns(Id type, MatrixLayout matrix, uint32_t componentStride,
                                 uint32_t cell, uint64_t offset, bool natural,
                                 std::vector<Run>& runs) {
  const TypeInfo& t = info(type);
  switch (t.kind) {
  case Kind::Array: {
    uint64_t stride = strideOf(type, matrix, natural);
    uint32_t cells = cellsOf(t.element);
    for (uint64_t k = 0, n = types_->arrayLength(type).value_or(0); k < n; ++k)
      if (!collectRuns(t.element, matrix, 0, uint32_t(cell + k * cells), offset + k * stride,
                       natural, runs))
        return false;
    return true;
  }
  case Kind::Struct:
    for (uint32_t m = 0; m < t.count; ++m) {
      Id member = types_->member(type, m);
      if (!collectRuns(member, matrixOf(type, m), 0, cell, offset + memberOffset(type, m, natural),
                       natural, runs))
        return false;
      cell += cellsOf(member);
    }
    return true;
  case Kind::Matrix: {
    uint32_t scalar = std::max(widthOf(type), 8u) / 8, rows = componentsOf(t.element);
    uint64_t columnStride = matrix.isRowMajor ? scalar : matrix.stride;
    if (natural) {
      SizeAlign layout =
          types_->naturalLayout(t.element, options_.sharedRules).value_or(SizeAlign{0, 1});
      columnStride = (layout.size + layout.align - 1) / layout.align * layout.align;
    } else if (matrix.stride == 0) {
      return false;
    }
    for (uint32_t c = 0; c < t.count; ++c)
      if (!collectRuns(t.element, {}, !natural && matrix.isRowMajor ? matrix.stride : 0,
                       cell + c * rows, offset + c * columnStride, natural, runs))
        return false;
    return true;
  }
  default:
    break;
  }
  Run run;
  run.cell = cell;
  run.offset = offset;
  run.count = componentsOf(type);
  run.isBool = widthOf(type) == 1;
  run.bytes = run.isBool ? 4 : widthOf(type) / 8;
  run.stride = componentStride ? componentStride : run.bytes;
  noteAccess(run.bytes);
  if (!runs.empty()) {
    Run& last = runs.back();
    uint64_t distance = offset - last.offset;
    bool isSame = last.bytes == run.bytes && last.isBool == run.isBool &&
                  last.cell + last.count == run.cell && offset > last.offset;
    if (isSame && last.count == 1 && run.count == 1 && distance <= UINT32_MAX)
      last.stride = uint32_t(distance);
    if (isSame && last.stride == run.stride + (run.count == 1 ? last.stride - run.stride : 0) &&
        distance == uint64_t(last.stride) * last.count) {
      last.count += run.count;
      return true;
    }
  }
  if (runs.size() >= kMaxRuns) return false;
  runs.push_back(run);
  return true;
}

void ModuleLowering::noteAccess(uint32_t bytes) {
  program_->granuleBytes = std::min(program_->granuleBytes, bytes);
}

// ----- pointers -----

void ModuleLowering::definePointer(Id id, const Pointer& p) {
  pointers_.push_back(p);
  pointerOf_[id.value] = uint32_t(pointers_.size());
  // A phi that comes earlier has taken the cell already.
  if (cells_[id.value] != 0 && cells_[id.value] != p.cell && module_->blockOf(module_->def(id)))
    move(cells_[id.value], addressCell(p, module_->def(id)), 1, module_->def(id));
}

Pointer ModuleLowering::pointerOfType(Id value, uint32_t at) {
  Pointer p;
  p.cell = at;
  p.pointee = types_->pointee(value);
  p.storage = types_->storageOf(value).value_or(StorageClass::Function);
  if (p.storage == StorageClass::PhysicalStorageBuffer) program_->hasPhysicalPointers = true;
  return p;
}

Pointer ModuleLowering::pointer(Id id) {
  if (uint32_t known = pointerOf_[id.value]; known != 0) return pointers_[known - 1];
  return pointerOfType(id, cell(id));
}

uint32_t ModuleLowering::addressCell(const Pointer& p, InstRef at) {
  if (p.isStatic) return constantCell(uint64_t(p.offset));
  if (p.offset == 0) return p.cell;
  uint32_t to = allocate(1);
  bool isSmall = fitsInt32(p.offset);
  uint32_t constant = isSmall ? 0 : constantCell(uint64_t(p.offset));
  Instr& inst = emit(isSmall ? Op::PointerAdd : Op::IAdd, at);
  inst.d = to;
  inst.a = p.cell;
  inst.b = constant;
  inst.aux = isSmall ? uint32_t(int32_t(p.offset)) : 0;
  return to;
}

void ModuleLowering::indexBy(Pointer& p, Id index, uint64_t stride, uint64_t bound, InstRef at) {
  if (auto value = constants_->value(index)) {
    uint64_t n = value->isSigned ? uint64_t(value->asSigned()) : value->bits;
    if ((bound == 0 || n < bound) && fitsInt32(int64_t(n)) && stride < UINT32_MAX) {
      p.offset += int64_t(n * stride);
      return;
    }
  }
  if (stride > UINT32_MAX || bound > UINT32_MAX) return refuse("arrays of more than 4 GiB");
  uint32_t b = cell(index), to = allocate(1);
  uint32_t a = p.isStatic ? constantCell(0) : p.cell;
  Instr& inst = emit(Op::PointerIndex, at);
  inst.d = to;
  inst.a = a;
  inst.b = b;
  inst.c = uint32_t(bound);
  inst.aux = uint32_t(stride);
  inst.shift = uint8_t(64 - widthOf(typeOf(index)));
  inst.extra = info(typeOf(index)).isSigned;
  p.cell = to;
  p.isStatic = false;
}

// One index of an access chain.
bool ModuleLowering::stepInto(Pointer& p, Id index, InstRef at, bool& ok) {
  if (const CooperativeMatrix* m = cooperative(p.pointee)) { // only in Function or Private memory
    indexBy(p, index, 1, m->cells, at);
    p.pointee = m->component;
    return true;
  }
  const TypeInfo& t = info(p.pointee);
  bool isCells = isCellMemory(p.storage), natural = isNatural(p.storage);
  uint32_t scalar = std::max(widthOf(p.pointee), 8u) / 8;
  if (widthOf(p.pointee) == 1) scalar = 4;
  switch (t.kind) {
  case Kind::Struct: {
    auto value = constants_->value(index);
    if (!value || value->bits >= t.count) return ok = false;
    uint32_t member = uint32_t(value->bits);
    if (isCells)
      for (uint32_t m = 0; m < member; ++m) p.offset += cellsOf(types_->member(p.pointee, m));
    else
      p.offset += int64_t(memberOffset(p.pointee, member, natural));
    p.matrix = matrixOf(p.pointee, member);
    p.pointee = types_->member(p.pointee, member);
    return true;
  }
  case Kind::Array:
  case Kind::RuntimeArray: {
    // An array of descriptors that is not the variable itself, such as a function's parameter.
    if (p.storage == StorageClass::UniformConstant ||
        decorations_->has(t.element, spv::Decoration::Block) ||
        decorations_->has(t.element, spv::Decoration::BufferBlock))
      return ok = false;
    uint64_t bound = types_->arrayLength(p.pointee).value_or(0);
    indexBy(p, index, isCells ? cellsOf(t.element) : strideOf(p.pointee, p.matrix, natural), bound,
            at);
    p.pointee = t.element;
    return true;
  }
  case Kind::Matrix: {
    uint64_t stride = p.matrix.isRowMajor ? scalar : p.matrix.stride;
    if (natural) {
      SizeAlign layout =
          types_->naturalLayout(t.element, options_.sharedRules).value_or(SizeAlign{0, 1});
      stride = (layout.size + layout.align - 1) / layout.align * layout.align;
    } else if (!isCells && p.matrix.stride == 0) {
      return ok = false;
    }
    indexBy(p, index, isCells ? cellsOf(t.element) : stride, t.count, at);
    p.componentStride = !natural && p.matrix.isRowMajor ? p.matrix.stride : 0;
    p.pointee = t.element;
    return true;
  }
  case Kind::Vector:
    indexBy(p, index, isCells ? 1 : p.componentStride ? p.componentStride : scalar, t.count, at);
    p.componentStride = 0;
    p.pointee = t.element;
    return true;
  default:
    return ok = false;
  }
}

void ModuleLowering::lowerAccessChain(InstRef i, bool isPointerChain) {
  Id base = module_->idAt(i, 3);
  Pointer p = pointer(base);
  uint32_t w = 4;
  if (isPointerChain) {
    if (isCellMemory(p.storage)) return refuse(nameOf(i) + " into Function or Private memory");
    uint64_t stride = types_->arrayStride(typeOf(base)).value_or(0);
    if (stride == 0) {
      SizeAlign layout =
          types_->naturalLayout(p.pointee, options_.sharedRules).value_or(SizeAlign{0, 1});
      stride = (layout.size + layout.align - 1) / layout.align * layout.align;
    }
    indexBy(p, module_->idAt(i, w++), stride, 0, i);
  }
  // The first index into an array of descriptors picks one of them.
  for (uint32_t n = 0; n < program_->variables.size() && w < module_->wordCount(i); ++n) {
    const VariableInfo& v = program_->variables[n];
    if (v.id != base || !v.isDescriptorArray) continue;
    uint32_t to = allocate(1), index = cell(module_->idAt(i, w++));
    Instr& inst = emit(Op::Descriptor, i);
    inst.d = to;
    inst.b = index;
    inst.aux = n;
    p.cell = to;
    p.pointee = info(p.pointee).element;
  }
  bool ok = true;
  for (; w < module_->wordCount(i) && ok; ++w) stepInto(p, module_->idAt(i, w), i, ok);
  if (!ok) return refuse(fmt::format("{} into a matrix or type without a layout", nameOf(i)));
  definePointer(module_->resultId(i), p);
}

// ----- accesses -----

void ModuleLowering::load(const Pointer& p, uint32_t to, InstRef at, Sharing sharing) {
  uint32_t site = siteOf(at, p.variable);
  uint32_t cells = cellsOf(p.pointee);
  if (p.isStatic) return move(to, uint32_t(p.offset), cells, at);
  if (p.storage == StorageClass::UniformConstant) return loadDescriptor(p, to, at);
  if (isCellMemory(p.storage)) {
    Instr& inst = emit(Op::LoadCells, at);
    inst.n = cells, inst.d = to, inst.a = p.cell, inst.aux = uint32_t(p.offset);
    return;
  }
  noteSharing(site, classOf(p.storage), sharing, false);
  std::vector<Run> runs;
  if (!collectRuns(p.pointee, p.matrix, p.componentStride, to, 0, isNatural(p.storage), runs))
    return refuse(nameOf(at) + " of a value in too many pieces or without a layout");
  Pointer base = p;
  if (!fitsInt32(p.offset + int64_t(UINT16_MAX) * 65536)) {
    base.cell = addressCell(p, at);
    base.offset = 0;
  }
  for (const Run& run : runs) {
    Instr& inst = emit(Op::LoadMemory, at);
    inst.site = site;
    inst.n = run.count, inst.d = run.cell, inst.a = base.cell;
    inst.aux = uint32_t(int32_t(base.offset + int64_t(run.offset)));
    inst.extra = uint8_t(run.bytes), inst.b = run.stride, inst.shift = run.isBool;
  }
}

void ModuleLowering::store(const Pointer& p, uint32_t from, InstRef at, Sharing sharing) {
  uint32_t site = siteOf(at, p.variable);
  uint32_t cells = cellsOf(p.pointee);
  if (p.isStatic) return move(uint32_t(p.offset), from, cells, at);
  if (isCellMemory(p.storage)) {
    Instr& inst = emit(Op::StoreCells, at);
    inst.n = cells, inst.a = p.cell, inst.b = from, inst.aux = uint32_t(p.offset);
    return;
  }
  noteSharing(site, classOf(p.storage), sharing, true);
  if (p.variable)
    written_.insert(p.variable);
  else
    writesAnywhere_ = true;
  std::vector<Run> runs;
  if (!collectRuns(p.pointee, p.matrix, p.componentStride, from, 0, isNatural(p.storage), runs))
    return refuse(nameOf(at) + " of a value in too many pieces or without a layout");
  Pointer base = p;
  if (!fitsInt32(p.offset + int64_t(UINT16_MAX) * 65536)) {
    base.cell = addressCell(p, at);
    base.offset = 0;
  }
  for (const Run& run : runs) {
    Instr& inst = emit(Op::StoreMemory, at);
    inst.site = site;
    inst.n = run.count, inst.b = run.cell, inst.a = base.cell;
    inst.aux = uint32_t(int32_t(base.offset + int64_t(run.offset)));
    inst.extra = uint8_t(run.bytes), inst.c = run.stride;
  }
}

void ModuleLowering::noteMatrixAccess(uint32_t site, const Pointer& p, Sharing sharing,
                                      bool isStore) {
  noteSharing(site, classOf(p.storage), sharing, isStore);
  if (!isStore) return;
  if (p.variable)
    written_.insert(p.variable);
  else
    writesAnywhere_ = true;
}

bool ModuleLowering::lowerMemoryOp(InstRef i, S op) {
  switch (op) {
  case S::OpAccessChain:
  case S::OpInBoundsAccessChain:
    lowerAccessChain(i, false);
    return true;
  case S::OpPtrAccessChain:
  case S::OpInBoundsPtrAccessChain:
    lowerAccessChain(i, true);
    return true;
  case S::OpLoad: {
    uint32_t operands = 4;
    load(pointer(module_->idAt(i, 3)), define(i), i, sharingOf(i, operands, false));
    return true;
  }
  case S::OpStore: {
    uint32_t from = valueCell(module_->idAt(i, 2), i), operands = 3;
    store(pointer(module_->idAt(i, 1)), from, i, sharingOf(i, operands, true));
    return true;
  }
  case S::OpCopyMemory:
    lowerCopyMemory(i);
    return true;
  case S::OpArrayLength:
    lowerArrayLength(i);
    return true;
  case S::OpPtrEqual:
  case S::OpPtrNotEqual:
  case S::OpPtrDiff:
    lowerPointerCompare(i, op);
    return true;
  case S::OpAtomicLoad:
  case S::OpAtomicStore:
  case S::OpAtomicExchange:
  case S::OpAtomicCompareExchange:
  case S::OpAtomicIIncrement:
  case S::OpAtomicIDecrement:
  case S::OpAtomicIAdd:
  case S::OpAtomicISub:
  case S::OpAtomicSMin:
  case S::OpAtomicUMin:
  case S::OpAtomicSMax:
  case S::OpAtomicUMax:
  case S::OpAtomicAnd:
  case S::OpAtomicOr:
  case S::OpAtomicXor:
  case S::OpAtomicFAddEXT:
  case S::OpAtomicFMinEXT:
  case S::OpAtomicFMaxEXT:
    lowerAtomic(i, op);
    return true;
  default:
    return false;
  }
}

// "If two masks are present, the first applies to Target and the second applies to Source."
void ModuleLowering::lowerCopyMemory(InstRef i) {
  Pointer to = pointer(module_->idAt(i, 1)), from = pointer(module_->idAt(i, 2));
  uint32_t between = allocate(cellsOf(from.pointee));
  uint32_t w = 3;
  Sharing store = sharingOf(i, w, true);
  if (w >= module_->wordCount(i)) w = 3;
  load(from, between, i, sharingOf(i, w, false));
  this->store(to, between, i, store);
  siteOf(i, to.variable);
}

void ModuleLowering::lowerArrayLength(InstRef i) {
  Pointer p = pointer(module_->idAt(i, 3));
  uint32_t member = module_->word(i, 4);
  Id array = types_->member(p.pointee, member);
  uint64_t offset = uint64_t(p.offset) + memberOffset(p.pointee, member, false);
  uint64_t stride = array ? strideOf(array, {}, false) : 0;
  if (stride == 0 || offset > UINT32_MAX) return refuse("OpArrayLength of an array without stride");
  uint32_t to = define(i);
  Instr& inst = emit(Op::ArrayLength, i);
  inst.d = to, inst.a = p.cell, inst.b = uint32_t(offset), inst.aux = uint32_t(stride);
}

void ModuleLowering::lowerPointerCompare(InstRef i, S op) {
  uint32_t a = valueCell(module_->idAt(i, 3), i), b = valueCell(module_->idAt(i, 4), i);
  uint32_t to = define(i);
  uint64_t stride = types_->arrayStride(typeOf(module_->idAt(i, 3))).value_or(0);
  if (op == S::OpPtrDiff && stride == 0) return refuse("OpPtrDiff without a stride");
  Instr& inst = emit(op == S::OpPtrEqual      ? Op::IEqual
                     : op == S::OpPtrNotEqual ? Op::INotEqual
                                              : Op::PointerDiff,
                     i);
  inst.d = to, inst.a = a, inst.b = b, inst.aux = uint32_t(stride);
  inst.shift = op == S::OpPtrDiff ? uint8_t(64 - widthOf(module_->resultType(i))) : 0;
}

void ModuleLowering::lowerAtomic(InstRef i, S op) {
  bool isStore = op == S::OpAtomicStore;
  uint32_t w = isStore ? 1 : 3;
  Pointer p = pointer(module_->idAt(i, w));
  if (isCellMemory(p.storage)) return refuse(nameOf(i) + " on Function or Private memory");
  AtomicInfo info;
  info.opcode = op;
  info.bytes = uint8_t(widthOf(p.pointee) / 8);
  info.isImage = p.storage == StorageClass::Image;
  info.memoryClass = classOf(p.storage);
  info.ordering = info.unequal = orderingOf(module_->idAt(i, w + 1), module_->idAt(i, w + 2));
  noteAccess(info.bytes);
  uint32_t value = 0;
  if (op == S::OpAtomicCompareExchange) {
    info.unequal = orderingOf(module_->idAt(i, w + 1), module_->idAt(i, w + 3));
    value = cell(module_->idAt(i, w + 4));
    info.comparator = cell(module_->idAt(i, w + 5));
  } else if (w + 3 < module_->wordCount(i)) {
    value = cell(module_->idAt(i, w + 3));
  }
  if (info.memoryClass != kWorkgroupClass) program_->hasStorageAtomics = true;
  if (op != S::OpAtomicLoad) {
    if (p.variable)
      written_.insert(p.variable);
    else
      writesAnywhere_ = true;
  }
  uint32_t address = addressCell(p, i), to = isStore ? 0 : define(i);
  uint32_t index = uint32_t(program_->atomics.size());
  program_->atomics.push_back(info);
  Instr& inst = emit(Op::Atomic, i);
  inst.site = siteOf(i, p.variable);
  program_->sites[inst.site].atomicBytes = info.bytes;
  program_->sites[inst.site].atomicScope = info.ordering.level;
  inst.d = to, inst.a = address, inst.b = value, inst.aux = index;
  inst.shift = uint8_t(64 - info.bytes * 8);
}

} // namespace lanewise::driver::interpreter
