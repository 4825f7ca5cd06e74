// Analyses of one module, computed on demand and kept until a pass says that they are no longer
// right. Every analysis is a pure function of the module (and of the Assumptions, where it takes
// them) and its type documents whether what it says is exact or conservative.
#pragma once

#include "ir/module.h"

#include <initializer_list>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lanewise {

struct Assumptions;

/// Stands for a type of analyses. Equal for the same type.
using AnalysisId = const void*;

namespace detail {
/// The address tells types apart; the value, which differs, keeps linkers from merging.
template <class T>
inline const std::string_view kAnalysisName = T::kAnalysisName;
} // namespace detail

template <class T>
constexpr AnalysisId idOfAnalysis() {
  return &detail::kAnalysisName<T>;
}

/// What a pass leaves right. What a pass may preserve depends on what it moved: Cfg and Dominance
/// name blocks only, Constants and Types ids only; all others name instructions.
class PreservedAnalyses {
public:
  static PreservedAnalyses none() { return {}; }
  template <class... T>
  static PreservedAnalyses of() {
    PreservedAnalyses these;
    these.ids_ = {idOfAnalysis<T>()...};
    return these;
  }
  bool has(AnalysisId id) const;

private:
  std::vector<AnalysisId> ids_;
};

/// Not thread-safe; one for each module. The module and the assumptions must outlive it and keep
/// their addresses.
///
/// An analysis is a type T with `static constexpr std::string_view kAnalysisName`, operator==, and
/// a constructor that takes a const Module& or an Analyses&, of which it may get() others. Nothing
/// is registered anywhere.
class Analyses {
public:
  Analyses(const Module& module, const Assumptions& assumptions);
  Analyses(const Module& module, Assumptions&& temporary) = delete; // it is referred to
  ~Analyses();
  Analyses(const Analyses&) = delete;
  Analyses& operator=(const Analyses&) = delete;

  const Module& module() const { return module_; }
  const Assumptions& assumptions() const { return assumptions_; }

  /// The reference is valid until invalidateExcept() drops that analysis.
  template <class T>
  const T& get();

  /// Forgets everything that is not in `preserved`, and what was made of something that is not:
  /// Types refers to Constants, so it goes with them.
  void invalidateExcept(const PreservedAnalyses& preserved);
  /// Recomputes every analysis that is held and compares. For debug builds and tests: the name of
  /// the first that differs, empty when all agree.
  std::string_view firstStale();

private:
  /// An analysis behind a pointer of its own, so that dropping one leaves references to the others
  /// alone.
  struct Held {
    virtual ~Held() = default;
    /// Whether `fresh` comes to the same.
    virtual bool isSame(Analyses& fresh) const = 0;
    AnalysisId id = nullptr;
    std::string_view name;
    std::vector<AnalysisId> madeOf = {}; ///< the others that its constructor asked for
  };
  template <class T>
  struct HeldAs final : Held {
    explicit HeldAs(Analyses& analyses) : value(argument<T>(analyses)) {}
    bool isSame(Analyses& fresh) const override { return value == fresh.get<T>(); }
    T value;
  };
  template <class T>
  static decltype(auto) argument(Analyses& analyses) {
    if constexpr (std::is_constructible_v<T, const Module&>)
      return analyses.module();
    else
      return (analyses);
  }

  Held* find(AnalysisId id) const;
  void beginMaking(AnalysisId id);
  void endMaking(std::unique_ptr<Held> made);

  const Module& module_;
  const Assumptions& assumptions_;
  std::vector<std::unique_ptr<Held>> held_; ///< what an analysis is made of stands before it
  struct Making {
    AnalysisId id;
    std::vector<AnalysisId> asked;
  };
  std::vector<Making> making_; ///< under way, the innermost last
};

template <class T>
const T& Analyses::get() {
  const AnalysisId id = idOfAnalysis<T>();
  if (!making_.empty()) making_.back().asked.push_back(id);
  if (const Held* held = find(id)) return static_cast<const HeldAs<T>*>(held)->value;
  beginMaking(id);
  auto made = std::make_unique<HeldAs<T>>(*this);
  made->id = id;
  made->name = T::kAnalysisName;
  const T& value = made->value;
  endMaking(std::move(made));
  return value;
}

} // namespace lanewise
