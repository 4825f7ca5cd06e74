// --aos-to-soa: split storage-buffer arrays of structs by field; the host must follow the layout
//
// What: memory is fetched in sectors. Lanes that read one 4-byte field of a 44-byte struct fetch
// all of it; with the field's values side by side they fetch an eleventh. The pass rewrites `Cell
// cells[]` to tiles of N elements (N = subgroup size), each of which holds one run for every group
// of fields, in the same binding. The interface changes, so the host lays out its data by the
// manifest that the pass gives.
//
// Legal when: every use of the buffer, in every shader that sees it, is followed to loads, stores
// and atomics of fields; nothing observes where fields lie. analysis/buffers/buffer_walk.cpp and
// canRelayout() of planning/layout_plan.cpp hold the rules, each with its name.
//
// Pays when: the sectors that the lanes of all subgroups fetch, counted lane by lane under both
// layouts and weighted by trip counts and dispatches, drop by at least a tenth. Indices that depend
// on data are taken to lead anywhere, which speaks for the array of structs.
//
// Before => After:
//
//     %Cell  = OpTypeStruct %float %uint        %run0  = OpTypeArray %float %uint_32
//     %cells = OpTypeRuntimeArray %Cell         %run1  = OpTypeArray %uint %uint_32
//                                               %tile  = OpTypeStruct %run0 %run1
//                                               %tiles = OpTypeRuntimeArray %tile
//     %p = OpAccessChain %_ %b %0 %i %1     =>  %t = OpShiftRightLogical %uint %i %uint_5
//                                               %l = OpBitwiseAnd %uint %i %uint_31
//                                               %p = OpAccessChain %_ %b %0 %t %1 %l
//
// Not handled: pointers to elements that are chosen at run time, passed to functions or computed
// with; buffers with physical addresses or a descriptor heap beside them, or indexed with more than
// 32 bits; arrays that are not the last member. Each is refused by name.
//
// Reference: docs/design/buffer-layouts.md; docs/passes/aos-to-soa.md.

#include "analysis/buffers/buffer_uses.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "planning/layout_exchange.h"
#include "planning/layout_plan.h"
#include "text/format_text.h"
#include "transforms/relayout_buffers.h"

namespace lanewise {
namespace {

/// Decides for a module alone, a program of one.
LayoutPlan planAlone(PassContext& context, const BufferUses& uses) {
  LayoutPlanOptions options = parseLayoutMode(context.mode, context.target);
  options.isRobust = context.isRobust;
  options.assumesDistinctBindings = true;
  options.maySite = context.maySite;
  if (const LayoutExchange* layouts = context.layouts)
    options.narrow.assign(layouts->narrow.begin(), layouts->narrow.end());
  const ProgramShader shader{{}, &context.analyses, 1};
  return planLayouts({&shader, 1}, buffersOfModule(uses), context.target, options);
}

PassResult rewrite(PassContext& context, const BufferUses& uses, const LayoutsByBinding& layouts) {
  std::vector<BufferRelayout> relayouts;
  for (const BufferView& view : uses.views) {
    const auto found = layouts.find(view.binding);
    if (!view.hasBinding || found == layouts.end()) continue;
    if (!view.hasArray || !view.refusals.empty() ||
        view.leaves.size() != found->second.fields.size())
      return Error{formatText("the layout of '{}' was made for another module", found->second.name),
                   {},
                   view.variable.value,
                   {}};
    relayouts.push_back({&view, &found->second});
  }
  if (relayouts.empty()) return PassOutcome{};
  Rewriter rewriter(context.module);
  relayoutBuffers(context.analyses, rewriter, relayouts);
  auto committed = rewriter.commit();
  if (!committed) return committed.error();
  return PassOutcome{*committed, PreservedAnalyses::none()};
}

} // namespace

PassResult runAosToSoa(PassContext& context) {
  const BufferUses uses = collectBufferUses(context.analyses);
  LayoutExchange* layouts = context.layouts;
  if (layouts && layouts->decided) return rewrite(context, uses, *layouts->decided);
  LayoutPlan plan = planAlone(context, uses);
  std::move(plan.remarks.begin(), plan.remarks.end(), std::back_inserter(context.remarks));
  PassResult result = rewrite(context, uses, plan.byShader.front());
  if (result && result->changed && layouts) layouts->manifest = std::move(plan.manifest);
  return result;
}

} // namespace lanewise
