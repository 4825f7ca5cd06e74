// Analyses of one module, computed on demand and kept until a pass says that they are no longer
// right. Every analysis is a pure function of the module (and of the Assumptions, where it takes
// them) and its type documents whether what it says is exact or conservative.
#pragma once

#include "ir/module.h"

#include <cstdint>
#include <memory>

namespace lanewise {

class DefUse;
class Cfg;
class Dominance;
class Loops;
class Types;
class Constants;
class Decorations;
class EntryPoints;
class SourceLines;
class Uniformity;
enum class UniformScope : uint8_t;
struct Assumptions;

enum class AnalysisKind : uint8_t {
  DefUse,
  Cfg,
  Dominance,
  Loops,
  Types,
  Constants,
  Decorations,
  EntryPoints,
  SourceLines,
  Uniformity,
  Count
};

struct AnalysisSet {
  uint32_t bits = 0;
  static constexpr AnalysisSet none() { return {}; }
  static constexpr AnalysisSet all() { return {(1u << uint32_t(AnalysisKind::Count)) - 1}; }
  constexpr AnalysisSet with(AnalysisKind k) const { return {bits | 1u << uint32_t(k)}; }
  constexpr bool has(AnalysisKind k) const { return bits >> uint32_t(k) & 1; }
};

/// Not thread-safe; one for each module. The module and the assumptions must outlive it and keep
/// their addresses. A reference that it returns is valid until invalidateExcept() drops that
/// analysis.
class Analyses {
public:
  Analyses(const Module& module, const Assumptions& assumptions);
  ~Analyses();
  Analyses(const Analyses&) = delete;
  Analyses& operator=(const Analyses&) = delete;

  const Module& module() const { return module_; }
  const Assumptions& assumptions() const { return assumptions_; }

  const DefUse& defUse();
  const Cfg& cfg();
  const Dominance& dominance();
  const Loops& loops();
  const Types& types();
  const Constants& constants();
  const Decorations& decorations();
  const EntryPoints& entryPoints();
  const SourceLines& sourceLines();
  const Uniformity& uniformity(); ///< over a workgroup
  const Uniformity& uniformity(UniformScope scope);

  /// Forgets everything that is not in `preserved`. Types refers to Constants and Decorations, so
  /// it is forgotten with either of them. What a pass may preserve depends on what it moved: Cfg
  /// and Dominance name blocks only, Constants and Types ids only; all others name instructions.
  void invalidateExcept(AnalysisSet preserved);
  /// Recomputes every analysis that is held and compares. For debug builds and tests: names the
  /// first that differs, or AnalysisKind::Count when all agree.
  AnalysisKind firstStale();

private:
  struct Held;
  const Module& module_;
  const Assumptions& assumptions_;
  std::unique_ptr<Held> held_;
};

} // namespace lanewise
