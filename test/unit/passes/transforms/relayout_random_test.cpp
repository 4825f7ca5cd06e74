// Random kernels under random layouts. What AccessPattern says an access costs must be what a
// brute-force count over the addresses of the *rewritten* module gives: its index arithmetic is
// interpreted lane by lane and its types are measured here, so that neither AddressForm nor
// SharedLayout is asked. The same addresses show that the rewrite is one-to-one and stays inside.
#include "analysis/module/entry_points.h"
#include "analysis/module/types.h"
#include "analysis/shared_memory/access_pattern.h"
#include "analysis/shared_memory/layout_search.h"
#include "analysis/shared_memory/shared_layout.h"
#include "analysis/shared_memory/shared_variables.h"
#include "analysis/values/lane_values.h"
#include "ir/rewriter.h"
#include "random_shared_kernel.h"
#include "seeds.h"
#include "subject.h"
#include "transforms/relayout_shared.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace lanewise {
namespace {
using test::kBound;
using test::Lane;
using test::RandomSharedKernel;
using test::Setup;

/// Interprets the main function of a kernel, lane by lane, and measures its types.
class Interpreter {
public:
  Interpreter(test::Subject& subject, uint32_t vec3Stride, uint32_t moreSpec)
      : module_(subject.module()), types_(subject.analyses().get<Types>()), vec3Stride_(vec3Stride),
        moreSpec_(moreSpec) {
    for (InstRef i : module_.insts()) {
      if (module_.blockOf(i))
        body_.push_back(i);
      else if (module_.opcode(i) == spv::Op::OpVariable)
        variables_[module_.resultId(i)] = {0, types_.info(module_.resultType(i)).element};
    }
  }

  struct Access {
    uint64_t address, bytes;
  };

  /// What each load of a lane reads, in module order.
  std::vector<Access> run(Lane lane, uint32_t iteration) {
    values_.clear();
    Pointers pointers = variables_;
    std::vector<Access> accesses;
    for (InstRef i : body_) {
      const Id result = module_.resultId(i), type = module_.resultType(i);
      auto operand = [&](uint32_t word) { return value(module_.idAt(i, word)); };
      switch (module_.opcode(i)) {
      case spv::Op::OpCompositeExtract:
        set(i, lane[module_.word(i, 4)]);
        break;
      case spv::Op::OpPhi:
        set(i, iteration);
        break;
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain: {
        auto [address, pointee] = pointers.at(module_.idAt(i, 3));
        for (uint32_t word = 4; word < module_.wordCount(i); ++word)
          step(address, pointee, asSigned(module_.idAt(i, word)));
        EXPECT_EQ(pointee, types_.info(type).element) << "the chain ends elsewhere";
        pointers[result] = {address, pointee};
        break;
      }
      case spv::Op::OpCopyObject:
        pointers[result] = pointers.at(module_.idAt(i, 3));
        break;
      case spv::Op::OpLoad:
        if (types_.storageOf(module_.idAt(i, 3)) == spv::StorageClass::Workgroup)
          accesses.push_back({pointers.at(module_.idAt(i, 3)).first, layout(type).size});
        break;
      case spv::Op::OpIAdd:
      case spv::Op::OpIMul:
      case spv::Op::OpUMod:
      case spv::Op::OpBitwiseAnd:
      case spv::Op::OpBitwiseXor:
      case spv::Op::OpShiftRightLogical:
        set(i, binary(module_.opcode(i), operand(3), operand(4)));
        break;
      case spv::Op::OpBitcast:
      case spv::Op::OpUConvert:
        set(i, operand(3));
        break;
      case spv::Op::OpSConvert:
        set(i, uint64_t(asSigned(module_.idAt(i, 3))));
        break;
      default:
        break;
      }
    }
    return accesses;
  }

  const SizeAlign& layout(Id type) {
    const auto [known, isNew] = layouts_.try_emplace(type);
    if (isNew) known->second = measure(type);
    return known->second;
  }

private:
  using Pointers = std::map<Id, std::pair<uint64_t, Id>>; ///< address, pointee

  SizeAlign measure(Id type) {
    const TypeInfo& info = types_.info(type);
    switch (info.kind) {
    case TypeInfo::Kind::Vector: {
      const uint64_t scalar = layout(info.element).size;
      if (info.count == 3 && vec3Stride_ == 12) return {3 * scalar, uint32_t(scalar)};
      if (info.count == 3) return {4 * scalar, uint32_t(4 * scalar)};
      return {info.count * scalar, uint32_t(info.count * scalar)};
    }
    case TypeInfo::Kind::Matrix:
      return {info.count * strideOf(info.element), layout(info.element).align};
    case TypeInfo::Kind::Array:
      return {value(info.length) * strideOf(info.element), layout(info.element).align};
    case TypeInfo::Kind::Struct:
      return {memberOffset(type, info.count), structAlign(type)};
    default:
      return {info.width / 8, info.width / 8};
    }
  }

  uint64_t strideOf(Id type) {
    const SizeAlign s = layout(type);
    return (s.size + s.align - 1) / s.align * s.align;
  }
  uint32_t structAlign(Id type) {
    uint32_t align = 1;
    for (uint32_t m = 0; m < types_.info(type).count; ++m)
      align = std::max(align, layout(types_.member(type, m)).align);
    return align;
  }
  /// Of the end of the struct when there is no such member.
  uint64_t memberOffset(Id type, uint32_t member) {
    uint64_t offset = 0;
    for (uint32_t m = 0;; ++m) {
      const bool isEnd = m == types_.info(type).count;
      const uint32_t align = isEnd ? structAlign(type) : layout(types_.member(type, m)).align;
      while (offset % align != 0) ++offset;
      if (m == member) return offset;
      offset += layout(types_.member(type, m)).size;
    }
  }
  void step(uint64_t& address, Id& type, int64_t index) {
    const TypeInfo& info = types_.info(type);
    if (info.kind == TypeInfo::Kind::Struct) {
      address += memberOffset(type, uint32_t(index));
      type = types_.member(type, uint32_t(index));
      return;
    }
    EXPECT_GE(index, 0);
    EXPECT_LT(uint64_t(index),
              info.kind == TypeInfo::Kind::Array ? value(info.length) : uint64_t(info.count));
    address += uint64_t(index) * (info.kind == TypeInfo::Kind::Vector ? layout(info.element).size
                                                                      : strideOf(info.element));
    type = info.element;
  }

  uint64_t cut(uint64_t v, Id type) const {
    const uint32_t width = types_.info(type).width;
    return width >= 64 ? v : v & ((uint64_t(1) << width) - 1);
  }
  void set(InstRef i, uint64_t v) { values_[module_.resultId(i)] = cut(v, module_.resultType(i)); }
  /// As OpAccessChain takes its indices; unsigned narrow ones are small here.
  int64_t asSigned(Id id) {
    const uint32_t width = types_.info(module_.typeOf(id)).width;
    return int64_t(value(id) << (64 - width)) >> (64 - width);
  }
  static uint64_t binary(spv::Op op, uint64_t a, uint64_t b) {
    switch (op) {
    case spv::Op::OpIAdd:
      return a + b;
    case spv::Op::OpISub:
      return a - b;
    case spv::Op::OpIMul:
      return a * b;
    case spv::Op::OpUMod:
      return a % b;
    case spv::Op::OpBitwiseAnd:
      return a & b;
    case spv::Op::OpBitwiseXor:
      return a ^ b;
    case spv::Op::OpShiftRightLogical:
      return a >> b;
    default:
      ADD_FAILURE() << "unknown operation";
      return 0;
    }
  }
  uint64_t value(Id id) {
    if (const auto known = values_.find(id); known != values_.end()) return known->second;
    if (const auto known = constants_.find(id); known != constants_.end()) return known->second;
    const InstRef i = module_.def(id);
    uint64_t v = 0;
    switch (module_.opcode(i)) {
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant:
      v = module_.word(i, 3);
      if (module_.wordCount(i) > 4) v |= uint64_t(module_.word(i, 4)) << 32;
      if (module_.opcode(i) == spv::Op::OpSpecConstant) v += moreSpec_;
      break;
    case spv::Op::OpSpecConstantOp:
      v = binary(spv::Op(module_.word(i, 3)), value(module_.idAt(i, 4)), value(module_.idAt(i, 5)));
      break;
    default:
      ADD_FAILURE() << "no value of %" << id.value;
    }
    return constants_[id] = cut(v, module_.typeOf(id));
  }

  const Module& module_;
  const Types& types_;
  const uint32_t vec3Stride_;
  const uint32_t moreSpec_; ///< added to every specialization constant
  std::vector<InstRef> body_;
  Pointers variables_;
  std::map<Id, SizeAlign> layouts_;
  std::map<Id, uint64_t> values_, constants_; ///< of the lane, and of all
};

struct Brute {
  double cycles = 0;
  uint32_t degree = 0;
  std::vector<Interpreter::Access> accesses; ///< of all lanes and iterations, in order
};

/// The cost of each load of a kernel by the rules in bank_conflicts.h: of each phase, the most
/// different words of one bank.
class BruteForce {
public:
  BruteForce(test::Subject& subject, const Setup& setup, const TargetProfile& target,
             uint32_t moreSpec)
      : setup_(setup), target_(target) {
    Interpreter interpreter(subject, target.vec3Stride, moreSpec);
    const uint32_t lanes = setup.size[0] * setup.size[1] * setup.size[2];
    uint32_t subgroups = 0;
    for (uint32_t iteration = 0; iteration < setup.trips; ++iteration)
      for (uint32_t first = 0; first < lanes; first += 32) {
        std::map<uint32_t, std::vector<Interpreter::Access>> byLane;
        for (uint32_t n = first; n < std::min(first + 32, lanes); ++n) {
          const Lane lane{n % setup.size[0], n / setup.size[0] % setup.size[1],
                          n / (setup.size[0] * setup.size[1])};
          if (lane[0] < setup.guard) byLane[n - first] = interpreter.run(lane, iteration);
        }
        if (byLane.empty()) continue;
        ++subgroups;
        loads.resize(byLane.begin()->second.size());
        for (size_t load = 0; load < loads.size(); ++load) add(load, byLane);
      }
    for (Brute& b : loads) b.cycles /= subgroups;
  }

  std::vector<Brute> loads;

private:
  void add(size_t load, const std::map<uint32_t, std::vector<Interpreter::Access>>& byLane) {
    const uint64_t bytes = byLane.begin()->second[load].bytes;
    for (const auto& [lane, accesses] : byLane) loads[load].accesses.push_back(accesses[load]);
    for (uint64_t part = 0; part < bytes; part += 16) {
      const uint64_t width = std::min<uint64_t>(bytes - part, 16);
      const uint32_t together = width > 8 ? 8 : width > 4 ? 16 : 32;
      for (uint32_t phase = 0; phase < 32; phase += together) {
        std::map<uint64_t, std::set<uint64_t>> words; // by bank
        for (const auto& [lane, accesses] : byLane)
          if (lane >= phase && lane < phase + together)
            for (uint64_t b = 0; b < width; ++b) {
              const uint64_t word = (accesses[load].address + part + b) / target_.bankBytes;
              words[word % target_.banks].insert(word);
            }
        uint32_t degree = 0;
        for (const auto& [bank, asked] : words) degree = std::max(degree, uint32_t(asked.size()));
        loads[load].degree = std::max(loads[load].degree, degree);
        loads[load].cycles += degree;
      }
    }
  }

  const Setup& setup_;
  const TargetProfile& target_;
};

struct PatternCounts {
  size_t costs = 0, mapped = 0, conflicts = 0, noPattern = 0, specSized = 0;
};

void expectCosts(const std::vector<Brute>& brute, const SharedVariable& variable,
                 const std::vector<std::optional<AccessPattern>>& patterns,
                 const SharedLayout& layout, const TargetProfile& target, PatternCounts& counts) {
  ASSERT_EQ(brute.size(), patterns.size());
  for (size_t n = 0; n < patterns.size(); ++n) {
    const AddressForm form = addressForm(variable, layout, variable.accesses[n].node);
    if (!patterns[n]) {
      ++counts.noPattern;
      continue;
    }
    const AccessCost cost = patterns[n]->cost(target, form);
    EXPECT_EQ(cost.degree, brute[n].degree) << "access " << n;
    EXPECT_NEAR(cost.cycles, brute[n].cycles, 1e-9) << "access " << n;
    ++counts.costs;
    counts.mapped += !form.isLinear;
    counts.conflicts += cost.degree > 1;
  }
}

/// Every byte goes to a byte of its own, inside the variable, and whole accesses stay whole.
void expectOneToOne(const std::vector<Brute>& before, const std::vector<Brute>& after,
                    uint64_t size) {
  ASSERT_EQ(before.size(), after.size());
  std::map<uint64_t, uint64_t> to, from;
  for (size_t n = 0; n < before.size(); ++n) {
    ASSERT_EQ(before[n].accesses.size(), after[n].accesses.size());
    for (size_t a = 0; a < before[n].accesses.size(); ++a) {
      const auto &x = before[n].accesses[a], &y = after[n].accesses[a];
      ASSERT_EQ(x.bytes, y.bytes);
      ASSERT_LE(y.address + y.bytes, size);
      for (uint64_t b = 0; b < x.bytes; ++b) {
        ASSERT_EQ(to.try_emplace(x.address + b, y.address + b).first->second, y.address + b);
        ASSERT_EQ(from.try_emplace(y.address + b, x.address + b).first->second, x.address + b);
      }
    }
  }
}

constexpr spv_target_env kEnvironments[] = {SPV_ENV_UNIVERSAL_1_0, SPV_ENV_UNIVERSAL_1_3,
                                            SPV_ENV_UNIVERSAL_1_5, SPV_ENV_UNIVERSAL_1_6};

void checkKernel(uint32_t seed, PatternCounts& counts) {
  RandomSharedKernel kernel(seed);
  const spv_target_env env = kEnvironments[seed % 4];
  const std::string text = kernel.text(seed % 4 >= 2);
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text);
  test::Subject subject(text, {}, env);
  ASSERT_TRUE(test::validate(subject.module().words(), env));
  TargetProfile target;
  target.vec3Stride = seed % 3 == 0 ? 12 : 16;
  const Setup& setup = kernel.setup();
  std::vector<SharedVariable> variables = collectSharedVariables(subject.analyses(), target);
  ASSERT_EQ(variables.size(), 1u);
  const SharedVariable& variable = variables.front();
  ASSERT_TRUE(variable.obstacles.empty());
  Affine affine(subject.analyses(), setup.size);
  LaneValues values(affine, setup.size, target.subgroupSize);
  std::vector<std::optional<AccessPattern>> patterns;
  for (const SharedAccess& access : variable.accesses)
    patterns.push_back(
        AccessPattern::build(subject.analyses(), affine, values, variable, access, target));
  const SharedLayout original(variable), changed = kernel.layout(variable);
  const Id id = variable.id;
  auto sizeOf = [&](uint32_t moreSpec) {
    return Interpreter(subject, target.vec3Stride, moreSpec)
        .layout(subject.analyses().get<Types>().pointee(id))
        .size;
  };
  EXPECT_EQ(original.bytes(), sizeOf(0));
  const std::vector<Brute> before = BruteForce(subject, setup, target, 0).loads;
  const std::vector<Brute> moreBefore = BruteForce(subject, setup, target, 3).loads;
  expectCosts(before, variable, patterns, original, target, counts);
  if (changed.isSameAs(original)) return;

  Rewriter rewriter(subject.module());
  const EntryPoint* entry = &subject.analyses().get<EntryPoints>().all().front();
  IndexSplitter splitter(subject.analyses(), std::span(&entry, 1),
                         [&](const EntryPoint&) -> Affine& { return affine; });
  relayoutShared(subject.analyses(), rewriter, variable, changed, splitter);
  const Result<bool> done = rewriter.commit();
  ASSERT_TRUE(done) << done.error().str();
  subject.analyses().invalidateExcept(PreservedAnalyses::none());
  SCOPED_TRACE(test::disassemble(subject.module().words(), env));
  ASSERT_TRUE(test::validate(subject.module().words(), env));
  EXPECT_EQ(changed.bytes(), sizeOf(0));
  EXPECT_EQ(changed.bytes(),
            subject.analyses()
                .get<Types>()
                .naturalLayout(subject.analyses().get<Types>().pointee(id), target.vec3Stride)
                ->size);
  const std::vector<Brute> after = BruteForce(subject, setup, target, 0).loads;
  expectCosts(after, variable, patterns, changed, target, counts);
  expectOneToOne(before, after, changed.bytes());
  // Another specialization than the one that was looked at.
  const uint64_t more = sizeOf(3);
  counts.specSized += more != changed.bytes();
  expectOneToOne(moreBefore, BruteForce(subject, setup, target, 3).loads, more);
}

TEST(RelayoutRandom, CostsAreThoseOfTheRewrittenModule) {
  PatternCounts counts;
  for (uint32_t seed : test::Seeds(700, 1100)) checkKernel(seed, counts);
  if (HasFailure()) return;
  // The test would prove little if few accesses were counted, mapped or in conflict.
  EXPECT_GT(counts.costs, 1500u);
  EXPECT_GT(counts.mapped, 200u);
  EXPECT_GT(counts.conflicts, 500u);
  EXPECT_GT(counts.specSized, 30u);
  EXPECT_LT(counts.noPattern, counts.costs / 5);
}

} // namespace
} // namespace lanewise
