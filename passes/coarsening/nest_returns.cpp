#include "coarsening/nest_returns.h"

namespace lanewise {

void wrapInCall(Analyses& analyses, const EntryPoint& entry, Rewriter& rewriter) {
  const Module& module = analyses.module();
  const InstRef head = module.functionInsts(entry.function).first;
  const Id body = rewriter.newId();
  rewriter.insertBefore(head, Inst(module.inst(head)));
  rewriter.insertBefore(head, Inst(spv::Op::OpLabel).id(rewriter.newId()));
  rewriter.insertBefore(
      head,
      Inst(spv::Op::OpFunctionCall).id(module.resultType(head)).id(rewriter.newId()).id(body));
  rewriter.insertBefore(head, Inst(spv::Op::OpReturn));
  rewriter.insertBefore(head, Inst(spv::Op::OpFunctionEnd));
  rewriter.setId(head, 2, body);
}

} // namespace lanewise
