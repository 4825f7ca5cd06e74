// --eliminate-dead-shared-initialization: remove zeros in Workgroup memory that nobody reads
//
// What: a shader that fills a Workgroup variable with zeros, by stores or by a null initializer,
// and then writes all that it reads itself, does the work twice: WebGPU's compilers and layers for
// Direct3D do so in every shader. The stores go, and so does the initializer. The barrier behind
// them goes by --eliminate-redundant-barriers.
//
// Legal when: every read, by any invocation and on any path, comes behind another write of all that
// it may read: a write of its own invocation, or one in front of a barrier that all invocations
// reach together (analysis/shared_memory/definite_writes.h). An atomic is a read. Zeros that may
// come behind another write, or behind something by which invocations may learn of one another
// between barriers, stay.
//
// Pays when: always. Nothing is moved or added.
//
// Before => After:
//
//     OpStore %element %zero                      OpControlBarrier %wg %wg %shared
//     OpControlBarrier %wg %wg %shared      =>    OpStore %element %x
//     OpStore %element %x                         OpControlBarrier %wg %wg %shared
//     OpControlBarrier %wg %wg %shared
//
// Not handled: variables that several entry points or several functions use; pointers that are
// anything but access chains; loops and branches that hold nothing more stay for others to remove.
//
// Reference: SPIR-V 3.42.8 (OpVariable); VK_KHR_zero_initialize_workgroup_memory;
// docs/passes/eliminate-dead-shared-initialization.md.

#include "analysis/barriers/memory_effects.h"
#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/decorations.h"
#include "analysis/module/entry_points.h"
#include "analysis/module/memory_operands.h"
#include "analysis/module/source_lines.h"
#include "analysis/shared_memory/definite_writes.h"
#include "analysis/shared_memory/shared_cells.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"

#include <algorithm>
#include <map>
#include <memory>

namespace lanewise {
namespace {

constexpr std::string_view kPass = "eliminate-dead-shared-initialization";
/// Choices of zeros to remove that are tried for one variable.
constexpr size_t kMaxChoices = 8;

/// A Workgroup variable that is filled with zeros.
struct Site {
  InstRef variable;
  CellVariable cells;
  const EntryPoint* entry = nullptr; ///< null: several
  bool hasInitializer = false;
  std::vector<InstRef> zeros; ///< stores of zero that may go, in module order
  // What was decided.
  std::string_view whyNot; ///< empty: legal
  InstRef whyNotAt;        ///< may be null
  std::vector<InstRef> removed;
};

// ---- predicates ----

/// A constant all of whose bits are 0.
bool isZero(const Module& module, Id id) {
  const InstRef def = module.def(id);
  if (!def) return false;
  switch (module.opcode(def)) {
  case spv::Op::OpConstantNull:
  case spv::Op::OpConstantFalse:
    return true;
  case spv::Op::OpConstant:
    for (uint32_t w = 3; w < module.wordCount(def); ++w)
      if (module.word(def, w) != 0) return false;
    return true;
  case spv::Op::OpConstantComposite:
    for (uint32_t w = 3; w < module.wordCount(def); ++w)
      if (!isZero(module, module.idAt(def, w))) return false;
    return true;
  default:
    return false;
  }
}

bool isVolatile(const Module& module, InstRef store) {
  uint32_t word = 3;
  const auto operands = readMemoryOperands(module, store, word);
  return !operands || (operands->mask & uint32_t(spv::MemoryAccessMask::Volatile)) != 0;
}

/// Which instructions of a function may run before which others.
class Order {
public:
  explicit Order(Analyses& analyses) : module_(analyses.module()), cfg_(analyses.get<Cfg>()) {}

  bool mayPrecede(InstRef first, InstRef second) {
    const BlockRef from = module_.blockOf(first), to = module_.blockOf(second);
    if (from == to && first < second) return true;
    const auto [known, isNew] = behind_.try_emplace(from);
    if (isNew) known->second = reached(from, {});
    return known->second[to.value];
  }

  /// Whether `first` may run before `second` has run once.
  bool mayPrecedeFirst(InstRef first, InstRef second) {
    const BlockRef from = module_.blockOf(first), to = module_.blockOf(second);
    if (from == to) return first < second;
    const auto [known, isNew] = inFront_.try_emplace(to);
    if (isNew) {
      const BlockRef start = cfg_.reversePostOrder(module_.functionOf(to)).front();
      known->second = reached(start, to);
      known->second[start.value] = true;
    }
    return known->second[from.value] && mayPrecede(first, second);
  }

private:
  using Blocks = std::vector<bool>; ///< by BlockRef

  /// The blocks that may follow `from`, itself only where it may run again, but not by way of
  /// `end`.
  Blocks reached(BlockRef from, BlockRef end) const {
    Blocks blocks(module_.blockCount() + 1);
    std::vector<BlockRef> work{from};
    while (!work.empty()) {
      const BlockRef block = work.back();
      work.pop_back();
      if (block == end) continue;
      for (BlockRef to : cfg_.successors(block)) {
        if (blocks[to.value]) continue;
        blocks[to.value] = true;
        work.push_back(to);
      }
    }
    return blocks;
  }

  const Module& module_;
  const Cfg& cfg_;
  std::map<BlockRef, Blocks> behind_, inFront_;
};

// ---- collect ----

/// The entry points that run functions which name the variable.
std::vector<const EntryPoint*> entryPointsOf(Analyses& analyses, Id variable) {
  std::vector<const EntryPoint*> found;
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all())
    if (std::binary_search(entry.variables.begin(), entry.variables.end(), variable))
      found.push_back(&entry);
  return found;
}

std::vector<Site> collectSites(Analyses& analyses) {
  const Module& module = analyses.module();
  std::vector<Site> sites;
  for (InstRef i : module.globals()) {
    if (module.opcode(i) != spv::Op::OpVariable ||
        spv::StorageClass(module.word(i, 3)) != spv::StorageClass::Workgroup)
      continue;
    Site site;
    site.variable = i;
    site.hasInitializer = module.wordCount(i) > 4 && isZero(module, module.idAt(i, 4));
    site.cells = collectCells(analyses, i);
    for (const CellAccess& access : site.cells.accesses)
      if (module.opcode(access.inst) == spv::Op::OpStore &&
          isZero(module, module.idAt(access.inst, 2)) && !isVolatile(module, access.inst))
        site.zeros.push_back(access.inst);
    if (!site.hasInitializer && site.zeros.empty()) continue;
    const auto entries = entryPointsOf(analyses, site.cells.id);
    if (entries.empty()) continue;
    if (entries.size() == 1) site.entry = entries.front();
    sites.push_back(std::move(site));
  }
  return sites;
}

// ---- check ----

class Checker {
public:
  explicit Checker(Analyses& analyses)
      : analyses_(analyses), module_(analyses.module()), effects_(analyses), order_(analyses) {}

  void check(Site& site);

private:
  bool refuse(Site& site, std::string_view why, InstRef at = {}) {
    site.whyNot = why;
    site.whyNotAt = at;
    return false;
  }
  bool isUnderstood(Site& site);
  void keepEarlyZeros(Site& site);
  bool mayFollowSignal(InstRef store, FunctionRef function);
  std::vector<std::vector<InstRef>> choices(const Site& site) const;
  bool areInFront(const Site& site, const std::vector<InstRef>& removed, InstRef& behind);
  InstRef readOfNothing(const Site& site, const std::vector<InstRef>& removed);
  DefiniteWrites& writesOf(const EntryPoint& entry);

  Analyses& analyses_;
  const Module& module_;
  MemoryEffects effects_;
  Order order_;
  std::map<const EntryPoint*, std::unique_ptr<DefiniteWrites>> writes_;
};

DefiniteWrites& Checker::writesOf(const EntryPoint& entry) {
  auto& writes = writes_[&entry];
  if (!writes) writes = std::make_unique<DefiniteWrites>(analyses_, entry);
  return *writes;
}

/// Whether everything is known that the proof looks at.
bool Checker::isUnderstood(Site& site) {
  if (!site.cells.obstacle.empty()) return refuse(site, site.cells.obstacle, site.cells.obstacleAt);
  if (!site.entry) return refuse(site, "other-entry-point");
  const Decorations& decorations = analyses_.get<Decorations>();
  if (decorations.has(site.cells.id, spv::Decoration::LinkageAttributes))
    return refuse(site, "other-entry-point");
  if (decorations.has(site.cells.id, spv::Decoration::Volatile)) return refuse(site, "volatile");
  const auto& size = site.entry->workgroupSize;
  // The size of one invocation is a placeholder that some programs write over.
  if (!size || !size->isLiteral || size->invocations() < 2 ||
      size->invocations() > kMaxCountedInvocations)
    return refuse(site, "unknown-workgroup-size");
  for (const CellAccess& access : site.cells.accesses)
    if (module_.functionOf(module_.blockOf(access.inst)) != site.entry->function)
      return refuse(site, "function-call", access.inst);
  for (FunctionRef function : site.entry->functions)
    for (InstRef i : module_.functionInsts(function))
      if (module_.isUnread(i)) return refuse(site, "other-use", i);
  return true;
}

/// Whether an invocation that comes to the store may have learned, since the barrier before, of
/// what another one did: by an atomic or its like of any scope, perhaps in a function that was
/// called.
bool Checker::mayFollowSignal(InstRef store, FunctionRef function) {
  for (InstRef i : module_.functionInsts(function))
    if (module_.opcode(i) == spv::Op::OpFunctionCall && order_.mayPrecede(i, store)) return true;
  for (const MemoryAccess& access : effects_.in(module_.functionInsts(function)))
    if (access.signalReach > 0 && access.isRead && order_.mayPrecede(access.inst, store))
      return true;
  return false;
}

void Checker::keepEarlyZeros(Site& site) {
  std::erase_if(site.zeros, [&](InstRef zero) {
    if (!mayFollowSignal(zero, site.entry->function)) return false;
    refuse(site, "signal", zero);
    return true;
  });
}

/// What may be tried, the most first: later zeros may be among the writes that make earlier ones
/// dead (`if (inside) s[t] = x; else s[t] = 0;`).
std::vector<std::vector<InstRef>> Checker::choices(const Site& site) const {
  std::vector<std::vector<InstRef>> all;
  std::vector<InstRef> zeros = site.zeros;
  for (; !zeros.empty() && all.size() + 1 < kMaxChoices; zeros.pop_back()) all.push_back(zeros);
  if (site.hasInitializer) all.push_back({});
  return all;
}

/// Whether no other write of the variable may come before one of the zeros.
bool Checker::areInFront(const Site& site, const std::vector<InstRef>& removed, InstRef& behind) {
  for (const CellAccess& access : site.cells.accesses) {
    const bool isLoad = module_.opcode(access.inst) == spv::Op::OpLoad;
    if (isLoad || std::binary_search(removed.begin(), removed.end(), access.inst)) continue;
    for (InstRef zero : removed) {
      if (!order_.mayPrecede(access.inst, zero)) continue;
      behind = zero;
      return false;
    }
  }
  return true;
}

/// A read in front of which nothing is left that writes; null for none. Most zeros that stay have
/// one, and following every invocation to see it would take a thousand times as long.
InstRef Checker::readOfNothing(const Site& site, const std::vector<InstRef>& removed) {
  const auto isRemoved = [&](InstRef inst) {
    return std::binary_search(removed.begin(), removed.end(), inst);
  };
  const auto writes = [&](InstRef inst) {
    return module_.opcode(inst) != spv::Op::OpLoad && !isRemoved(inst);
  };
  for (const CellAccess& read : site.cells.accesses) {
    if (read.kind == CellAccess::Kind::Write) continue;
    if (std::none_of(site.cells.accesses.begin(), site.cells.accesses.end(),
                     [&](const CellAccess& write) {
                       return writes(write.inst) && order_.mayPrecedeFirst(write.inst, read.inst);
                     }))
      return read.inst;
  }
  return {};
}

void Checker::check(Site& site) {
  if (!isUnderstood(site)) return;
  keepEarlyZeros(site);
  for (const std::vector<InstRef>& removed : choices(site)) {
    InstRef behind;
    if (!areInFront(site, removed, behind)) {
      refuse(site, "written-before", behind);
      continue;
    }
    if (const InstRef read = readOfNothing(site, removed)) {
      refuse(site, "not-overwritten", read);
      continue;
    }
    const DefiniteWrites::Verdict verdict =
        writesOf(*site.entry).areReadsCovered(site.cells, removed);
    if (!verdict.obstacle.empty()) {
      refuse(site, verdict.obstacle, verdict.access);
      continue;
    }
    refuse(site, {});
    site.removed = removed;
    return;
  }
}

// ---- remarks ----

std::string_view reasonOf(std::string_view name) {
  static const std::map<std::string_view, std::string_view> reasons{
      {"aliased", "other variables may lie over it"},
      {"function-call", "another function uses it, or is passed a pointer to it (see --inline)"},
      {"index-out-of-range", "an index leaves its array"},
      {"irreducible-control-flow", "the control flow has a loop with several entries"},
      {"not-literal-length", "its length is not literal, or it is too large"},
      {"not-overwritten", "a read may come before anything else was written there"},
      {"other-entry-point", "other entry points use it, or may"},
      {"other-use", "something other than an access chain, load, store or atomic may access it"},
      {"signal", "invocations may signal one another before the zero is stored"},
      {"too-large", "there is too much to follow"},
      {"unknown-workgroup-size", "the workgroup size is not literal, or is one"},
      {"unproved-index", "an index is not proved to be in range"},
      {"volatile", "it is volatile"},
      {"written-before", "another write may come before the zero"}};
  const auto found = reasons.find(name);
  return found == reasons.end() ? name : found->second;
}

Remark makeRemark(Analyses& analyses, const Site& site, std::string_view name) {
  const Module& module = analyses.module();
  const SourceLines& lines = analyses.get<SourceLines>();
  Remark remark;
  remark.pass = kPass;
  remark.kind = site.whyNot.empty() ? Remark::Kind::Applied : Remark::Kind::Missed;
  remark.name = site.whyNot.empty() ? "removed" : site.whyNot;
  remark.subject = name;
  if (site.entry) remark.function = site.entry->name(module);
  remark.args.push_back({"variable", std::string(name)});
  if (site.whyNot.empty()) {
    const size_t stores = site.removed.size();
    remark.location = lines.at(module, stores == 0 ? site.variable : site.removed.front());
    const std::string what =
        stores == 0 ? std::string()
                    : formatText("{} {} of zero", stores, stores == 1 ? "store" : "stores");
    const std::string_view both = site.hasInitializer && stores != 0 ? " and " : "";
    remark.message = formatText("removed {}{}{} of '{}': all that is read of it is written before",
                                site.hasInitializer ? "the initializer" : "", both, what, name);
    remark.args.push_back({"stores", formatText("{}", stores)});
    remark.args.push_back({"initializer", site.hasInitializer ? "1" : "0"});
    return remark;
  }
  remark.location = lines.at(module, site.whyNotAt ? site.whyNotAt : site.variable);
  remark.message = formatText("kept the zeros of '{}': {}", name, reasonOf(site.whyNot));
  return remark;
}

// ---- rewrite ----

void rewrite(const Module& module, const std::vector<Site>& sites, Rewriter& rewriter) {
  for (const Site& site : sites) {
    if (site.hasInitializer)
      rewriter.replace(site.variable, Inst(module.inst(site.variable).first(4)));
    for (InstRef zero : site.removed) rewriter.erase(zero);
  }
}

} // namespace

PassResult runEliminateDeadSharedInitialization(PassContext& context) {
  std::vector<Site> sites = collectSites(context.analyses);
  if (sites.empty()) return PassOutcome{};

  Checker checker(context.analyses);
  std::vector<Site> accepted;
  for (Site& site : sites) {
    checker.check(site);
    const std::string_view given =
        context.analyses.get<Decorations>().name(context.module, site.cells.id);
    const std::string name =
        given.empty() ? formatText("%{}", site.cells.id.value) : std::string(given);
    if (site.whyNot.empty() && !context.maySite(name)) continue;
    context.remarks.push_back(makeRemark(context.analyses, site, name));
    if (site.whyNot.empty()) accepted.push_back(std::move(site));
  }
  if (accepted.empty()) return PassOutcome{};

  Rewriter rewriter(context.module);
  rewrite(context.module, accepted, rewriter);
  Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  // No block is added or removed and no edge changes.
  return PassOutcome{*changed, PreservedAnalyses::of<Cfg, Dominance>()};
}

} // namespace lanewise
