// --eliminate-redundant-checks: remove comparisons, choices and clamps whose outcome is certain
//
// What: compilers for WebGPU, layers for Direct3D and careful authors guard every index: `min(i, n
// - 1)`, `if (i < n)`, `b == 0 ? 1 : b`. Where the outcome is the same for every input, a
// comparison becomes a constant, a selection one of its values, a minimum, maximum or clamp one of
// its operands; so do remainders, quotients and masks that change nothing. Signed divisions by
// powers of two of what is never negative become shifts and masks, OpSMod by them always. The count
// down from 2^64 - 1 by which WebGPU's compilers keep loops from running for ever goes from those
// that end anyway. Branches on what became constant are --simplifycfg's.
//
// Legal when: proved for every input by ranges (analysis/ranges/value_ranges.h: literals, literal
// workgroup sizes, what built-ins can be by the specification, counters of loops, masks, branches
// that lead here) or by a branch that compared the same values (analysis/ranges/inequalities.h), or
// by a 32-bit counter that ends the loop (analysis/control_flow/loop_ends.h).
// What memory holds is never known, and a second load is another value; a specialization constant
// may have any value. What the user states of the inputs (--assume) counts as proved, except with
// --robust.
//
// Pays when: nearly always. Nothing is moved or added. A minimum, maximum or clamp by a literal
// that bounds the counter of a loop stays: drivers' compilers see by it how far to unroll. So does
// an unsigned remainder by a power of two, an AND that tells them a bound.
//
// Before => After:
//
//     %c = OpULessThan %bool %i %n                 %c = OpULessThan %bool %i %n
//          OpBranchConditional %c %yes %no              OpBranchConditional %c %yes %no
//     %yes = OpLabel                         =>    %yes = OpLabel
//     %m = OpISub %uint %n %uint_1
//     %j = OpExtInst %uint %glsl UMin %i %m        (uses of %j: %i)
//
// Not handled: floating point; values of memory; products of two variables as symbols.
//
// Reference: docs/passes/eliminate-redundant-checks.md.

#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/control_flow/loops.h"
#include "analysis/module/comparison.h"
#include "analysis/module/constants.h"
#include "analysis/module/def_use.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/source_lines.h"
#include "analysis/module/stated_subjects.h"
#include "analysis/module/types.h"
#include "analysis/ranges/check_judge.h"
#include "analysis/ranges/stated_facts.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"
#include "transforms/constant_pool.h"
#include "transforms/value_edits.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <vector>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "eliminate-redundant-checks";
struct Site {
  InstRef inst;
  BlockRef block;
  CheckVerdict::Kind kind{};
  Id value;                           ///< CheckVerdict::value
  std::vector<uint64_t> bits;         ///< CheckVerdict::bits
  std::unique_ptr<CheckVerdict> told; ///< null where nobody reads why
};

// ---- remarks ----

std::string entryNameOf(Analyses& analyses, BlockRef block) {
  const FunctionRef function = analyses.module().functionOf(block);
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all())
    if (std::binary_search(entry.functions.begin(), entry.functions.end(), function))
      return std::string(entry.name(analyses.module()));
  return {};
}

Remark remarkAt(Analyses& analyses, InstRef inst, BlockRef block) {
  Remark remark;
  remark.pass = kPass;
  remark.function = entryNameOf(analyses, block);
  remark.location = analyses.get<SourceLines>().at(analyses.module(), inst);
  return remark;
}

std::string_view nameOf(const Site& site) {
  const bool isRewritten =
      site.kind == CheckVerdict::Kind::Shift || site.kind == CheckVerdict::Kind::Mask;
  return isRewritten ? "simplified" : "removed";
}

Remark appliedRemark(Analyses& analyses, const Site& site) {
  Remark remark = remarkAt(analyses, site.inst, site.block);
  const CheckVerdict& v = *site.told;
  remark.kind = Remark::Kind::Applied;
  remark.name = nameOf(site);
  remark.message = formatText("{} {}: {}", v.what, v.outcome, v.why);
  remark.args.push_back({"check", std::string(v.what)});
  if (v.test)
    remark.notes.push_back(
        {analyses.get<SourceLines>().at(analyses.module(), v.test), "the test is here", {}});
  return remark;
}

Remark missedRemark(Analyses& analyses, InstRef inst, BlockRef block, std::string_view what,
                    std::string_view reason) {
  Remark remark = remarkAt(analyses, inst, block);
  remark.kind = Remark::Kind::Missed;
  remark.name = reason;
  remark.message = formatText("kept {}: {}", what, explainKept(reason));
  remark.args.push_back({"check", std::string(what)});
  return remark;
}

Remark statedRemark(const StatedFact& fact, Remark::Kind kind, std::string_view name,
                    std::string message) {
  Remark remark;
  remark.pass = kPass;
  remark.kind = kind;
  remark.name = name;
  remark.message = std::move(message);
  remark.args.push_back({"assume", fact.text});
  return remark;
}

/// What the module reads of the inputs that a fact speaks of.
struct StatedReads {
  bool isAny = false;
  bool isPossible = true; ///< some value of each agrees with all facts
};

StatedReads readsOf(Analyses& analyses, size_t fact) {
  const Module& module = analyses.module();
  const Types& types = analyses.get<Types>();
  const bool isGroups = analyses.assumptions().stated[fact].subject == StatedFact::Subject::Groups;
  StatedReads reads;
  for (uint32_t f = 1; f <= module.functionCount(); ++f)
    for (InstRef i : module.functionInsts(FunctionRef(f))) {
      const spv::Op op = module.opcode(i);
      if (op != spv::Op::OpLoad && op != spv::Op::OpArrayLength &&
          op != spv::Op::OpCompositeExtract)
        continue;
      const TypeInfo* type = &types.info(module.resultType(i));
      const uint32_t components = type->kind == TypeInfo::Kind::Vector ? type->count : 1;
      if (components > 1) type = &types.info(type->element);
      if (type->kind != TypeInfo::Kind::Int) continue;
      for (uint32_t n = 0; n < components; ++n) {
        if (!speaksOf(analyses, fact, i, n)) continue;
        reads.isAny = true;
        const IntegerRange left = isGroups ? statedGroups(analyses, fact, type->width)
                                           : statedRange(analyses, i, n, type->width);
        reads.isPossible = reads.isPossible && !left.isEmpty();
      }
    }
  return reads;
}

/// Remarks on all that the user states, in the order of the command line.
void listStated(PassContext& context) {
  const auto& stated = context.assumptions.stated;
  for (size_t n = 0; n < stated.size(); ++n) {
    const StatedFact& fact = stated[n];
    const StatedSubject& subject = context.analyses.get<StatedSubjects>().of(n);
    const StatedReads reads = readsOf(context.analyses, n);
    if (!reads.isAny)
      context.remarks.push_back(
          statedRemark(fact, Remark::Kind::Warning,
                       subject.ambiguous.empty() ? "unknown-input" : "ambiguous-input",
                       explainUnused(fact, subject)));
    else if (context.isRobust)
      context.remarks.push_back(
          statedRemark(fact, Remark::Kind::Note, "not-assumed",
                       formatText("not used with --robust: --assume='{}'", fact.text)));
    else if (!reads.isPossible)
      context.remarks.push_back(statedRemark(
          fact, Remark::Kind::Warning, "impossible-input",
          formatText("--assume='{}' is not used: no value agrees with all that is assumed of this "
                     "input",
                     fact.text)));
    else
      context.remarks.push_back(
          statedRemark(fact, Remark::Kind::Note, "assumed",
                       formatText("assumed {}: the output is for such inputs only", fact.text)));
  }
}

// ---- profit ----

/// Where the check goes, so does a literal that the counter of a loop is compared with.
bool boundsLoop(Analyses& analyses, const Site& site) {
  const Module& module = analyses.module();
  if (site.kind != CheckVerdict::Kind::Value || module.opcode(site.inst) != spv::Op::OpExtInst)
    return false;
  const Constants& constants = analyses.get<Constants>();
  bool dropsLiteral = false;
  for (uint32_t w = 5; w < module.wordCount(site.inst); ++w) {
    const Id operand = module.idAt(site.inst, w);
    dropsLiteral = dropsLiteral || (operand != site.value && constants.literal(operand));
  }
  if (!dropsLiteral) return false;
  const Loops& loops = analyses.get<Loops>();
  for (const Use& use : analyses.get<DefUse>().uses(module.resultId(site.inst))) {
    if (!comparisonOf(module.opcode(use.user))) continue;
    const InstRef other = module.def(module.idAt(use.user, use.word == 3 ? 4 : 3));
    if (!other || module.opcode(other) != spv::Op::OpPhi) continue;
    const Loop* loop = loops.innermost(module.blockOf(other));
    if (loop && loop->header == module.blockOf(other)) return true;
  }
  return false;
}

/// Whether it is a single instruction, an AND, that tells a compiler a bound it does not see
/// itself.
bool statesBound(Analyses& analyses, const Site& site) {
  const Module& module = analyses.module();
  if (module.opcode(site.inst) != spv::Op::OpUMod) return false;
  const auto divisor = analyses.get<Constants>().literal(module.idAt(site.inst, 4));
  return divisor && std::has_single_bit(*divisor);
}

/// Why one whose outcome is certain goes nowhere; empty where it goes.
std::string_view whyUnprofitable(Analyses& analyses, const Site& site) {
  if (boundsLoop(analyses, site)) return "loop-bound";
  if (statesBound(analyses, site)) return "stated-bound";
  return {};
}

// ---- rewrite ----

class Rewrite {
public:
  Rewrite(PassContext& context, Rewriter& rewriter)
      : module_(context.module), types_(context.analyses.get<Types>()), rewriter_(rewriter),
        edits_(context.analyses, rewriter_), constants_(context.analyses, rewriter_) {}

  void record(const std::vector<Site>& sites) {
    for (const Site& site : sites) decide(site);
    for (const Site& site : sites) write(site);
    edits_.apply();
  }

private:
  Id constantOf(Id type, const std::vector<uint64_t>& bits) {
    const TypeInfo& info = types_.info(type);
    if (info.kind == TypeInfo::Kind::Vector) {
      std::vector<Id> parts;
      for (uint64_t b : bits) parts.push_back(scalarOf(info.element, b));
      return constants_.composite(type, parts);
    }
    return scalarOf(type, bits.front());
  }
  Id scalarOf(Id type, uint64_t bits) {
    return types_.info(type).kind == TypeInfo::Kind::Bool ? constants_.boolean(type, bits != 0)
                                                          : constants_.number(type, bits);
  }
  /// Integers of the two signednesses may meet in one instruction.
  bool needsCast(const Site& site) const {
    return site.kind == CheckVerdict::Kind::Value &&
           module_.typeOf(site.value) != module_.resultType(site.inst);
  }

  void decide(const Site& site) {
    const Id result = module_.resultId(site.inst);
    if (site.kind == CheckVerdict::Kind::Constant)
      edits_.replace(result, constantOf(module_.resultType(site.inst), site.bits));
    else if (site.kind == CheckVerdict::Kind::Value && !needsCast(site))
      edits_.replace(result, site.value);
    else
      edits_.isRewritten(site.inst);
  }

  void write(const Site& site) {
    const InstRef i = site.inst;
    if (site.kind == CheckVerdict::Kind::Operand) {
      rewriter_.setId(i, 1, constantOf(module_.typeOf(module_.idAt(i, 1)), site.bits));
    } else if (needsCast(site)) {
      rewriter_.replace(i, Inst(spv::Op::OpBitcast)
                               .id(module_.resultType(i))
                               .id(module_.resultId(i))
                               .id(edits_.resolved(site.value)));
    } else if (site.kind == CheckVerdict::Kind::Shift || site.kind == CheckVerdict::Kind::Mask) {
      const Id dividend = module_.idAt(i, 3);
      rewriter_.replace(i,
                        Inst(site.kind == CheckVerdict::Kind::Shift ? spv::Op::OpShiftRightLogical
                                                                    : spv::Op::OpBitwiseAnd)
                            .id(module_.resultType(i))
                            .id(module_.resultId(i))
                            .id(edits_.resolved(dividend))
                            .id(scalarOf(module_.resultType(i), site.bits.front())));
    }
  }

  const Module& module_;
  const Types& types_;
  Rewriter& rewriter_;
  ValueEdits edits_;
  ConstantPool constants_;
};

bool hasChecks(const Module& module) {
  for (uint32_t f = 1; f <= module.functionCount(); ++f)
    for (InstRef i : module.functionInsts(FunctionRef(f)))
      if (looksLikeCheck(module, i)) return true;
  return false;
}

// ---- collect ----

/// What is known of all values goes when this is done: the rewrite needs the room.
std::vector<Site> collectSites(PassContext& context) {
  const Module& module = context.module;
  CheckJudge judge(context.analyses, !context.isRobust);
  const Cfg& cfg = context.analyses.get<Cfg>();
  std::vector<Site> sites;
  RemarkCounts missed; // that nobody wants explained
  const auto addMissed = [&](InstRef i, std::string_view what, std::string_view reason) {
    if (context.explainsMissed)
      context.remarks.push_back(missedRemark(context.analyses, i, module.blockOf(i), what, reason));
    else
      missed.add(Remark::Kind::Missed, reason);
  };
  for (uint32_t f = 1; f <= module.functionCount(); ++f)
    for (BlockRef block : cfg.reversePostOrder(FunctionRef(f)))
      for (InstRef i : module.blockInsts(block)) {
        CheckVerdict verdict = judge.judge(i, block);
        if (verdict.kind == CheckVerdict::Kind::Kept) {
          const std::string_view reason = judge.whyKept(i);
          if (!reason.empty()) addMissed(i, nameOfCheck(module, i), reason);
          continue;
        }
        const std::string_view what = verdict.what;
        Site site{i, block, verdict.kind, verdict.value, std::move(verdict.bits), {}};
        if (context.explainsApplied) site.told = std::make_unique<CheckVerdict>(std::move(verdict));
        const std::string_view why = whyUnprofitable(context.analyses, site);
        if (why.empty())
          sites.push_back(std::move(site));
        else
          addMissed(i, what, why);
      }
  missed.appendTo(context.remarks, kPass);
  return sites;
}

} // namespace

PassResult runEliminateRedundantChecks(PassContext& context) {
  const Module& module = context.module;
  if (module.functionCount() == 0) return PassOutcome{};

  listStated(context);
  if (!hasChecks(module)) return PassOutcome{};
  std::vector<Site> sites = collectSites(context);
  RemarkCounts applied; // that nobody wants explained
  std::erase_if(sites, [&](const Site& site) {
    const Id result = module.resultId(site.inst);
    if (!context.maySite(
            formatText("%{}", result ? result.value : module.labelId(site.block).value)))
      return true;
    if (context.explainsApplied)
      context.remarks.push_back(appliedRemark(context.analyses, site));
    else
      applied.add(Remark::Kind::Applied, nameOf(site));
    return false;
  });
  applied.appendTo(context.remarks, kPass);
  if (sites.empty()) return PassOutcome{};

  Rewriter rewriter(context.module);
  Rewrite(context, rewriter).record(sites);
  std::vector<Site>().swap(sites);
  // No block is added or removed and no edge changes: a branch on a constant still has two.
  return commitEdits(context, rewriter, PreservedAnalyses::of<Cfg, Dominance>());
}

} // namespace lanewise
