#include "analysis/shared_memory/matrix_conflicts.h"

#include "analysis/module/constants.h"
#include "analysis/module/types.h"
#include "ir/newer_enumerants.h"

#include <algorithm>

namespace lanewise {
namespace {

constexpr uint32_t kLinesAtOnce = 8, kPieceBytes = 16;
/// Larger than any that a device has; keeps counts small.
constexpr uint32_t kMostElements = 1 << 16;

std::optional<MatrixTransfer> read(Analyses& analyses, InstRef i, const TargetProfile& target) {
  const Module& module = analyses.module();
  const Types& types = analyses.get<Types>();
  const Constants& constants = analyses.get<Constants>();
  auto number = [&](Id id) -> uint64_t {
    const auto value = constants.value(id);
    return value ? value->bits : 0;
  };
  MatrixTransfer t;
  t.inst = i;
  t.isStore = module.opcode(i) == newer::Op::OpCooperativeMatrixStoreKHR;
  const Id pointer = module.idAt(i, t.isStore ? 1 : 3);
  if (types.storageOf(pointer) != spv::StorageClass::Workgroup) return std::nullopt;
  const uint32_t layoutWord = t.isStore ? 3 : 4;
  if (module.wordCount(i) <= layoutWord + 1) return std::nullopt; // no stride
  const auto layout = constants.value(module.idAt(i, layoutWord));
  if (!layout || layout->bits > newer::CooperativeMatrixLayout::ColumnMajorKHR) return std::nullopt;
  t.isByColumns = layout->bits == newer::CooperativeMatrixLayout::ColumnMajorKHR;
  const InstRef type = module.def(t.isStore ? module.typeOf(module.idAt(i, 2)) : module.idAt(i, 1));
  if (!type || module.opcode(type) != newer::Op::OpTypeCooperativeMatrixKHR) return std::nullopt;
  const auto component = types.naturalLayout(module.idAt(type, 2), target.sharedRules());
  const auto element = types.naturalLayout(types.pointee(pointer), target.sharedRules());
  const uint64_t rows = number(module.idAt(type, 4)), columns = number(module.idAt(type, 5));
  const uint64_t stride = number(module.idAt(i, layoutWord + 1));
  if (!component || !element || stride == 0 || stride > kMostElements || rows > kMostElements ||
      columns > kMostElements || rows * columns == 0 || rows * columns > kMostElements)
    return std::nullopt;
  t.rows = uint32_t(rows), t.columns = uint32_t(columns);
  t.componentBytes = uint32_t(component->size);
  t.strideBytes = stride * element->size;
  t.pointer = pointer;
  return t;
}

} // namespace

std::vector<MatrixTransfer> collectMatrixTransfers(Analyses& analyses,
                                                   const TargetProfile& target) {
  const Module& module = analyses.module();
  std::vector<MatrixTransfer> all;
  for (InstRef i : module.insts()) {
    const spv::Op op = module.opcode(i);
    if (op != newer::Op::OpCooperativeMatrixLoadKHR && op != newer::Op::OpCooperativeMatrixStoreKHR)
      continue;
    if (auto transfer = read(analyses, i, target)) all.push_back(*transfer);
  }
  return all;
}

// Where the first line begins moves all of them alike, so the count does not depend on it.
MatrixCost costOf(const MatrixTransfer& t, const TargetProfile& target) {
  TargetProfile phases = target;
  phases.lanesPerPhase32 = phases.lanesPerPhase64 = phases.lanesPerPhase128 = kLinesAtOnce;
  BankCounter counter(phases);
  MatrixCost cost;
  const uint32_t busBytes = std::max(target.banks * target.bankBytes, 1u);
  for (uint32_t at = 0; at < t.lineBytes(); at += kPieceBytes) {
    const uint32_t bytes = std::min(kPieceBytes, t.lineBytes() - at);
    for (uint32_t first = 0; first < t.lines(); first += kLinesAtOnce) {
      const uint32_t count = std::min(kLinesAtOnce, t.lines() - first);
      std::vector<std::optional<uint64_t>> addresses;
      for (uint32_t line = first; line < first + count; ++line)
        addresses.emplace_back(line * t.strideBytes + at);
      const BankConflicts conflicts = counter.count(addresses, bytes);
      cost.degree = std::max(cost.degree, conflicts.degree);
      cost.cycles += conflicts.cycles;
      cost.cleanCycles += (uint64_t(count) * bytes + busBytes - 1) / busBytes;
    }
  }
  return cost;
}

} // namespace lanewise
