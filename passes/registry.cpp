#include "analysis/control_flow/cfg.h"
#include "analysis/control_flow/dominance.h"
#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "ir/beyond_grammar.h"
#include "ir/rewriter.h"
#include "pass.h"
#include "text/format_text.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <memory>

namespace lanewise {

#define LANEWISE_PASS(file, entry, values, inO, summary) PassResult entry(PassContext&);
#define LANEWISE_CANONICAL_PASS(file, entry, values, summary) PassResult entry(PassContext&);
#include "registry.def"
#undef LANEWISE_PASS
#undef LANEWISE_CANONICAL_PASS

namespace {

/// Flag names are file names with dashes, spelled once in the registry.
template <size_t N>
struct FlagName {
  std::array<char, N> chars{};
  constexpr explicit FlagName(const char (&file)[N]) {
    for (size_t i = 0; i < N; ++i) chars[i] = file[i] == '_' ? '-' : file[i];
  }
  constexpr std::string_view view() const { return {chars.data(), N - 1}; }
};
template <FlagName Name>
constexpr auto kFlag = Name;

const PassInfo kPasses[] = {
#define LANEWISE_PASS(file, entry, values, inO, summary)                                           \
  {kFlag<FlagName(#file)>.view(), #file, values, summary, inO, &entry},
#define LANEWISE_CANONICAL_PASS(file, entry, values, summary)                                      \
  {kFlag<FlagName(#file)>.view(), #file, values, summary, true, &entry, true},
#include "registry.def"
#undef LANEWISE_PASS
#undef LANEWISE_CANONICAL_PASS
};

} // namespace

std::span<const PassInfo> allPasses() {
  return kPasses;
}

const PassInfo* findPass(std::string_view flag) {
  for (const PassInfo& pass : kPasses)
    if (pass.flag == flag) return &pass;
  return nullptr;
}

std::string_view PassInfo::defaultValue() const {
  return values.substr(0, values.find('|'));
}

namespace {

/// "2,4,1": as many numbers from 1 on as "X,Y,Z" has letters.
bool isListOfNumbers(std::string_view value, std::string_view form) {
  const char *at = value.data(), *const last = at + value.size();
  for (size_t n = 0; n < form.size(); n += 2) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(at, last, number);
    if (error != std::errc() || number == 0) return false;
    const bool isLastOne = n + 1 == form.size();
    if (isLastOne ? end != last : end == last || *end != ',') return false;
    at = end + 1;
  }
  return true;
}

} // namespace

bool PassInfo::acceptsValue(std::string_view value) const {
  for (std::string_view rest = values; !rest.empty();) {
    std::string_view one = rest.substr(0, rest.find('|'));
    rest.remove_prefix(one.size() == rest.size() ? rest.size() : one.size() + 1);
    if (one == "X,Y,Z") {
      if (isListOfNumbers(value, one)) return true;
      continue;
    }
    if (one == value) return true;
    if (!one.ends_with(":N") || !value.starts_with(one.substr(0, one.size() - 1))) continue;
    std::string_view number = value.substr(one.size() - 1);
    uint32_t n = 0;
    auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), n);
    if (error == std::errc() && end == number.data() + number.size() && n > 0) return true;
  }
  return false;
}

std::optional<Remark> whyUntouchable(const Module& module, std::string_view pass) {
  const std::optional<std::string> what = whatIsBeyondGrammar(module);
  if (!what) return {};
  Remark remark;
  remark.kind = Remark::Kind::Note;
  remark.pass = pass;
  remark.name = "beyond-grammar";
  remark.message = formatText("the module has {}; it stays as it is", *what);
  return remark;
}

namespace {

/// What stands in front of the functions, and the header with its id bound.
class Declarations {
public:
  explicit Declarations(const Module& module)
      : owner_(module.sharedWords()), words_(declarationsOf(module)) {}
  bool areThoseOf(const Module& module) const {
    return std::ranges::equal(words_, declarationsOf(module));
  }

private:
  static std::span<const uint32_t> declarationsOf(const Module& module) {
    return module.words().first(module.wordOffset(module.globals().last));
  }

  std::shared_ptr<const std::vector<uint32_t>> owner_; ///< keeps words_ where they are
  std::span<const uint32_t> words_;
};

/// What a pass preserved that left the declarations as they are: also what looks at nothing else.
PreservedAnalyses withThoseOfDeclarations(const PreservedAnalyses& byPass) {
  // What passes preserve of blocks is both of these.
  if (byPass.has(idOfAnalysis<Cfg>()) && byPass.has(idOfAnalysis<Dominance>()))
    return PreservedAnalyses::of<Cfg, Dominance, Constants, Decorations, Types>();
  return PreservedAnalyses::of<Constants, Decorations, Types>();
}

} // namespace

PassResult commitEdits(PassContext& context, Rewriter& rewriter,
                       const PreservedAnalyses& preserved) {
  if (!rewriter.hasEdits()) return PassOutcome{};
  context.analyses.invalidateExcept(withThoseOfDeclarations(preserved));
  const Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  return PassOutcome{*changed, preserved};
}

void RemarkCounts::appendTo(Remarks& remarks, std::string_view pass) const {
  for (const auto& [what, count] : counts_) {
    Remark r;
    r.kind = what.first;
    r.pass = pass;
    r.name = what.second;
    r.count = count;
    remarks.push_back(std::move(r));
  }
}

PassResult runPass(const PassInfo& pass, PassContext& context) {
  // A canonical pass has no sites: it may rewrite the module or not.
  if (pass.isCanonical && context.maySite && !context.maySite("module")) return PassOutcome{};
  const Declarations before(context.module);
  PassResult outcome = pass.run(context);
  if (!outcome) {
    Error error = outcome.error();
    error.pass = pass.flag;
    context.analyses.invalidateExcept(PreservedAnalyses::none());
    return error;
  }
  if (outcome->changed)
    context.analyses.invalidateExcept(before.areThoseOf(context.module)
                                          ? withThoseOfDeclarations(outcome->preserved)
                                          : outcome->preserved);
  assert(context.analyses.firstStale().empty() &&
         "a pass claims to preserve an analysis that it changed");
  return outcome;
}

} // namespace lanewise
