// Subgroup operations over the lanes that are there together (SPIR-V 3.42.24, Group and Subgroup
// Instructions). Lanes are known by their place in the subgroup; ballots have four 32-bit words.
#include "verify/formats/float_bits.h"
#include "verify/interpreter/run/arithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lanewise::driver::interpreter {
namespace {

using S = spv::Op;

class GroupRun {
public:
  GroupRun(std::span<Lane* const> lanes, const GroupInfo& group, uint32_t subgroupSize,
           const Instr& inst)
      : lanes_(lanes), group_(group), size_(subgroupSize), site_(inst.site),
        bySubgroupLane_(kMaxSubgroupSize) {
    for (Lane* lane : lanes) bySubgroupLane_[lane->subgroupLane] = lane;
  }

  void run() {
    switch (group_.opcode) {
    case S::OpGroupNonUniformElect:
      for (Lane* lane : lanes_) give(*lane, lane == lanes_[0]);
      return;
    case S::OpGroupNonUniformAll:
    case S::OpGroupNonUniformAny:
    case S::OpGroupNonUniformAllEqual:
      return vote();
    case S::OpGroupNonUniformBallot:
      return ballot();
    case S::OpGroupNonUniformInverseBallot:
    case S::OpGroupNonUniformBallotBitExtract:
    case S::OpGroupNonUniformBallotBitCount:
    case S::OpGroupNonUniformBallotFindLSB:
    case S::OpGroupNonUniformBallotFindMSB:
      return ballotBits();
    case S::OpGroupNonUniformBroadcast:
    case S::OpGroupNonUniformBroadcastFirst:
    case S::OpGroupNonUniformShuffle:
    case S::OpGroupNonUniformShuffleXor:
    case S::OpGroupNonUniformShuffleUp:
    case S::OpGroupNonUniformShuffleDown:
    case S::OpGroupNonUniformRotateKHR:
    case S::OpGroupNonUniformQuadBroadcast:
    case S::OpGroupNonUniformQuadSwap:
      return shuffle();
    default:
      return reduce();
    }
  }

private:
  void give(Lane& lane, uint64_t value, uint32_t mark = 0) {
    lane.cells[group_.result] = value;
    lane.marks[group_.result] = mark;
  }

  uint32_t anyMark() const {
    for (Lane* lane : lanes_)
      for (uint32_t n = 0; n < group_.valueCells; ++n)
        if (uint32_t mark = lane->marks[group_.value + n]) return mark;
    return 0;
  }

  void vote() {
    bool all = true, any = false, equal = true;
    for (Lane* lane : lanes_) {
      bool isSet = lane->cells[group_.value] != 0;
      all &= isSet;
      any |= isSet;
      for (uint32_t n = 0; n < group_.valueCells; ++n)
        equal &= isSame(lane->cells[group_.value + n], lanes_[0]->cells[group_.value + n]);
    }
    bool result = group_.opcode == S::OpGroupNonUniformAll   ? all
                  : group_.opcode == S::OpGroupNonUniformAny ? any
                                                             : equal;
    uint32_t mark = anyMark();
    for (Lane* lane : lanes_) give(*lane, result, mark);
  }

  static bool isSame(uint64_t x, uint64_t y) { return x == y; }

  void ballot() {
    std::array<uint64_t, 4> words{};
    for (Lane* lane : lanes_)
      if (lane->cells[group_.value])
        words[lane->subgroupLane / 32] |= uint64_t(1) << (lane->subgroupLane % 32);
    uint32_t mark = anyMark();
    for (Lane* lane : lanes_)
      for (uint32_t n = 0; n < group_.resultCells && n < 4; ++n) {
        lane->cells[group_.result + n] = words[n];
        lane->marks[group_.result + n] = mark;
      }
  }

  // Only the bits that stand for lanes of the subgroup count.
  void ballotBits() {
    for (Lane* lane : lanes_) {
      std::vector<uint32_t> set; // places of the bits
      uint32_t mark = 0;
      for (uint32_t n = 0; n < group_.valueCells; ++n)
        if (lane->marks[group_.value + n]) mark = lane->marks[group_.value + n];
      for (uint32_t bit = 0; bit < size_ && bit / 32 < group_.valueCells; ++bit)
        if (lane->cells[group_.value + bit / 32] >> (bit % 32) & 1) set.push_back(bit);
      give(*lane, ballotResult(*lane, set, mark), mark);
    }
  }

  uint64_t ballotResult(const Lane& lane, const std::vector<uint32_t>& set, uint32_t& mark) const {
    uint32_t self = lane.subgroupLane;
    auto has = [&](uint64_t bit) {
      return std::find(set.begin(), set.end(), uint32_t(bit)) != set.end();
    };
    switch (group_.opcode) {
    case S::OpGroupNonUniformInverseBallot:
      return has(self);
    case S::OpGroupNonUniformBallotBitExtract:
      if (!mark) mark = lane.marks[group_.index];
      if (!mark && lane.cells[group_.index] >= size_) mark = site_;
      return has(lane.cells[group_.index]);
    case S::OpGroupNonUniformBallotBitCount: {
      if (group_.operation == spv::GroupOperation::Reduce) return set.size();
      uint64_t end = group_.operation == spv::GroupOperation::InclusiveScan ? self + 1 : self;
      return uint64_t(std::count_if(set.begin(), set.end(), [=](uint32_t b) { return b < end; }));
    }
    default: // FindLSB, FindMSB: of no bits the result is undefined
      if (set.empty() && !mark) mark = site_;
      if (set.empty()) return 0;
      return group_.opcode == S::OpGroupNonUniformBallotFindLSB ? set.front() : set.back();
    }
  }

  // Place of the lane whose value `lane` takes.
  uint64_t sourceOf(const Lane& lane) const {
    uint64_t self = lane.subgroupLane, index = group_.index ? lane.cells[group_.index] : 0;
    switch (group_.opcode) {
    case S::OpGroupNonUniformBroadcastFirst:
      return lanes_[0]->subgroupLane;
    case S::OpGroupNonUniformShuffleXor:
      return self ^ index;
    case S::OpGroupNonUniformShuffleUp:
      return self - index;
    case S::OpGroupNonUniformShuffleDown:
      return self + index;
    case S::OpGroupNonUniformRotateKHR: {
      uint64_t cluster = group_.cluster ? group_.cluster : size_;
      return self / cluster * cluster + (self + index) % cluster;
    }
    case S::OpGroupNonUniformQuadBroadcast:
      return index < 4 ? self / 4 * 4 + index : UINT64_MAX;
    case S::OpGroupNonUniformQuadSwap: // horizontal, vertical, diagonal
      return index < 3 ? self ^ (index + 1) : UINT64_MAX;
    default:
      return index;
    }
  }

  // The value of a lane that is not there is undefined.
  void shuffle() {
    std::vector<uint64_t> cells;
    std::vector<uint32_t> marks;
    for (Lane* lane : lanes_) {
      uint64_t source = sourceOf(*lane);
      const Lane* from =
          source < size_ && source < kMaxSubgroupSize ? bySubgroupLane_[source] : nullptr;
      uint32_t mark = group_.index ? lane->marks[group_.index] : 0;
      if (!from && !mark) mark = site_;
      for (uint32_t n = 0; n < group_.resultCells; ++n) {
        cells.push_back(from ? from->cells[group_.value + n] : 0);
        marks.push_back(mark ? mark : from->marks[group_.value + n]);
      }
    }
    for (size_t k = 0; k < lanes_.size(); ++k)
      for (uint32_t n = 0; n < group_.resultCells; ++n) {
        lanes_[k]->cells[group_.result + n] = cells[k * group_.resultCells + n];
        lanes_[k]->marks[group_.result + n] = marks[k * group_.resultCells + n];
      }
  }

  uint64_t identity() const {
    const uint64_t ones = wrapped(~uint64_t(0), group_.width);
    switch (group_.opcode) {
    case S::OpGroupNonUniformIMul:
    case S::OpGroupNonUniformLogicalAnd:
      return 1;
    case S::OpGroupNonUniformFMul:
      return encodeFloat(group_.width, 1);
    case S::OpGroupNonUniformSMin:
      return ones >> 1;
    case S::OpGroupNonUniformSMax:
      return uint64_t(1) << (group_.width - 1);
    case S::OpGroupNonUniformUMin:
    case S::OpGroupNonUniformBitwiseAnd:
      return ones;
    case S::OpGroupNonUniformFMin:
      return encodeFloat(group_.width, HUGE_VAL);
    case S::OpGroupNonUniformFMax:
      return encodeFloat(group_.width, -HUGE_VAL);
    default:
      return 0;
    }
  }

  uint64_t combine(uint64_t x, uint64_t y) const {
    const uint32_t width = group_.width;
    auto with = [&](S op) { return evaluateBinary(op, width, x, y).bits; };
    switch (group_.opcode) {
    case S::OpGroupNonUniformIAdd:
      return with(S::OpIAdd);
    case S::OpGroupNonUniformFAdd:
      return floatArithmetic(FloatOperation::Add, width, x, y);
    case S::OpGroupNonUniformIMul:
      return with(S::OpIMul);
    case S::OpGroupNonUniformFMul:
      return floatArithmetic(FloatOperation::Mul, width, x, y);
    case S::OpGroupNonUniformSMin:
    case S::OpGroupNonUniformUMin:
      return smallerOf(group_.opcode == S::OpGroupNonUniformSMin, width, x, y);
    case S::OpGroupNonUniformSMax:
    case S::OpGroupNonUniformUMax:
      return largerOf(group_.opcode == S::OpGroupNonUniformSMax, width, x, y);
    case S::OpGroupNonUniformFMin:
    case S::OpGroupNonUniformFMax: {
      if (isNan(width, x)) return y;
      if (isNan(width, y)) return x;
      bool isLess = decodeFloat(width, y) < decodeFloat(width, x);
      return isLess == (group_.opcode == S::OpGroupNonUniformFMin) ? y : x;
    }
    case S::OpGroupNonUniformBitwiseAnd:
    case S::OpGroupNonUniformLogicalAnd:
      return with(S::OpBitwiseAnd);
    case S::OpGroupNonUniformBitwiseOr:
    case S::OpGroupNonUniformLogicalOr:
      return with(S::OpBitwiseOr);
    default: // BitwiseXor, LogicalXor
      return with(S::OpBitwiseXor);
    }
  }

  void reduce() {
    uint32_t cluster = group_.operation == spv::GroupOperation::ClusteredReduce && group_.cluster
                           ? group_.cluster
                           : kMaxSubgroupSize;
    bool isScan = group_.operation == spv::GroupOperation::InclusiveScan ||
                  group_.operation == spv::GroupOperation::ExclusiveScan;
    for (uint32_t n = 0; n < group_.resultCells; ++n) {
      std::vector<uint64_t> values;
      std::vector<uint32_t> marks;
      for (size_t k = 0; k < lanes_.size(); ++k) {
        uint64_t value = identity();
        uint32_t mark = 0;
        for (size_t from = 0; from < lanes_.size(); ++from) {
          const Lane& other = *lanes_[from];
          if (other.subgroupLane / cluster != lanes_[k]->subgroupLane / cluster) continue;
          if (isScan && from > k) break;
          if (from == k && group_.operation == spv::GroupOperation::ExclusiveScan) break;
          value = combine(value, other.cells[group_.value + n]);
          if (!mark) mark = other.marks[group_.value + n];
        }
        values.push_back(value);
        marks.push_back(mark);
      }
      for (size_t k = 0; k < lanes_.size(); ++k) {
        lanes_[k]->cells[group_.result + n] = values[k];
        lanes_[k]->marks[group_.result + n] = marks[k];
      }
    }
  }

  std::span<Lane* const> lanes_; ///< ascending
  const GroupInfo& group_;
  uint32_t size_, site_;
  std::vector<const Lane*> bySubgroupLane_;
};

} // namespace

void runGroup(std::span<Lane* const> lanes, const GroupInfo& group, uint32_t subgroupSize,
              const Instr& inst) {
  GroupRun(lanes, group, subgroupSize, inst).run();
}

} // namespace lanewise::driver::interpreter
