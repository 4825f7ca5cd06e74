#include "assemble.h"
#include "ir/rewriter.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace lanewise {
namespace {

using test::assemble;

constexpr const char* kRewritten = R"(
  OpCapability Shader
  OpMemoryModel Logical GLSL450
  OpEntryPoint GLCompute %20 "main" %5
  OpExecutionMode %20 LocalSize 1 1 1
  %1 = OpTypeVoid
  %2 = OpTypeFunction %1
  %3 = OpTypeFloat 32
  %4 = OpTypePointer Private %3
  %5 = OpVariable %4 Private
  %6 = OpTypeInt 32 0
  %7 = OpConstant %6 7
  %8 = OpTypeInt 32 1
  %9 = OpTypePointer Private %8
  %20 = OpFunction %1 None %2
  %21 = OpLabel
  %22 = OpLoad %3 %5
  OpStore %5 %22
  OpReturn
  OpFunctionEnd
)";

class RewriterTest : public ::testing::Test {
protected:
  Module module = read(assemble(kRewritten));

  static Module read(std::vector<uint32_t> words) {
    Result<Module> m = Module::read(std::move(words));
    EXPECT_TRUE(m) << m.error().str();
    return std::move(*m);
  }
  InstRef def(uint32_t id) const { return module.def(Id(id)); }
  /// Commits, expects a change and a valid module.
  void commit(Rewriter& rewriter) {
    Result<bool> changed = rewriter.commit();
    ASSERT_TRUE(changed) << changed.error().str();
    EXPECT_TRUE(*changed);
    EXPECT_FALSE(rewriter.hasEdits());
    EXPECT_TRUE(test::validate(module.words()));
  }
  std::vector<uint32_t> copy() const { return {module.words().begin(), module.words().end()}; }
};

TEST_F(RewriterTest, RunsOfInstructionsAreReplacedAtOnce) {
  Rewriter rewriter(module);
  const InstRef load = def(22), behind(load.value + 2);
  std::vector<uint32_t> words;
  for (uint32_t id : {30u, 31u}) {
    Inst inst(spv::Op::OpLoad);
    const auto finished = inst.id(Id(3)).id(Id(id)).id(Id(5)).finish();
    words.insert(words.end(), finished.begin(), finished.end());
  }
  for (int n = 0; n < 10; ++n) rewriter.newId(); // 30 and 31 among them
  rewriter.replaceRange({load, behind}, words);
  rewriter.insertBefore(load, Inst(spv::Op::OpNop));
  rewriter.insertBefore(behind, Inst(spv::Op::OpNop));
  commit(rewriter);
  const InstRef first = def(30);
  EXPECT_FALSE(def(22));
  EXPECT_EQ(module.opcode(InstRef(first.value - 1)), spv::Op::OpNop);
  EXPECT_EQ(def(31), InstRef(first.value + 1));
  EXPECT_EQ(module.opcode(InstRef(first.value + 2)), spv::Op::OpNop);
  EXPECT_EQ(module.opcode(InstRef(first.value + 3)), spv::Op::OpReturn);
}

TEST_F(RewriterTest, NoEditStandsInAReplacedRun) {
  const std::vector<uint32_t> before = copy();
  Rewriter rewriter(module);
  const InstRef load = def(22);
  rewriter.replaceRange({load, InstRef(load.value + 2)}, {});
  rewriter.setId(InstRef(load.value + 1), 1, Id(5));
  const Result<bool> changed = rewriter.commit();
  ASSERT_FALSE(changed);
  EXPECT_NE(changed.error().str().find("conflicting edits"), std::string::npos);
  EXPECT_EQ(copy(), before);
}

TEST_F(RewriterTest, NoEditsChangeNothing) {
  std::vector<uint32_t> before = copy();
  Rewriter rewriter(module);
  rewriter.newId();
  Result<bool> changed = rewriter.commit();
  ASSERT_TRUE(changed);
  EXPECT_FALSE(*changed);
  EXPECT_TRUE(std::ranges::equal(module.words(), before)); // not even the bound
}

TEST_F(RewriterTest, EditsWithoutADifferenceChangeNothing) {
  std::vector<uint32_t> before = copy();
  Rewriter rewriter(module);
  rewriter.setWord(def(7), 3, 7);
  Result<bool> changed = rewriter.commit();
  ASSERT_TRUE(changed);
  EXPECT_FALSE(*changed);
  EXPECT_TRUE(std::ranges::equal(module.words(), before));
}

TEST_F(RewriterTest, KeepsOrderAtOnePlace) {
  Rewriter rewriter(module);
  InstRef load = def(22);
  auto name = [](const char* text) { return Inst(spv::Op::OpModuleProcessed).string(text); };
  InstRef at(3); // OpEntryPoint; the order is what counts here, so the result need not be valid
  rewriter.insertAfter(at, name("d"));
  rewriter.insertBefore(at, name("a"));
  rewriter.insertAfter(at, name("e"));
  rewriter.replace(at, name("c"));
  rewriter.insertBefore(at, name("b"));
  EXPECT_TRUE(rewriter.hasEdits());
  EXPECT_EQ(module.opcode(at), spv::Op::OpEntryPoint); // nothing happens before commit()
  EXPECT_EQ(module.opcode(load), spv::Op::OpLoad);
  ASSERT_TRUE(rewriter.commit());
  std::string order;
  for (uint32_t i = 3; i < 8; ++i) order += module.stringAt(InstRef(i), 1);
  EXPECT_EQ(order, "abcde");
}

TEST_F(RewriterTest, SetsInsertsAndErases) {
  Rewriter rewriter(module);
  Id sum = rewriter.newId();
  EXPECT_EQ(sum.value, 23u);
  rewriter.insertAfter(def(22), Inst(spv::Op::OpFAdd).id(Id(3)).id(sum).id(Id(22)).id(Id(22)));
  InstRef store(def(22).value + 1);
  rewriter.setId(store, 2, sum);
  rewriter.setWord(InstRef(4), 3, 8); // LocalSize 8
  rewriter.erase(def(7));
  commit(rewriter);
  EXPECT_EQ(module.idBound(), 24u);
  EXPECT_EQ(module.opcodeOf(sum), spv::Op::OpFAdd);
  EXPECT_EQ(module.idAt(InstRef(def(22).value + 2), 2), sum);
  EXPECT_EQ(module.word(InstRef(4), 3), 8u);
  EXPECT_FALSE(def(7));
}

TEST_F(RewriterTest, SetWordTwiceTakesTheLast) {
  Rewriter rewriter(module);
  rewriter.setWord(def(7), 3, 8);
  rewriter.setWord(def(7), 3, 9);
  rewriter.insertBefore(def(7), Inst(spv::Op::OpTypeBool).id(rewriter.newId()));
  commit(rewriter);
  EXPECT_EQ(module.word(def(7), 3), 9u);
}

TEST_F(RewriterTest, ReplaceMayChangeTheLength) {
  Rewriter rewriter(module);
  rewriter.replace(def(22),
                   Inst(module.inst(def(22))).word(uint32_t(spv::MemoryAccessMask::Volatile)));
  commit(rewriter);
  EXPECT_EQ(module.wordCount(def(22)), 5u);
}

TEST_F(RewriterTest, StringsArePadded) {
  for (std::string text : {"", "abc", "abcd", "abcde"}) {
    Inst inst = Inst(spv::Op::OpModuleProcessed).string(text);
    std::span<const uint32_t> words = inst.finish();
    EXPECT_EQ(words.size(), 1 + text.size() / 4 + 1) << text;
    EXPECT_EQ(words[0] >> 16, words.size());
    EXPECT_EQ(words.back() >> 24, 0u) << text;
  }
}

TEST_F(RewriterTest, CommitsSeveralTimes) {
  Rewriter rewriter(module);
  Id a = rewriter.uint32Constant(41);
  commit(rewriter);
  Id b = rewriter.uint32Constant(41);
  EXPECT_EQ(a, b);
  EXPECT_FALSE(rewriter.hasEdits());
  Id c = rewriter.uint32Constant(42);
  commit(rewriter);
  EXPECT_EQ(module.word(module.def(c), 3), 42u);
}

/// What is known of an edited module is what is found when it is read anew.
TEST_F(RewriterTest, AnEditedModuleIsIndexedAsOneThatIsRead) {
  const auto expectAsRead = [&](const std::string& what) {
    const Module fresh = read(copy());
    ASSERT_EQ(module.instCount(), fresh.instCount()) << what;
    ASSERT_EQ(module.blockCount(), fresh.blockCount()) << what;
    EXPECT_EQ(module.globals().last, fresh.globals().last) << what;
    for (InstRef i : fresh.insts()) {
      EXPECT_EQ(module.wordOffset(i), fresh.wordOffset(i)) << what;
      EXPECT_EQ(module.blockOf(i), fresh.blockOf(i)) << what << ", instruction " << i.value;
    }
    for (uint32_t id = 1; id < fresh.idBound(); ++id)
      EXPECT_EQ(module.def(Id(id)), fresh.def(Id(id))) << what << ", %" << id;
    for (uint32_t b = 1; b <= fresh.blockCount(); ++b) {
      EXPECT_EQ(module.blockInsts(BlockRef(b)).first, fresh.blockInsts(BlockRef(b)).first) << what;
      EXPECT_EQ(module.terminator(BlockRef(b)), fresh.terminator(BlockRef(b))) << what;
    }
  };
  // Every instruction of the function and every constant in turn, with an edit ahead of it, in it,
  // and behind it.
  const std::vector<uint32_t> words = copy();
  const uint32_t count = module.instCount();
  for (uint32_t n = 1; n <= count; ++n) {
    module = read(words);
    const InstRef i(n);
    Rewriter rewriter(module);
    if (module.opcode(i) == spv::Op::OpConstant) {
      rewriter.setWord(i, 3, 9);
    } else if (module.opcode(i) == spv::Op::OpLoad || module.opcode(i) == spv::Op::OpStore) {
      rewriter.insertBefore(i, Inst(spv::Op::OpNop));
      rewriter.insertAfter(i, Inst(spv::Op::OpNop));
    } else {
      continue;
    }
    rewriter.uint32Constant(100 + n);
    const Result<bool> changed = rewriter.commit();
    ASSERT_TRUE(changed && *changed);
    expectAsRead("edits at " + std::to_string(n));
  }
}

// ---- Declarations ----

TEST_F(RewriterTest, SharesDeclarationsThatStandBefore) {
  Rewriter rewriter(module);
  EXPECT_EQ(rewriter.uint32Type(), Id(6));
  EXPECT_EQ(rewriter.uint32Constant(7), Id(7));
  EXPECT_EQ(rewriter.uint32Constant(7, def(9)), Id(7));
  EXPECT_FALSE(rewriter.hasEdits());
  Id eight = rewriter.uint32Constant(8);
  EXPECT_EQ(rewriter.uint32Constant(8), eight);
  EXPECT_NE(rewriter.constant(Id(8), 8), eight); // int is another type
  EXPECT_NE(rewriter.uint32Constant(7, def(7)),
            Id(7)); // for use in its own place, it stands too late
  commit(rewriter);
  uint32_t constants = 0;
  for (InstRef i : module.globals()) constants += module.opcode(i) == spv::Op::OpConstant;
  EXPECT_EQ(constants, 4u); // 7u twice, 8u and 8
}

TEST_F(RewriterTest, ConstantsAreAsLongAsTheirType) {
  module = read(assemble("OpCapability Shader\nOpCapability Linkage\nOpCapability Int64\n"
                         "OpMemoryModel Logical GLSL450\n"
                         "%1 = OpTypeInt 64 0\n%2 = OpTypeInt 64 1\n%3 = OpConstant %1 7\n"));
  Rewriter rewriter(module);
  const Id eight = rewriter.constant(Id(1), 8), most = rewriter.constant(Id(2), 0xFFFFFFFF);
  EXPECT_EQ(rewriter.constant(Id(1), 8), eight);
  commit(rewriter);
  ASSERT_EQ(module.wordCount(module.def(eight)), 5u);
  EXPECT_EQ(module.word(module.def(eight), 3), 8u);
  EXPECT_EQ(module.word(module.def(eight), 4), 0u);
  ASSERT_EQ(module.wordCount(module.def(most)), 5u);
  EXPECT_EQ(module.word(module.def(most), 4), 0u);
}

TEST_F(RewriterTest, MovesTheTypeThatStandsBehindTheAnchor) {
  Rewriter rewriter(module);
  InstRef anchor = def(4);
  Id type = rewriter.uint32Type(anchor);
  EXPECT_EQ(type, Id(6)); // the same, or the module would have two
  Id seven = rewriter.uint32Constant(7, anchor);
  EXPECT_NE(seven, Id(7)); // stands too late, and a second constant is allowed
  EXPECT_EQ(rewriter.uint32Constant(7), seven);
  commit(rewriter);
  EXPECT_LT(def(6), module.def(seven));
  EXPECT_LT(module.def(seven), def(4));
  EXPECT_LT(def(6), def(7));
}

TEST_F(RewriterTest, MovesTheTypeAgainForAnEarlierAnchor) {
  Rewriter rewriter(module);
  Id a = rewriter.uint32Constant(1, def(9));
  Id b = rewriter.uint32Constant(1, def(4)); // a stands too late for it
  Id c = rewriter.uint32Constant(1, def(3));
  EXPECT_NE(a, b);
  EXPECT_NE(b, c);
  EXPECT_EQ(rewriter.uint32Constant(1, def(9)), c);
  commit(rewriter);
  EXPECT_LT(def(6), module.def(c));
  EXPECT_LT(module.def(c), def(3));
}

TEST_F(RewriterTest, ConstantOfASignedTypeBehindTheAnchor) {
  Rewriter rewriter(module);
  Id minusOne = rewriter.constant(Id(8), 0xFFFFFFFF, def(4));
  commit(rewriter);
  EXPECT_LT(def(8), module.def(minusOne));
  EXPECT_LT(module.def(minusOne), def(4));
}

TEST_F(RewriterTest, DeclaresTheTypeWhereThereIsNone) {
  module = read(assemble("OpCapability Shader OpCapability Linkage OpMemoryModel Logical GLSL450"));
  Rewriter rewriter(module);
  Id five = rewriter.uint32Constant(5); // no function either: behind everything
  Id vector = rewriter.declare({}, [&](Id id) {
    return Inst(spv::Op::OpTypeVector).id(id).id(rewriter.uint32Type()).word(2);
  });
  commit(rewriter);
  EXPECT_EQ(module.opcodeOf(five), spv::Op::OpConstant);
  EXPECT_EQ(module.opcodeOf(vector), spv::Op::OpTypeVector);
}

TEST_F(RewriterTest, AnchorWithinAFunctionMeansBeforeIt) {
  Rewriter rewriter(module);
  Id nine = rewriter.uint32Constant(9, def(22));
  commit(rewriter);
  EXPECT_LT(module.def(nine), def(20));
}

// ---- Faults ----

class RewriterFault : public RewriterTest {
protected:
  /// Commits, expects an error that holds `part` and a module that is as it was.
  void expectFault(Rewriter& rewriter, std::string_view part) {
    std::vector<uint32_t> before = copy();
    Result<bool> changed = rewriter.commit();
    ASSERT_FALSE(changed);
    EXPECT_NE(changed.error().message.find(part), std::string::npos) << changed.error().str();
    EXPECT_TRUE(std::ranges::equal(module.words(), before));
    EXPECT_EQ(module.opcodeOf(Id(22)), spv::Op::OpLoad);
    EXPECT_FALSE(rewriter.hasEdits());
    EXPECT_EQ(rewriter.newId().value, module.idBound());
  }
};

TEST_F(RewriterFault, ResultThatCannotBeRead) {
  Rewriter rewriter(module);
  rewriter.erase(InstRef(def(22).value + 2)); // OpReturn
  expectFault(rewriter, "no terminator");
}

TEST_F(RewriterFault, TwoReplacements) {
  Rewriter rewriter(module);
  rewriter.replace(def(7), Inst(module.inst(def(7))));
  rewriter.replace(def(7), Inst(module.inst(def(7))));
  expectFault(rewriter, "conflicting edits");
}

TEST_F(RewriterFault, ReplaceAndErase) {
  Rewriter rewriter(module);
  rewriter.erase(def(7));
  rewriter.replace(def(7), Inst(module.inst(def(7))));
  expectFault(rewriter, "conflicting edits");
}

TEST_F(RewriterFault, SetWordAndErase) {
  Rewriter rewriter(module);
  rewriter.setWord(def(7), 3, 1);
  rewriter.erase(def(7));
  expectFault(rewriter, "conflicting edits");
}

TEST_F(RewriterFault, InstructionTooLong) {
  Rewriter rewriter(module);
  rewriter.insertBefore(InstRef(3),
                        Inst(spv::Op::OpModuleProcessed).string(std::string(70000 * 4, 'x')));
  expectFault(rewriter, "at most 65535");
}

TEST_F(RewriterFault, IdBoundAboveTheLimit) {
  std::vector<uint32_t> words = copy();
  words[3] = Module::kMaxIdBound;
  module = read(words);
  Rewriter rewriter(module);
  rewriter.uint32Constant(123);
  expectFault(rewriter, "above the limit");
}

} // namespace
} // namespace lanewise
