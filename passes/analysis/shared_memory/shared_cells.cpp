#include "analysis/shared_memory/shared_cells.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/def_use.h"
#include "analysis/module/types.h"

#include <algorithm>
#include <optional>

namespace lanewise {
namespace {

class Collector {
public:
  Collector(Analyses& analyses, CellVariable& variable)
      : module_(analyses.module()), constants_(analyses.get<Constants>()),
        types_(analyses.get<Types>()), uses_(analyses.get<DefUse>()), variable_(variable) {}

  void run() {
    const std::optional<uint32_t> cells = cellsOf(types_.pointee(variable_.id));
    if (!cells) return refuse("not-literal-length", {});
    variable_.cells = *cells;
    walk(variable_.id, types_.pointee(variable_.id), {});
    std::sort(variable_.accesses.begin(), variable_.accesses.end(),
              [](const CellAccess& a, const CellAccess& b) { return a.inst < b.inst; });
  }

private:
  void refuse(std::string_view name, InstRef at) {
    if (!variable_.obstacle.empty()) return;
    variable_.obstacle = name;
    variable_.obstacleAt = at;
  }

  /// Nothing for a type that does not consist of a known number of scalars.
  std::optional<uint32_t> cellsOf(Id type) const {
    const TypeInfo& info = types_.info(type);
    uint64_t count = 1;
    switch (info.kind) {
    case TypeInfo::Kind::Bool:
    case TypeInfo::Kind::Int:
    case TypeInfo::Kind::Float:
      return 1;
    case TypeInfo::Kind::Vector:
    case TypeInfo::Kind::Matrix:
      count = info.count;
      break;
    case TypeInfo::Kind::Array: {
      const auto length = constants_.literal(info.length);
      if (!length) return std::nullopt;
      count = *length;
      break;
    }
    case TypeInfo::Kind::Struct: {
      uint64_t sum = 0;
      for (uint32_t m = 0; m < info.count; ++m) {
        const auto member = cellsOf(types_.member(type, m));
        if (!member) return std::nullopt;
        sum += *member;
      }
      return sum <= kMaxCells ? std::optional(uint32_t(sum)) : std::nullopt;
    }
    default:
      return std::nullopt;
    }
    const auto element = cellsOf(info.element);
    if (!element || count > kMaxCells || count * *element > kMaxCells) return std::nullopt;
    return uint32_t(count * *element);
  }

  /// All uses of a pointer to `type`, at the place that `place` says.
  void walk(Id pointer, Id type, const CellAccess& place) {
    for (const Use& use : uses_.uses(pointer)) {
      const OpClass opClass = module_.facts(use.user).opClass;
      if (opClass == OpClass::Debug || opClass == OpClass::Annotation ||
          opClass == OpClass::Preamble)
        continue;
      walkUse(use, type, place);
    }
  }

  void walkUse(const Use& use, Id type, CellAccess place) {
    const spv::Op op = module_.opcode(use.user);
    place.inst = use.user;
    place.count = *cellsOf(type);
    if ((op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain) && use.word == 3)
      return walkChain(use.user, type, place);
    if (op == spv::Op::OpLoad && use.word == 3) {
      place.kind = CellAccess::Kind::Read;
    } else if (op == spv::Op::OpStore && use.word == 1) {
      place.kind = CellAccess::Kind::Write;
    } else if (isAtomic(module_.facts(use.user))) {
      place.kind = CellAccess::Kind::Read;
    } else if (op == spv::Op::OpExtInst && module_.effects(use.user) == Effect::None) {
      return; // debug information
    } else {
      return refuse(op == spv::Op::OpFunctionCall ? "function-call" : "other-use", use.user);
    }
    variable_.accesses.push_back(std::move(place));
  }

  void walkChain(InstRef chain, Id type, CellAccess place) {
    for (uint32_t w = 4; w < module_.wordCount(chain); ++w) {
      const TypeInfo& info = types_.info(type);
      const Id index = module_.idAt(chain, w);
      const auto literal = constants_.literal(index);
      if (info.kind == TypeInfo::Kind::Struct) {
        if (!literal || *literal >= info.count) return refuse("other-use", chain);
        for (uint32_t m = 0; m < *literal; ++m) place.first += *cellsOf(types_.member(type, m));
        type = types_.member(type, uint32_t(*literal));
        continue;
      }
      const uint32_t stride = *cellsOf(info.element);
      const uint32_t extent = *cellsOf(type) / std::max(stride, 1u);
      if (literal && *literal >= extent) return refuse("index-out-of-range", chain);
      if (literal)
        place.first += uint32_t(*literal) * stride;
      else
        place.indices.push_back({index, extent, stride});
      type = info.element;
    }
    walk(module_.resultId(chain), type, place);
  }

  const Module& module_;
  const Constants& constants_;
  const Types& types_;
  const DefUse& uses_;
  CellVariable& variable_;
};

/// Whether other variables may lie over this one.
bool mayOverlap(Analyses& analyses, Id variable) {
  const Decorations& decorations = analyses.get<Decorations>();
  const Id type = analyses.get<Types>().pointee(variable);
  return decorations.has(variable, spv::Decoration::Aliased) ||
         decorations.has(type, spv::Decoration::Block);
}

} // namespace

CellVariable collectCells(Analyses& analyses, InstRef variable) {
  CellVariable found;
  found.id = analyses.module().resultId(variable);
  if (mayOverlap(analyses, found.id)) found.obstacle = "aliased";
  Collector(analyses, found).run();
  return found;
}

} // namespace lanewise
