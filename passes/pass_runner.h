// Runs passes over one module, one behind the other: the library's optimize() and the program's
// pipeline both do it through this.
#pragma once

#include "lanewise/buffer_layout.h"
#include "pass.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

struct PassStep {
  const PassInfo* pass = nullptr;
  std::string mode; ///< PassContext::mode
  /// Passes behind whose rewrites alone the step has something to do: it is skipped where none of
  /// them changed the module. Empty: it always runs.
  std::vector<const PassInfo*> onlyAfter = {};
};

/// `-O`: canonical form, Lanewise's passes, and the same clean-up where one of those did something.
/// `coarsening` is a step of --coarsen-invocations for its place in there: with values to share,
/// and before the passes whose choices hang on the shape of the workgroup.
std::vector<PassStep> standardSteps(const std::optional<PassStep>& coarsening = {});
/// The passes that it has last, which compilers read better than analyses do. `-Os` is without
/// them.
std::vector<const PassInfo*> passesForCompilers();
/// Its canonical passes without those and without that clean-up.
std::vector<PassStep> canonicalSteps();
/// `-Os`: the canonical passes alone, and calls stay where that is shorter.
std::vector<PassStep> sizeSteps();

/// What passes are told besides the module (PassContext); what it refers to must outlive the run.
struct PassSettings {
  const TargetProfile& target;
  const Assumptions& assumptions;
  bool isRobust = false;
  std::span<const NarrowRequest> narrow = {};
  /// LayoutExchange::decided
  const std::map<BindingNumber, BufferLayout>* programLayouts = nullptr;
  bool explainsMissed = true;  ///< PassContext::explainsMissed
  bool explainsApplied = true; ///< PassContext::explainsApplied
  bool keepsLoads = false;     ///< PassContext::keepsLoads
};

/// One module and what passes know of it, kept from pass to pass as far as each preserves it.
class PassRunner {
public:
  PassRunner(Module module, const PassSettings& settings);
  PassRunner(const PassRunner&) = delete;
  PassRunner& operator=(const PassRunner&) = delete;
  ~PassRunner();

  const Module& module() const;
  /// Goes on with another module: a rewrite was taken back, or somebody else made it.
  void goOnWith(Module module);

  struct Outcome {
    bool isSkipped = false; ///< the step cannot find anything, and did not run
    bool changed = false;
    Remarks remarks;
    LayoutManifest layouts; ///< of the buffers that the pass laid out anew
  };
  /// Runs one step, unless it cannot find anything: behind passes that changed nothing, or a
  /// canonical pass in what it left itself. `maySite` as in PassContext. On an Error the module is
  /// as it was.
  Result<Outcome> run(const PassStep& step, std::function<bool(std::string_view site)> maySite);

private:
  bool hasNews(const PassStep& step) const;

  struct Subject;
  std::unique_ptr<Subject> subject_;
  PassSettings settings_;
  uint32_t version_ = 0;                       ///< counts the changes of the module
  std::map<const PassInfo*, uint32_t> leftAt_; ///< the version that a pass left
  std::set<const PassInfo*> changing_;         ///< passes that changed the module
  std::string_view unfollowed_;                ///< why no pass touches the module; mostly empty
  bool isTold_ = false;                        ///< that none does
};

/// The module behind canonicalSteps(), but with calls inlined as `inlining` says, a value of
/// --inline. Variables are in SSA form, constants folded, dead code is gone. The error is that of
/// the first pass that fails.
Result<Module> canonicalForm(Module module, const PassSettings& settings,
                             std::string_view inlining);

} // namespace lanewise
