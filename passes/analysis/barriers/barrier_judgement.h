// Which barriers of a module nothing needs, which two may be one, and what each of the others need
// not order. The one judgement that --eliminate-redundant-barriers carries out and that
// `lanewise lint` reports.
#pragma once

#include "analysis/barriers/barrier_judge.h"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise {

class BarrierJudgement {
public:
  /// Assumed values of specialization constants prove nothing here: where `given` has some, the
  /// module is looked at without them.
  explicit BarrierJudgement(Analyses& given);

  /// Decides until nothing changes; once. `mayChange` is asked once for each barrier that is to be
  /// removed, merged or narrowed, by its name.
  void decide(const std::function<bool(std::string_view)>& mayChange);

  /// In module order.
  std::span<const JudgedBarrier> barriers() const { return barriers_; }
  bool hasChanges() const;
  /// Without assumptions.
  Analyses& analyses() { return analyses_; }

private:
  using MayChange = std::function<bool(std::string_view)>;
  void collect();
  bool judgeAll(const MayChange& mayChange);
  bool judge(uint32_t n, const MayChange& mayChange);
  bool hasWiderFence() const;
  bool drop(JudgedBarrier& barrier, uint32_t neededClasses, const MayChange& mayChange);
  bool mergeAll(const MayChange& mayChange);
  bool merge(uint32_t first, uint32_t second, const MayChange& mayChange);
  static bool ask(JudgedBarrier& barrier, const MayChange& mayChange);

  std::unique_ptr<Analyses> bare_; ///< null where `given` has no assumptions
  Analyses& analyses_;
  const Module& module_;
  const MemoryEffects effects_;
  std::vector<JudgedBarrier> barriers_;
  std::vector<std::unique_ptr<BarrierJudge>> judges_; ///< one an entry point
  /// By barrier: the judges that know it, and by which number.
  std::vector<std::vector<std::pair<BarrierJudge*, uint32_t>>> judgesOf_;
};

} // namespace lanewise
