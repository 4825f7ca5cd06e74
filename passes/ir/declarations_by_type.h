// Declarations that stand for themselves: OpUndef, OpConstantNull, pointers into functions.
#pragma once

#include "ir/module.h"
#include "ir/rewriter.h"

#include <vector>

namespace lanewise {

/// One kind of declaration, by the type it is made from: one that the module has, or a new one in
/// front of the functions.
class DeclarationsByType {
public:
  Id undef(Rewriter& rewriter, Id type) { return get(rewriter, undefs_, spv::Op::OpUndef, type); }
  Id null(Rewriter& rewriter, Id type) {
    return get(rewriter, nulls_, spv::Op::OpConstantNull, type);
  }
  /// A pointer to the type in the Function storage class.
  Id functionPointer(Rewriter& rewriter, Id type) {
    return get(rewriter, pointers_, spv::Op::OpTypePointer, type);
  }

private:
  /// Of a declaration that is already there: the type it is made from, null if it is none of ours.
  static Id sourceOf(const Module& module, InstRef i) {
    if (module.opcode(i) != spv::Op::OpTypePointer) return module.idAt(i, 1);
    return module.word(i, 2) == uint32_t(spv::StorageClass::Function) ? module.idAt(i, 3) : Id();
  }
  static Id resultOf(const Module& module, InstRef i) {
    return module.idAt(i, module.opcode(i) == spv::Op::OpTypePointer ? 1 : 2);
  }
  static Id get(Rewriter& rewriter, std::vector<Id>& known, spv::Op op, Id type) {
    const Module& module = rewriter.module();
    if (known.empty()) {
      known.resize(module.idBound());
      for (InstRef i : module.globals())
        if (module.opcode(i) == op)
          if (Id& first = known[sourceOf(module, i).value]; !first) first = resultOf(module, i);
    }
    Id& id = known[type.value];
    if (id) return id;
    id = rewriter.declare({}, [&](Id fresh) {
      if (op != spv::Op::OpTypePointer) return Inst(op).id(type).id(fresh);
      return Inst(op).id(fresh).word(uint32_t(spv::StorageClass::Function)).id(type);
    });
    return id;
  }

  std::vector<Id> undefs_, nulls_, pointers_; ///< by type
};

} // namespace lanewise
