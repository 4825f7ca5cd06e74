// Random programs of a few workgroups: the interpreter and a reference that takes the memory model
// by its word (race_reference.h) say of the same execution where it races.
#include "interpreted.h"
#include "race_reference.h"
#include "seeds.h"

#include <fmt/format.h>
#include <map>
#include <random>

namespace {

using namespace lanewise;
using namespace lanewise::test;
using reference::Agent;
using reference::Operation;
using reference::Scope;
using reference::What;

constexpr uint32_t kSubgroup = 4, kPlaces = 4, kEverybody = UINT32_MAX;

enum class Do : uint8_t {
  Load,
  Store,
  AtomicLoad,
  AtomicStore,
  AtomicAdd,
  Exchange,
  Fence,
  Barrier
};

/// One instruction of the program, which one invocation or all execute.
struct Step {
  Do what{};
  uint32_t who = kEverybody; ///< GlobalInvocationId
  bool isShared = false;
  uint32_t place = 0;
  bool isOwnPlace = false; ///< behind kPlaces: one for each invocation
  uint32_t value = 0;
  Scope scope{}, execution{};
  uint8_t semantics = 0; ///< 1: buffers, 2: Workgroup memory
  bool acquires = false, releases = false, makesAvailable = true, makesVisible = true;
  bool isPrivate = false, isPublished = true;
};

struct RandomProgram {
  bool isVulkan = false, isReverse = false;
  uint32_t groups = 1, lanes = 4;
  std::vector<Step> steps;
};

class Generator {
public:
  explicit Generator(uint64_t seed) : random_(seed) {}

  RandomProgram make() {
    RandomProgram p;
    p.isVulkan = one(3);
    p.isReverse = one(4);
    p.groups = 1 + below(3);
    p.lanes = one(2) ? 4 : 8;
    // Some programs are of few kinds of operations.
    hasAtomics_ = !one(4);
    hasFences_ = !one(3);
    hasNarrowScopes_ = one(3);
    isWild_ = one(2);
    const uint32_t count = 3 + below(14);
    for (uint32_t n = 0; n < count; ++n) p.steps.push_back(step(p));
    return p;
  }

private:
  uint32_t below(uint32_t end) { return uint32_t(random_() % end); }
  bool one(uint32_t of) { return below(of) == 0; }

  Step step(const RandomProgram& p) {
    Step s;
    const uint32_t kind = below(10);
    s.who = one(4) ? kEverybody : below(p.groups * p.lanes);
    s.isShared = one(3);
    s.place = below(kPlaces);
    s.value = one(3) ? 7 : below(100);
    if (kind < 2 || (kind < 6 && !hasAtomics_)) {
      s.what = one(2) ? Do::Load : Do::Store;
      s.isOwnPlace = one(4);
      s.isPrivate = p.isVulkan && one(8);
      s.isPublished = !p.isVulkan || (!s.isPrivate && one(3));
    } else if (kind < 6) {
      s.what = Do(uint32_t(Do::AtomicLoad) + below(4));
      s.place = below(2);
    } else if (kind < 8 && hasFences_) {
      s.what = Do::Fence;
    } else {
      s.what = Do::Barrier;
      s.who = kEverybody;
      s.execution = one(4) ? Scope::Subgroup : Scope::Workgroup;
    }
    if (s.what >= Do::AtomicLoad) addSemantics(s, p.isVulkan);
    return s;
  }

  void addSemantics(Step& s, bool isVulkan) {
    constexpr Scope kScopes[] = {Scope::Device, Scope::Workgroup, Scope::Subgroup,
                                 Scope::Invocation};
    const bool isBarrier = s.what == Do::Fence || s.what == Do::Barrier;
    // Read-modify-writes of a narrow scope are what the interpreter does not have by the word.
    const bool isModify = s.what == Do::AtomicAdd || s.what == Do::Exchange;
    s.scope = kScopes[isModify ? 0 : hasNarrowScopes_ ? below(4) : isBarrier ? below(2) : 0];
    if (isBarrier && !isWild_ && !one(4)) {
      s.acquires = s.releases = true;
    } else if (!one(4)) {
      s.acquires = one(2) && s.what != Do::AtomicStore;
      s.releases = (one(2) || !s.acquires) && s.what != Do::AtomicLoad;
    }
    if (s.what == Do::Fence && !s.acquires && !s.releases) s.acquires = s.releases = true;
    if (!s.acquires && !s.releases) return;
    s.semantics = uint8_t(one(2) ? 3 : 1 + below(2));
    if (!isVulkan) return;
    s.makesAvailable = s.releases && !one(5);
    s.makesVisible = s.acquires && !one(5);
  }

  std::mt19937_64 random_;
  bool hasAtomics_ = false, hasFences_ = false, hasNarrowScopes_ = false, isWild_ = false;
};

// ----- as SPIR-V -----

class Writer {
public:
  explicit Writer(const RandomProgram& program) : p_(program) {}

  std::string write() {
    for (uint32_t n = 0; n < p_.steps.size(); ++n) writeStep(n);
    std::string constants;
    for (uint32_t value : constants_)
      constants += fmt::format("%u{0} = OpConstant %uint {0}\n", value);
    return fmt::format(R"(
OpCapability Shader
{}
OpMemoryModel Logical {}
OpEntryPoint GLCompute %main "main" %id %index %b %s
OpExecutionMode %main LocalSize {} 1 1
%file = OpString "random"
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %b DescriptorSet 0
OpDecorate %b Binding 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%bool = OpTypeBool
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
{}%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%sharedarray = OpTypeArray %uint %u64
%pid = OpTypePointer Input %uint3
%pindex = OpTypePointer Input %uint
%pblock = OpTypePointer StorageBuffer %block
%pbuffer = OpTypePointer StorageBuffer %uint
%pshared = OpTypePointer Workgroup %sharedarray
%pelement = OpTypePointer Workgroup %uint
%zero = OpConstantNull %sharedarray
%id = OpVariable %pid Input
%index = OpVariable %pindex Input
%b = OpVariable %pblock StorageBuffer
%s = OpVariable %pshared Workgroup %zero
%main = OpFunction %void None %type
%entry = OpLabel
%ids = OpLoad %uint3 %id
%gid = OpCompositeExtract %uint %ids 0
%lid = OpLoad %uint %index
%ownb = OpIAdd %uint %gid %u{}
%owns = OpIAdd %uint %lid %u{}
{}OpReturn
OpFunctionEnd
)",
                       p_.isVulkan ? "OpCapability VulkanMemoryModel\n"
                                     "OpCapability VulkanMemoryModelDeviceScope"
                                   : "",
                       p_.isVulkan ? "Vulkan" : "GLSL450", p_.lanes, constants, kPlaces, kPlaces,
                       body_);
  }

private:
  std::string constant(uint32_t value) {
    constants_.insert(value);
    return fmt::format("%u{}", value);
  }

  std::string scope(Scope scope) {
    constexpr uint32_t kScopes[] = {4, 3, 2, 1};
    return constant(kScopes[uint32_t(scope)]);
  }

  std::string semantics(const Step& s) {
    uint32_t mask = s.acquires && s.releases ? 8 : s.acquires ? 2 : s.releases ? 4 : 0;
    if (s.semantics & 1) mask |= 0x40;
    if (s.semantics & 2) mask |= 0x100;
    if (p_.isVulkan && s.releases && s.makesAvailable) mask |= 0x2000;
    if (p_.isVulkan && s.acquires && s.makesVisible) mask |= 0x4000;
    return constant(mask);
  }

  std::string operands(const Step& s) {
    if (!p_.isVulkan || s.isPrivate) return "";
    if (!s.isPublished) return " NonPrivatePointer";
    return fmt::format(" {}|NonPrivatePointer {}",
                       s.what == Do::Load ? "MakePointerVisible" : "MakePointerAvailable",
                       scope(Scope::Device));
  }

  void writeStep(uint32_t n) {
    const Step& s = p_.steps[n];
    const bool isOne = s.who != kEverybody;
    if (isOne)
      body_ += fmt::format("%is{0} = OpIEqual %bool %gid {1}\n"
                           "OpSelectionMerge %end{0} None\n"
                           "OpBranchConditional %is{0} %do{0} %end{0}\n%do{0} = OpLabel\n",
                           n, constant(s.who));
    body_ += fmt::format("OpLine %file {} 0\n", n + 1) + instruction(n, s);
    if (isOne) body_ += fmt::format("OpBranch %end{0}\n%end{0} = OpLabel\n", n);
  }

  std::string instruction(uint32_t n, const Step& s) {
    if (s.what == Do::Fence)
      return fmt::format("OpMemoryBarrier {} {}\n", scope(s.scope), semantics(s));
    if (s.what == Do::Barrier)
      return fmt::format("OpControlBarrier {} {} {}\n", scope(s.execution), scope(s.scope),
                         semantics(s));
    std::string place = s.isOwnPlace ? s.isShared ? "%owns" : "%ownb" : constant(s.place);
    std::string text =
        s.isShared ? fmt::format("%p{} = OpAccessChain %pelement %s {}\n", n, place)
                   : fmt::format("%p{} = OpAccessChain %pbuffer %b {} {}\n", n, constant(0), place);
    const std::string atomic = fmt::format("%p{} {} {}", n, scope(s.scope), semantics(s));
    switch (s.what) {
    case Do::Load:
      return text + fmt::format("%v{0} = OpLoad %uint %p{0}{1}\n", n, operands(s));
    case Do::Store:
      return text + fmt::format("OpStore %p{} {}{}\n", n, constant(s.value), operands(s));
    case Do::AtomicLoad:
      return text + fmt::format("%v{} = OpAtomicLoad %uint {}\n", n, atomic);
    case Do::AtomicStore:
      return text + fmt::format("OpAtomicStore {} {}\n", atomic, constant(s.value));
    case Do::AtomicAdd:
      return text + fmt::format("%v{} = OpAtomicIAdd %uint {} {}\n", n, atomic, constant(s.value));
    default: // does not write where it is not equal, and then releases nothing
      return text + fmt::format("%v{} = OpAtomicCompareExchange %uint {} {} {} {}\n", n, atomic,
                                unequal(s), constant(s.value), constant(0));
    }
  }

  std::string unequal(Step s) {
    s.releases = false;
    if (!s.acquires) s.semantics = 0;
    return semantics(s);
  }

  const RandomProgram& p_;
  std::set<uint32_t> constants_{64, kPlaces};
  std::string body_;
};

// ----- as the reference sees it -----

class Simulation {
public:
  explicit Simulation(const RandomProgram& program) : p_(program) {
    for (uint32_t n = 0; n < p_.groups; ++n) run(p_.isReverse ? p_.groups - 1 - n : n);
  }

  std::vector<Operation> take() { return std::move(all_); }

private:
  // All invocations pass all barriers, so that nobody is ahead by more than the steps between two.
  void run(uint32_t workgroup) {
    size_t begin = 0;
    while (begin < p_.steps.size()) {
      size_t end = begin;
      while (end < p_.steps.size() && p_.steps[end].what != Do::Barrier) ++end;
      for (uint32_t k = 0; k < p_.lanes; ++k) {
        const uint32_t lane = p_.isReverse ? p_.lanes - 1 - k : k;
        for (size_t n = begin; n < end; ++n)
          if (p_.steps[n].who == kEverybody || p_.steps[n].who == workgroup * p_.lanes + lane)
            execute(uint32_t(n), workgroup, lane);
      }
      if (end < p_.steps.size())
        for (uint32_t lane = 0; lane < p_.lanes; ++lane) execute(uint32_t(end), workgroup, lane);
      begin = end + 1;
    }
  }

  void execute(uint32_t n, uint32_t workgroup, uint32_t lane) {
    const Step& s = p_.steps[n];
    Operation o;
    o.agent = {workgroup, lane, lane / kSubgroup};
    o.step = n;
    o.scope = s.scope, o.semantics = s.semantics;
    o.acquires = s.acquires, o.releases = s.releases;
    o.makesAvailable = s.makesAvailable, o.makesVisible = s.makesVisible;
    if (s.what == Do::Fence) o.what = What::Fence;
    if (s.what == Do::Barrier) {
      o.what = What::Barrier;
      o.execution = s.execution;
      o.instance = (n * p_.groups + workgroup) * p_.lanes;
      if (s.execution == Scope::Subgroup) o.instance += o.agent.subgroup;
    }
    if (o.what == What::Access) access(s, o);
    all_.push_back(o);
  }

  void access(const Step& s, Operation& o) {
    const uint32_t own = s.isShared ? o.agent.lane : o.agent.workgroup * p_.lanes + o.agent.lane;
    const uint32_t place = s.isOwnPlace ? kPlaces + own : s.place;
    o.storage = s.isShared ? 2 : 1;
    o.location = s.isShared ? 1000 * (1 + o.agent.workgroup) + place : place;
    o.isAtomic = s.what >= Do::AtomicLoad;
    o.isPrivate = s.isPrivate;
    o.isAvailable = o.isVisible = s.isPublished;
    auto& [value, writer] = memory_.try_emplace(o.location, 0, -1).first->second;
    o.reads = s.what != Do::Store && s.what != Do::AtomicStore;
    o.writes = s.what != Do::Load && s.what != Do::AtomicLoad;
    o.readsFrom = writer;
    if (s.what == Do::Exchange && value != 0) {
      o.writes = o.releases = false;
      if (!o.acquires) o.semantics = 0;
    }
    o.isModify = o.writes && (s.what == Do::AtomicAdd || s.what == Do::Exchange);
    if (!o.writes) return;
    value = s.what == Do::AtomicAdd ? value + s.value : s.value;
    writer = int(all_.size());
  }

  const RandomProgram& p_;
  std::vector<Operation> all_;
  std::map<uint32_t, std::pair<uint32_t, int>> memory_; ///< value, and who wrote it
};

/// An access of a race: the step, and who executes it.
using Party = std::tuple<uint32_t, uint32_t, uint32_t>;
using Pair = std::set<Party>;

struct Expected {
  std::set<Pair> pairs;
  std::map<uint32_t, std::set<std::set<uint32_t>>> stepsAt; ///< by location: pairs of steps
};

Expected expect(const RandomProgram& program) {
  std::vector<Operation> operations = Simulation(program).take();
  Expected expected;
  for (auto [x, y] : reference::Execution(operations).races()) {
    const Operation &a = operations[x], &b = operations[y];
    expected.pairs.insert({Party{a.step, a.agent.workgroup, a.agent.lane},
                           Party{b.step, b.agent.workgroup, b.agent.lane}});
    expected.stepsAt[a.location].insert({a.step, b.step});
  }
  return expected;
}

// A race of one location may hide another one there, whose accesses it would be ordered before.
void compare(const RandomProgram& program, const std::string& text) {
  Interpreted it;
  it.buffers = {std::vector<uint32_t>(64)};
  it.groups = {program.groups, 1, 1};
  it.options.subgroupSize = kSubgroup;
  if (program.isReverse) it.options.order = interp::LaneOrder::Reverse;
  ASSERT_TRUE(it.run(assemble(text)));
  Expected expected = expect(program);
  std::set<std::set<uint32_t>> found;
  for (const interp::Finding& f : it.result.findings) {
    const uint32_t a = it.program->location(f.at.site).line - 1;
    const uint32_t b = it.program->location(f.other.site).line - 1;
    EXPECT_TRUE(expected.pairs.count(
        {Party{a, f.at.workgroup, f.at.lane}, Party{b, f.other.workgroup, f.other.lane}}))
        << "no race: " << interp::describe(*it.program, f);
    found.insert({a, b});
  }
  for (const auto& [location, pairs] : expected.stepsAt) {
    bool isFound = false;
    for (const std::set<uint32_t>& steps : pairs) isFound |= found.count(steps) != 0;
    if (isFound) continue;
    std::string lines;
    for (const std::set<uint32_t>& steps : pairs)
      lines += fmt::format(" {}-{}", *steps.begin() + 1, *steps.rbegin() + 1);
    ADD_FAILURE() << "missed: location " << location << ", lines" << lines << "; found:\n"
                  << it.findings() << (program.isReverse ? "in reverse" : "");
  }
}

TEST(InterpreterRaces, RandomProgramsAgainstTheMemoryModel) {
  const test::Seeds seeds(1500, 0);
  uint32_t racing = 0;
  for (uint32_t seed : seeds) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomProgram program = Generator(seed).make();
    std::string text = Writer(program).write();
    compare(program, text);
    racing += !expect(program).pairs.empty();
    if (HasFailure()) {
      std::printf("%s\n", text.c_str());
      return;
    }
  }
  // Both kinds are there.
  EXPECT_GT(racing, seeds.count() / 5);
  EXPECT_LT(racing, seeds.count() / 5 * 4);
}

} // namespace
