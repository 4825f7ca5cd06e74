// Order and grouping of a pipeline, and what becomes of passes that crash, lie or change results.
#include "assemble.h"
#include "ir/rewriter.h"
#include "pipeline/pipeline.h"
#include "support/suggest.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace lanewise::driver {
namespace {

constexpr const char* kModule = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %main = OpFunction %void None %fn
      %label = OpLabel
               OpReturn
               OpFunctionEnd
)";

/// Appends an OpNop behind the label: a change that every reader can see and no rule forbids.
PassResult addNop(PassContext& context) {
  Rewriter rewriter(context.module);
  for (InstRef i : context.module.insts())
    if (context.module.opcode(i) == spv::Op::OpLabel && context.maySite("label"))
      rewriter.insertAfter(i, Inst(spv::Op::OpNop));
  Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  Remark r;
  r.kind = *changed ? Remark::Kind::Applied : Remark::Kind::Missed;
  r.pass = "add-nop";
  r.name = "added";
  context.remarks.push_back(r);
  return PassOutcome{*changed, PreservedAnalyses::none()};
}
PassResult failAlways(PassContext&) {
  return Error{"cannot", {}, 0, {}};
}

const PassInfo kAddNop{"add-nop", "add_nop", "", "", false, &addNop};
const PassInfo kFail{"fail", "fail", "", "", false, &failAlways};

/// Appends an OpNop at its site "one" and two at "two".
PassResult addNops(PassContext& context) {
  Rewriter rewriter(context.module);
  const InstRef label = context.module.blockInsts(BlockRef(1)).first;
  for (const auto& [site, nops] : {std::pair("one", 1), std::pair("two", 2)})
    if (context.maySite(site))
      for (int n = 0; n < nops; ++n) rewriter.insertAfter(label, Inst(spv::Op::OpNop));
  Result<bool> changed = rewriter.commit();
  if (!changed) return changed.error();
  return PassOutcome{*changed, PreservedAnalyses::none()};
}
const PassInfo kAddNops{"add-nops", "add_nops", "", "", false, &addNops};

/// A canonical pass that finds nothing to do, and says each time that it looked.
PassResult lookOnly(PassContext& context) {
  Remark r;
  r.pass = "look-only";
  r.name = "looked";
  context.remarks.push_back(r);
  return PassOutcome{};
}
const PassInfo kLookOnly{"look-only", "look_only", "", "", false, &lookOnly, true};

PipelineStep ours(const PassInfo& pass) {
  return {"--" + std::string(pass.flag), &pass, {}, false};
}
PipelineStep theirs(std::string flag, bool keepInterface = false) {
  return {std::move(flag), nullptr, {}, keepInterface};
}

uint32_t countNops(const Words& words) {
  uint32_t n = 0;
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) n += (words[at] & 0xFFFF) == 0;
  return n;
}

/// A pipeline whose spirv-opt is a fake: --bad crashes whenever it is among the flags, --invalid
/// writes a module that the fake validator refuses, --unreadable one that is none, --moody crashes
/// only in company, --nop adds an OpNop.
class PipelineTest : public testing::Test {
protected:
  PipelineTest() {
    options.runSpirvOpt = [this](std::span<const uint32_t> words,
                                 std::span<const std::string> flags,
                                 const SpirvOptOptions& run) -> Result<Words> {
      std::string call;
      for (const std::string& f : flags) call += (call.empty() ? "" : " ") + f;
      calls.push_back(call + (run.preserveBindings ? " (keep)" : ""));
      Words out(words.begin(), words.end());
      for (const std::string& f : flags) {
        if (f == "--bad") return Error{"crashed: Aborted (signal 6)", {}, 0, {}};
        if (f == "--moody" && flags.size() > 1) return Error{"crashed", {}, 0, {}};
        if (f == "--invalid") out.push_back(kInvalidMark);
        if (f == "--unreadable") out = {kInvalidMark};
        if (f == "--nop") out.push_back(1u << 16);
      }
      return out;
    };
    options.validate = [this](std::span<const uint32_t> words,
                              std::optional<spv_target_env>) -> Result<Validated> {
      ++validations;
      bool isBad = std::find(words.begin(), words.end(), kInvalidMark) != words.end();
      if (isBad) return Error{"this is wrong", {}, 0, {}};
      return answer;
    };
    options.log = &log;
  }

  Result<PipelineOutcome> run(std::vector<PipelineStep> steps) {
    return runPipeline(test::assemble(kModule), steps, options);
  }
  static std::vector<std::string> namesOf(const Remarks& remarks) {
    std::vector<std::string> names;
    for (const Remark& r : remarks) names.push_back(r.pass + ":" + r.name);
    return names;
  }

  static constexpr uint32_t kInvalidMark = 0x0001FFFF;
  PipelineOptions options;
  Validated answer; ///< of what is valid
  std::vector<std::string> calls;
  int validations = 0;
  std::ostringstream log;
};

using Names = std::vector<std::string>;

TEST_F(PipelineTest, KeepsTheOrderAndJoinsNeighbours) {
  auto out = run({theirs("--a"), theirs("--b"), ours(kAddNop), theirs("--c"), theirs("--d", true)});
  ASSERT_TRUE(out);
  EXPECT_EQ(calls, (Names{"--a --b", "--c", "--d (keep)"}));
  EXPECT_EQ(countNops(out->words), 1u);
  EXPECT_EQ(out->keptPasses, 1u);
}

TEST_F(PipelineTest, NothingToDoGivesTheInputBack) {
  auto out = run({});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->words, test::assemble(kModule));
  EXPECT_EQ(validations, 0);
}

TEST_F(PipelineTest, DropsExactlyThePassThatCrashes) {
  auto out = run({theirs("--nop"), theirs("--bad=3"), theirs("--bad"), theirs("--nop")});
  ASSERT_TRUE(out);
  EXPECT_EQ(calls, (Names{"--nop --bad=3 --bad --nop", "--nop", "--bad=3", "--bad", "--nop"}));
  EXPECT_EQ(countNops(out->words), 2u);
  ASSERT_EQ(namesOf(out->remarks), Names{"bad:dropped-pass"});
  EXPECT_NE(out->remarks[0].message.find("crashed: Aborted"), std::string::npos);
}

TEST_F(PipelineTest, DropsExactlyThePassThatWritesAnInvalidModule) {
  auto out = run({theirs("--nop"), theirs("--invalid"), theirs("--nop")});
  ASSERT_TRUE(out);
  EXPECT_EQ(countNops(out->words), 2u);
  EXPECT_EQ(std::count(out->words.begin(), out->words.end(), kInvalidMark), 0);
  ASSERT_EQ(namesOf(out->remarks), Names{"invalid:dropped-pass"});
  EXPECT_NE(out->remarks[0].message.find("this is wrong"), std::string::npos);
}

// An invalid module before one of ours must be found before ours builds on it, and ours runs on the
// good one.
TEST_F(PipelineTest, OursNeverBuildsOnAnInvalidModule) {
  auto out = run({theirs("--invalid"), ours(kAddNop), theirs("--bad")});
  ASSERT_TRUE(out);
  EXPECT_EQ(countNops(out->words), 1u);
  EXPECT_EQ(std::count(out->words.begin(), out->words.end(), kInvalidMark), 0);
  EXPECT_EQ(namesOf(out->remarks),
            (Names{"invalid:dropped-pass", "add-nop:added", "bad:dropped-pass"}));
}

TEST_F(PipelineTest, PassesThatFailOnlyTogetherAllStay) {
  auto out = run({theirs("--nop"), theirs("--moody")});
  ASSERT_TRUE(out);
  EXPECT_EQ(countNops(out->words), 1u);
  EXPECT_TRUE(out->remarks.empty());
}

TEST_F(PipelineTest, StrictStopsAtACrash) {
  options.strict = true;
  auto out = run({theirs("--nop"), theirs("--bad")});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().message, "the SPIRV-Tools pass --bad crashed: Aborted (signal 6)");
}

TEST_F(PipelineTest, AFailureOfOursIsUndoneAndTold) {
  auto out = run({ours(kFail), ours(kAddNop)});
  ASSERT_TRUE(out);
  EXPECT_EQ(countNops(out->words), 1u);
  EXPECT_EQ(namesOf(out->remarks), (Names{"fail:internal-error", "add-nop:added"}));
  options.strict = true;
  EXPECT_FALSE(run({ours(kFail)}));
}

TEST_F(PipelineTest, AnInvalidModuleOfOursIsUndoneAndTold) {
  options.validate = [](std::span<const uint32_t> words,
                        std::optional<spv_target_env>) -> Result<Validated> {
    Words all(words.begin(), words.end());
    if (countNops(all) > 0) return Error{"no OpNop here", {}, 0, {}};
    return Validated{};
  };
  auto out = run({ours(kAddNop)});
  ASSERT_TRUE(out);
  EXPECT_EQ(out->words, test::assemble(kModule));
  EXPECT_EQ(out->keptPasses, 0u);
  EXPECT_EQ(namesOf(out->remarks), Names{"add-nop:internal-error"});
}

TEST_F(PipelineTest, ValidatesOnlyWhatChanged) {
  ASSERT_TRUE(run({theirs("--a"), theirs("--b")}));
  EXPECT_EQ(validations, 0) << "nothing changed, and the input is known to be valid";
  ASSERT_TRUE(run({theirs("--nop"), theirs("--b")}));
  EXPECT_EQ(validations, 1);
}

TEST_F(PipelineTest, ValidateAfterAllLooksAtEachPass) {
  options.validateAfterAll = true;
  ASSERT_TRUE(run({theirs("--nop"), theirs("--nop"), ours(kAddNop)}));
  EXPECT_EQ(calls, (Names{"--nop", "--nop"}));
  EXPECT_EQ(validations, 3);
}

TEST_F(PipelineTest, PrintingSplitsGroups) {
  options.printAfter = {"b"};
  ASSERT_TRUE(run({theirs("--a"), theirs("--b"), theirs("--c"), theirs("--d")}));
  EXPECT_EQ(calls, (Names{"--a --b", "--c --d"}));
  EXPECT_NE(log.str().find("; *** module after b ***"), std::string::npos);
}

TEST_F(PipelineTest, BisectingCountsOverAllPasses) {
  options.bisectLimit = 1;
  auto out = run({ours(kAddNop), ours(kAddNop)});
  ASSERT_TRUE(out);
  EXPECT_EQ(countNops(out->words), 1u);
  EXPECT_EQ(log.str(), "BISECT: running rewrite (1) add-nop on 'label'\n"
                       "BISECT: NOT running rewrite (2) add-nop on 'label'\n");
}

TEST_F(PipelineTest, OnlyAndSkipFilterSites) {
  options.only = {{"add-nop", "x*"}};
  EXPECT_EQ(countNops(run({ours(kAddNop)})->words), 0u);
  options.only = {{"add-nop", "x*"}, {"add-nop", "lab??"}};
  EXPECT_EQ(countNops(run({ours(kAddNop)})->words), 1u);
  options.skip = {{"add-nop", "l*"}};
  EXPECT_EQ(countNops(run({ours(kAddNop)})->words), 0u);
  options.only.clear();
  options.skip = {{"another-pass", "*"}};
  EXPECT_EQ(countNops(run({ours(kAddNop)})->words), 1u);
}

TEST_F(PipelineTest, WhatTheJudgeUndoesIsGone) {
  options.judge = [](const PassInfo&, const Words&, const Words&, const LayoutManifest&,
                     Remark& remark) {
    remark.name = "changed-results";
    remark.message = "no";
    return Verdict::Undo;
  };
  auto out = run({theirs("--nop"), ours(kAddNop)});
  ASSERT_TRUE(out);
  EXPECT_EQ(countNops(out->words), 1u) << "only spirv-opt's";
  EXPECT_EQ(out->keptPasses, 0u);
  EXPECT_EQ(namesOf(out->remarks), Names{"add-nop:changed-results"})
      << "no remark of what was undone";
}

TEST_F(PipelineTest, WhenTheirsChangedResultsOursRunsOnTheLastGoodModule) {
  std::vector<uint32_t> seen;
  options.judge = [&](const PassInfo&, const Words& before, const Words&, const LayoutManifest&,
                      Remark& remark) {
    seen.push_back(countNops(before));
    if (seen.back() == 0) return Verdict::Keep;
    remark.name = "spirv-opt-changed-results";
    remark.message = "no";
    return Verdict::InputDiffers;
  };
  auto out = run({theirs("--nop"), ours(kAddNop)});
  ASSERT_TRUE(out);
  EXPECT_EQ(seen, (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(countNops(out->words), 1u);
  EXPECT_EQ(out->keptPasses, 1u);
}

// ---- an input that was not validated ----

TEST_F(PipelineTest, OneValidationOfTheOutputIsEnough) {
  options.isInputValid = false;
  auto out = run({theirs("--nop"), ours(kAddNop), theirs("--nop"), ours(kAddNop)});
  ASSERT_TRUE(out);
  EXPECT_EQ(validations, 1);
  EXPECT_EQ(countNops(out->words), 4u);
  EXPECT_EQ(calls, (Names{"--nop", "--nop"}));
}

TEST_F(PipelineTest, AnInvalidInputIsToBlameForWhatBecomesOfIt) {
  options.isInputValid = false;
  Words broken = test::assemble(kModule);
  broken.push_back(kInvalidMark);
  for (const std::vector<PipelineStep>& steps :
       {std::vector<PipelineStep>{}, {theirs("--bad")}, {ours(kFail)}, {ours(kAddNop)}}) {
    auto out = runPipeline(broken, steps, options);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().message, "this is wrong");
  }
}

TEST_F(PipelineTest, OfAValidInputTheCulpritIsFoundAfterwards) {
  options.isInputValid = false;
  auto out = run({theirs("--nop"), theirs("--invalid"), ours(kAddNop), ours(kFail)});
  ASSERT_TRUE(out);
  EXPECT_EQ(countNops(out->words), 2u);
  EXPECT_EQ(namesOf(out->remarks),
            (Names{"invalid:dropped-pass", "add-nop:added", "fail:internal-error"}));
}

TEST_F(PipelineTest, WhatIsPrintedAsPassesRunIsPrintedOnce) {
  options.isInputValid = false;
  options.printAfter = {"invalid"};
  ASSERT_TRUE(run({theirs("--nop"), theirs("--invalid")}));
  const std::string text = log.str();
  EXPECT_EQ(text.find("*** module after"), text.rfind("*** module after"));
}

TEST_F(PipelineTest, WhatSpirvToolsDoNotKnowIsANote) {
  options.isInputValid = false;
  answer.unknown = "NewThingKHR";
  for (const std::vector<PipelineStep>& steps :
       {std::vector<PipelineStep>{}, {ours(kAddNop)}, {theirs("--invalid")}}) {
    auto out = run(steps);
    ASSERT_TRUE(out);
    const Remark& last = out->remarks.back();
    EXPECT_EQ(last.name, "not-validated");
    EXPECT_EQ(last.kind, Remark::Kind::Note);
    EXPECT_NE(last.message.find("does not know NewThingKHR"), std::string::npos) << last.message;
  }
}

// What our checker has something against is no result of a pass, whoever takes it.
TEST_F(PipelineTest, WhatOnlyOurCheckerRefusesIsUndone) {
  options.validate = [](std::span<const uint32_t> words,
                        std::optional<spv_target_env>) -> Result<Validated> {
    Words all(words.begin(), words.end());
    Validated validated;
    if (countNops(all) > 0) validated.doubt = "no OpNop here";
    return validated;
  };
  for (bool isInputValid : {true, false}) {
    options.isInputValid = isInputValid;
    auto out = run({ours(kAddNop)});
    ASSERT_TRUE(out);
    EXPECT_EQ(namesOf(out->remarks), Names{"add-nop:internal-error"});
  }
}

// A result that is valid, but not where the input is, is a fault of the passes.
TEST_F(PipelineTest, AResultMustBeValidWhereTheInputIs) {
  options.isInputValid = false;
  bool isInputVulkan = true;
  options.validate = [&](std::span<const uint32_t> words,
                         std::optional<spv_target_env> env) -> Result<Validated> {
    const bool isVulkan = isInputVulkan && countNops(Words(words.begin(), words.end())) == 0;
    if (env == SPV_ENV_VULKAN_1_2 && !isVulkan) return Error{"not for Vulkan", {}, 0, {}};
    return Validated{isVulkan ? SPV_ENV_VULKAN_1_2 : SPV_ENV_UNIVERSAL_1_5, {}, {}};
  };
  EXPECT_EQ(namesOf(run({ours(kAddNop)})->remarks), Names{"add-nop:internal-error"});
  isInputVulkan = false;
  EXPECT_EQ(namesOf(run({ours(kAddNop)})->remarks), Names{"add-nop:added"});
}

TEST_F(PipelineTest, StepsOfSpirvOptAreLeftOutOfWhatItCannotRead) {
  options.unknownToSpirvOpt = [](const Module&) -> Result<std::string> { return std::string("X"); };
  for (bool isInputValid : {true, false}) {
    options.isInputValid = isInputValid;
    options.strict = false;
    auto out = run({theirs("--bad"), ours(kAddNop), theirs("--nop"), theirs("--bad")});
    ASSERT_TRUE(out);
    EXPECT_EQ(countNops(out->words), 1u) << "none of spirv-opt's";
    EXPECT_EQ(namesOf(out->remarks), (Names{"spirv-opt:left-out", "add-nop:added"}));
    options.strict = true;
    out = run({theirs("--bad"), ours(kAddNop)});
    ASSERT_FALSE(out);
    EXPECT_NE(out.error().message.find("does not know X, and --strict"), std::string::npos);
  }
}

TEST(Glob, MatchesLikeAShell) {
  EXPECT_TRUE(matchesGlob("*", ""));
  EXPECT_TRUE(matchesGlob("tile*", "tile"));
  EXPECT_TRUE(matchesGlob("t?le", "tile"));
  EXPECT_TRUE(matchesGlob("*a*b", "xaayb"));
  EXPECT_TRUE(matchesGlob("a**", "a"));
  EXPECT_FALSE(matchesGlob("", "a"));
  EXPECT_FALSE(matchesGlob("t?le", "tle"));
  EXPECT_FALSE(matchesGlob("*a*b", "xaayc"));
  EXPECT_FALSE(matchesGlob("tile", "tiles"));
}

TEST_F(PipelineTest, AModuleThatNobodyCanReadIsItsMakersFault) {
  const auto out = run({theirs("--unreadable"), ours(kAddNop)});
  ASSERT_TRUE(out) << out.error().str();
  const Names names{"unreadable:dropped-pass", "add-nop:added"};
  EXPECT_EQ(namesOf(out->remarks), names);
  EXPECT_EQ(countNops(out->words), 1u);
}

/// Two more instructions are dear, one is not.
std::optional<std::string> dearIfTwoMore(const Words& before, const Words& after,
                                         const Assumptions&) {
  const bool isDear = countNops(after) >= countNops(before) + 2;
  return isDear ? std::optional<std::string>("two more") : std::nullopt;
}

TEST_F(PipelineTest, SitesThatMakeTheModuleDearerAreLeftOut) {
  options.whyDearer = dearIfTwoMore;
  const auto out = run({ours(kAddNops)});
  ASSERT_TRUE(out);
  EXPECT_EQ(countNops(out->words), 1u);
  ASSERT_EQ(namesOf(out->remarks), Names{"add-nops:not-cheaper"});
  EXPECT_EQ(out->remarks.front().message, "--add-nops on two was undone: two more");
  EXPECT_EQ(out->keptPasses, 1u);
}

TEST_F(PipelineTest, APassIsUndoneWhereEverySiteIsDear) {
  options.whyDearer = [](const Words& before, const Words& after, const Assumptions&) {
    const bool isDear = countNops(after) > countNops(before);
    return isDear ? std::optional<std::string>("more") : std::nullopt;
  };
  const auto out = run({ours(kAddNops), ours(kAddNop)});
  ASSERT_TRUE(out);
  EXPECT_EQ(countNops(out->words), 0u);
  EXPECT_EQ(out->keptPasses, 0u);
  const Names dear{"add-nops:not-cheaper", "add-nops:not-cheaper", "add-nop:not-cheaper",
                   "add-nop:added"};
  EXPECT_EQ(namesOf(out->remarks), dear);
}

TEST_F(PipelineTest, ACanonicalPassIsNotRunOnWhatItLeft) {
  const Names once{"look-only:looked"},
      twice{"look-only:looked", "add-nop:added", "look-only:looked"};
  EXPECT_EQ(namesOf(run({ours(kLookOnly), ours(kLookOnly)})->remarks), once);
  EXPECT_EQ(namesOf(run({ours(kLookOnly), theirs("--nothing"), ours(kLookOnly)})->remarks).size(),
            2u); // spirv-opt may have done something
  EXPECT_EQ(namesOf(run({ours(kLookOnly), ours(kAddNop), ours(kLookOnly)})->remarks), twice);
}

TEST_F(PipelineTest, AStepBehindPassesThatChangedNothingIsLeftOut) {
  PipelineStep behind = ours(kLookOnly);
  behind.onlyAfter = {&kAddNop};
  EXPECT_TRUE(namesOf(run({behind})->remarks).empty());
  EXPECT_EQ(namesOf(run({ours(kAddNop), behind})->remarks).back(), "look-only:looked");
  behind.onlyAfter = {&kLookOnly, &kFail};
  EXPECT_EQ(namesOf(run({ours(kAddNop), behind})->remarks), Names{"add-nop:added"});
}

TEST(StandardPipeline, EveryFlagIsAccepted) {
  for (const PipelineStep& step : standardPipeline()) {
    Result<std::optional<PipelineStep>> parsed = parseStep(step.flag);
    ASSERT_TRUE(parsed) << step.flag;
    EXPECT_TRUE(*parsed) << step.flag;
  }
}

TEST(StandardPipeline, OfSizeIsCanonicalAndKeepsCalls) {
  for (const PipelineStep& step : sizePipeline()) EXPECT_TRUE(step.pass->isCanonical) << step.flag;
  EXPECT_EQ(sizePipeline().front().flag, "--inline=small");
}

TEST(StandardPipeline, InlinesAllForPassesThatTakeKernelsAsAWhole) {
  const auto inlining = [](std::vector<const char*> flags) {
    std::vector<PipelineStep> steps;
    for (const char* flag : flags) appendSteps(steps, parseSteps(flag).value());
    const auto step =
        std::ranges::find_if(steps, [](const auto& s) { return s.pass->flag == "inline"; });
    return step->flag;
  };
  EXPECT_EQ(inlining({"-O"}), "--inline=profitable");
  EXPECT_EQ(inlining({"-O", "--pad-shared-memory"}), "--inline=profitable");
  EXPECT_EQ(inlining({"-O", "--aos-to-soa"}), "--inline");
  EXPECT_EQ(inlining({"--aos-to-soa", "-O"}), "--inline");
  EXPECT_EQ(inlining({"-O", "--coarsen-invocations"}), "--inline");
  EXPECT_EQ(inlining({"--aos-to-soa", "-O", "--coarsen-invocations"}), "--inline");
}

TEST(StandardPipeline, OursThatFollowReadValues) {
  const auto places = [](std::vector<const char*> flags, std::string_view flag) {
    std::vector<PipelineStep> steps;
    for (const char* f : flags) appendSteps(steps, parseSteps(f).value());
    std::vector<size_t> fromEnd;
    for (size_t n = 0; n < steps.size(); ++n)
      if (steps[n].flag == flag) fromEnd.push_back(steps.size() - 1 - n);
    return fromEnd;
  };
  const std::vector<size_t> atEnd{0}, before{1}, before2{2};
  EXPECT_EQ(places({"-O"}, "--reg2mem"), atEnd);
  EXPECT_EQ(places({"-O", "--aos-to-soa"}, "--reg2mem"), atEnd);
  EXPECT_EQ(places({"-O", "--aos-to-soa", "--pad-shared-memory"}, "--reg2mem"), atEnd);
  EXPECT_EQ(places({"-O", "-O"}, "--reg2mem"), atEnd);
  EXPECT_EQ(places({"-O"}, "--sink"), before);
  EXPECT_EQ(places({"-O"}, "--licm"), before2);
  EXPECT_EQ(places({"-O", "--aos-to-soa"}, "--licm"), before2);
  EXPECT_EQ(places({"-O", "--aos-to-soa"}, "--aos-to-soa"), std::vector<size_t>{3});
  // Who asks for it gets it where it was asked for, and values behind -O where they are asked for.
  EXPECT_EQ(places({"--reg2mem", "--aos-to-soa"}, "--reg2mem"), before);
  EXPECT_EQ(places({"-O", "--mem2reg"}, "--reg2mem"), before);
}

TEST(StandardPipeline, HoldsEveryPassThatTheRegistryPutsThere) {
  std::set<const PassInfo*> held;
  for (const PipelineStep& step : standardPipeline())
    if (step.pass) held.insert(step.pass);
  for (const PassInfo& pass : allPasses())
    if (!pass.isCanonical) {
      EXPECT_EQ(held.count(&pass), pass.inO ? 1u : 0u) << pass.flag;
    }
}

TEST(ParseStep, TellsOursFromTheirsFromNeither) {
  ASSERT_TRUE(parseStep("--ssa-rewrite"));
  EXPECT_TRUE(parseStep("--ssa-rewrite")->has_value());
  EXPECT_EQ((*parseStep("--scalar-replacement=7"))->name(), "scalar-replacement");
  EXPECT_FALSE(parseStep("-Os")->has_value()); // several steps
  EXPECT_EQ(sizePipeline(Canonical::SpirvOpt).front().name(), "Os");
  ASSERT_TRUE(parseStep("--no-such-pass"));
  EXPECT_FALSE(parseStep("--no-such-pass")->has_value());
  EXPECT_FALSE(parseStep("--scalar-replacement=x")->has_value());
}

TEST(ParseStep, ChecksTheValueOfOurs) {
  ASSERT_FALSE(allPasses().empty());
  const PassInfo& pass = allPasses().front();
  std::string flag = "--" + std::string(pass.flag);
  EXPECT_EQ((*parseStep(flag))->mode, pass.defaultValue());
  EXPECT_FALSE(parseStep(flag + "=no-such-value"));
  EXPECT_FALSE(parseStep(flag + "="));
}

TEST(Suggest, FindsTheNearest) {
  std::vector<std::string> names{"--ssa-rewrite", "--strip-debug", "-O"};
  EXPECT_EQ(nearest("--ssa-rewrit", names), "--ssa-rewrite");
  EXPECT_EQ(nearest("--strip-debgu", names), "--strip-debug");
  EXPECT_EQ(nearest("--something-else", names), "");
  EXPECT_EQ(editDistance("abcd", "abdc"), 1u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
}

TEST(Suggest, KnowsTheFlagsOfTheStandardPipeline) {
  auto known = knownSpirvOptFlags();
  for (const PipelineStep& step : standardPipeline(Canonical::SpirvOpt)) {
    if (step.pass) continue;
    std::string name = "--" + std::string(step.name());
    EXPECT_NE(std::find(known.begin(), known.end(), name), known.end())
        << name << " is not in driver/support/spirv_opt_flags.def";
  }
  EXPECT_GE(known.size(), 60u)
      << "spirv_opt_flags.def is out of step with the installed SPIRV-Tools";
}

} // namespace
} // namespace lanewise::driver
