// Lowers what lanes do together: barriers and subgroup operations.
#include "verify/interpreter/lower/lowering.h"

namespace lanewise::driver::interpreter {
namespace {

using S = spv::Op;

bool isVotedOrBallot(S op) {
  switch (op) {
  case S::OpGroupNonUniformElect:
  case S::OpGroupNonUniformAll:
  case S::OpGroupNonUniformAny:
  case S::OpGroupNonUniformAllEqual:
  case S::OpGroupNonUniformBroadcast:
  case S::OpGroupNonUniformBroadcastFirst:
  case S::OpGroupNonUniformBallot:
  case S::OpGroupNonUniformInverseBallot:
  case S::OpGroupNonUniformBallotBitExtract:
  case S::OpGroupNonUniformBallotBitCount:
  case S::OpGroupNonUniformBallotFindLSB:
  case S::OpGroupNonUniformBallotFindMSB:
  case S::OpGroupNonUniformShuffle:
  case S::OpGroupNonUniformShuffleXor:
  case S::OpGroupNonUniformShuffleUp:
  case S::OpGroupNonUniformShuffleDown:
  case S::OpGroupNonUniformRotateKHR:
  case S::OpGroupNonUniformQuadBroadcast:
  case S::OpGroupNonUniformQuadSwap:
    return true;
  default:
    return false;
  }
}

// The operations of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote, older names of the same.
S modernOf(S op) {
  switch (op) {
  case S::OpSubgroupBallotKHR:
    return S::OpGroupNonUniformBallot;
  case S::OpSubgroupFirstInvocationKHR:
    return S::OpGroupNonUniformBroadcastFirst;
  case S::OpSubgroupAllKHR:
    return S::OpGroupNonUniformAll;
  case S::OpSubgroupAnyKHR:
    return S::OpGroupNonUniformAny;
  case S::OpSubgroupAllEqualKHR:
    return S::OpGroupNonUniformAllEqual;
  case S::OpSubgroupReadInvocationKHR:
    return S::OpGroupNonUniformBroadcast;
  default:
    return S::OpNop;
  }
}

} // namespace

uint32_t ModuleLowering::constantOr(Id id, uint32_t otherwise) const {
  auto value = constants_->value(id);
  return value ? uint32_t(value->bits) : otherwise;
}

void ModuleLowering::lowerBarrier(InstRef i) {
  bool isControl = module_->opcode(i) == S::OpControlBarrier;
  BarrierInfo info;
  if (isControl) info.execution = levelOf(module_->idAt(i, 1));
  info.memory = orderingOf(module_->idAt(i, 1u + isControl), module_->idAt(i, 2u + isControl));
  uint32_t index = uint32_t(program_->barriers.size());
  program_->barriers.push_back(info);
  if (info.execution == Level::Subgroup) {
    GroupInfo group;
    group.opcode = S::OpControlBarrier;
    group.barrier = int32_t(index);
    index = uint32_t(program_->groups.size());
    program_->groups.push_back(group);
    emit(Op::Group, i).aux = index;
    return;
  }
  if (isControl && info.execution != Level::Workgroup)
    return refuse("OpControlBarrier of a scope other than the workgroup or the subgroup");
  emit(isControl ? Op::ControlBarrier : Op::MemoryBarrier, i).aux = index;
}

bool ModuleLowering::lowerGroupOp(InstRef i, S op) {
  if (op == S::OpControlBarrier || op == S::OpMemoryBarrier) {
    lowerBarrier(i);
    return true;
  }
  S modern = modernOf(op);
  if (modern == S::OpNop && !isVotedOrBallot(op) && !isGroupReduction(op)) return false;
  GroupInfo group;
  group.opcode = modern == S::OpNop ? op : modern;
  uint32_t w = 3;
  if (modern == S::OpNop) {
    if (constantOr(module_->idAt(i, w++), 3) != uint32_t(spv::Scope::Subgroup)) {
      refuse(nameOf(i) + " of another scope than the subgroup");
      return true;
    }
    if (isGroupReduction(op) || op == S::OpGroupNonUniformBallotBitCount)
      group.operation = spv::GroupOperation(module_->word(i, w++));
  }
  group.result = define(i);
  group.resultCells = cellsOf(module_->resultType(i));
  if (w < module_->wordCount(i)) {
    Id value = module_->idAt(i, w++);
    group.value = cell(value);
    group.valueCells = cellsOf(typeOf(value));
    group.width = uint8_t(widthOf(typeOf(value)));
  }
  if (w < module_->wordCount(i)) {
    Id second = module_->idAt(i, w++);
    if (isGroupReduction(op) || op == S::OpGroupNonUniformRotateKHR) {
      uint32_t& to = group.cluster;
      if (isGroupReduction(op))
        to = constantOr(second, 0);
      else
        group.index = cell(second),
        to = w < module_->wordCount(i) ? constantOr(module_->idAt(i, w), 0) : 0;
    } else {
      group.index = cell(second);
    }
  }
  if (isGroupReduction(op) && (group.operation == spv::GroupOperation::PartitionedReduceNV ||
                               group.operation > spv::GroupOperation::PartitionedReduceNV)) {
    refuse(nameOf(i) + " over partitions");
    return true;
  }
  uint32_t index = uint32_t(program_->groups.size());
  program_->groups.push_back(group);
  emit(Op::Group, i).aux = index;
  return true;
}

} // namespace lanewise::driver::interpreter
