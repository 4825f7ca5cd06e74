// Internal to passes/transforms: carries lines and scopes along with instructions that move.
#pragma once

#include "ir/module.h"
#include "ir/rewriter.h"

#include <array>
#include <functional>
#include <span>

namespace lanewise {

/// True for what says something about the code and computes nothing: lines, debug instructions.
inline bool isDebugInstruction(const Module& module, InstRef inst) {
  const spv::Op op = module.opcode(inst);
  if (op == spv::Op::OpExtInst) return isDebugSet(module.extInstSet(module.idAt(inst, 3)));
  return factsOf(op).opClass == OpClass::Line;
}

/// What is in force at a place of a block: OpLine, DebugLine and DebugScope hold up to the next of
/// their kind, or to the end of the block (SPIR-V 3.42.3).
class DebugState {
public:
  /// Takes note of an instruction; true when it is one of these.
  bool read(const Module& module, InstRef inst);
  /// Of a stretch of a block.
  void read(const Module& module, InstRange insts) {
    for (InstRef i : insts) read(module, i);
  }

private:
  friend class DebugCursor;
  enum Channel : uint8_t { Line, ExtendedLine, Scope, Count };
  std::array<InstRef, Count> inForce_{}; ///< null: none
};

/// Writes what is needed for the next instruction to be in a given state.
class DebugCursor {
public:
  DebugCursor(const Module& module, Rewriter& rewriter, std::function<void(Inst)> emit,
              DebugState state)
      : module_(module), rewriter_(rewriter), emit_(std::move(emit)), state_(state) {}

  void moveTo(const DebugState& state);

private:
  Inst ending(DebugState::Channel channel);

  const Module& module_;
  Rewriter& rewriter_;
  std::function<void(Inst)> emit_;
  DebugState state_;
};

/// An instruction that goes to the place in front of another one, in a block.
struct InstMove {
  InstRef inst, before;
};

/// Moves instructions, each with the lines and scopes under which it stood; what follows a place
/// keeps its own. Those of one place in the order in which they are given. `moved` is called behind
/// each of them and may insert more there.
void moveInstructions(const Module& module, Rewriter& rewriter, std::span<const InstMove> moves,
                      const std::function<void(const InstMove&)>& moved = {});

} // namespace lanewise
