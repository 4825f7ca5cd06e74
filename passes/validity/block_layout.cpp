#include "validity/block_layout.h"

#include "text/format_text.h"

#include <vector>

namespace lanewise::validity {

namespace {

using spv::Decoration;
using spv::Op;
using spv::StorageClass;

class BlockLayoutChecker {
public:
  BlockLayoutChecker(Subject& s, const DecorationIndex& index)
      : s_(s), m_(s.module), index_(index), seen_(m_.idBound(), false) {}

  bool run();

private:
  void addBlock(InstRef variable);
  bool checkStruct(Id type);
  bool checkMember(Id structure, uint32_t member, Id type);
  bool checkArray(Id array);

  void visit(Id type) {
    if (seen_[type.value]) return;
    seen_[type.value] = true;
    open_.push_back(type);
  }

  Subject& s_;
  const Module& m_;
  const DecorationIndex& index_;
  std::vector<bool> seen_; ///< by Id
  std::vector<Id> open_;   ///< structures and arrays to look at
};

/// The block that a variable in a buffer holds, behind one array of descriptors.
void BlockLayoutChecker::addBlock(InstRef variable) {
  const auto storage = StorageClass(m_.word(variable, 3));
  if (storage != StorageClass::Uniform && storage != StorageClass::StorageBuffer &&
      storage != StorageClass::PushConstant)
    return;
  Id type = s_.pointeeOf(m_.idAt(variable, 1));
  const Shape& shape = s_.shapeOfType(type);
  if (shape.kind == Kind::Array || shape.kind == Kind::RuntimeArray) type = s_.elementOf(type);
  if (s_.shapeOfType(type).kind != Kind::Struct) return;
  if (index_.has(type, Decoration::Block) || index_.has(type, Decoration::BufferBlock)) visit(type);
}

bool BlockLayoutChecker::run() {
  for (InstRef i : m_.globals())
    if (m_.opcode(i) == Op::OpVariable) addBlock(i);
  while (!open_.empty()) {
    const Id type = open_.back();
    open_.pop_back();
    const bool isStruct = s_.shapeOfType(type).kind == Kind::Struct;
    if (!(isStruct ? checkStruct(type) : checkArray(type))) return false;
  }
  return true;
}

bool BlockLayoutChecker::checkStruct(Id type) {
  const InstRef d = m_.def(type);
  for (uint32_t member = 0; member < m_.wordCount(d) - 2; ++member)
    if (!checkMember(type, member, m_.idAt(d, member + 2))) return false;
  return true;
}

bool BlockLayoutChecker::checkMember(Id structure, uint32_t member, Id type) {
  const InstRef d = m_.def(structure);
  const Shape& shape = s_.shapeOfType(type);
  if (shape.isOpen() || shape.inside & holds::kOpaque) return true;
  if (!index_.has(structure, Decoration::Offset, member))
    return s_.fail(d, formatText("is in a buffer, but its member {} has no Offset", member));
  // Of arrays of arrays nobody asks for it, and real modules leave it out.
  const bool isArray = shape.kind == Kind::Array || shape.kind == Kind::RuntimeArray;
  const Id element = isArray ? s_.elementOf(type) : type;
  const bool isMatrix = s_.shapeOfType(element).kind == Kind::Matrix;
  if (isMatrix && !index_.has(structure, Decoration::MatrixStride, member))
    return s_.fail(
        d,
        formatText("is in a buffer, but its member {} is a matrix without MatrixStride", member));
  if (isMatrix && !index_.has(structure, Decoration::RowMajor, member) &&
      !index_.has(structure, Decoration::ColMajor, member))
    return s_.fail(d, formatText("is in a buffer, but its member {} is a matrix that is neither "
                                 "RowMajor nor ColMajor",
                                 member));
  if (isArray || shape.kind == Kind::Struct) visit(type);
  return true;
}

bool BlockLayoutChecker::checkArray(Id array) {
  const Id element = s_.elementOf(array);
  const Shape& shape = s_.shapeOfType(element);
  if (shape.isOpen() || shape.inside & holds::kOpaque) return true;
  // Runtime arrays have long gone unchecked, and there are modules that do without.
  if (s_.shapeOfType(array).kind == Kind::Array && !index_.has(array, Decoration::ArrayStride))
    return s_.fail(m_.def(array), "is in a buffer, but has no ArrayStride");
  if (shape.kind == Kind::Array || shape.kind == Kind::RuntimeArray || shape.kind == Kind::Struct)
    visit(element);
  return true;
}

} // namespace

bool checkBlockLayout(Subject& s, const DecorationIndex& index) {
  return BlockLayoutChecker(s, index).run();
}

} // namespace lanewise::validity
