// Lines and scopes of code that is copied into other functions: what is in force in the output, and
// what a copied instruction wants to be in force. A scope of a callee says where it was inlined
// (DebugInlinedAt).
#pragma once

#include "ir/module.h"
#include "ir/rewriter.h"

#include <cstdint>
#include <vector>

namespace lanewise {

class InlineDebug {
public:
  /// What is in force at a place of a function (SPIR-V 3.42.3): null for nothing.
  struct State {
    InstRef line;      ///< OpLine
    InstRef debugLine; ///< DebugLine
    InstRef scopeInst; ///< DebugScope; which scope is not all that it says:
    Id scope, inlinedAt;
    bool operator==(const State&) const = default;
  };
  /// Where a copy was inlined.
  struct Place {
    State call;   ///< in force at the call
    Id inlinedAt; ///< DebugInlinedAt of the call; null until something needs it
    bool isCopy = false;
  };

  InlineDebug(const Module& module, Rewriter& rewriter);

  /// False when the module has no lines and no scopes: then nothing below needs to be called.
  bool isActive() const { return isActive_; }

  /// Takes note of an instruction of a function; true when it is one of these.
  bool read(InstRef i, State& state, Place& place);
  /// A new block begins: nothing is in force.
  void beginBlock() { written_ = {}; }
  /// Writes what is needed for `wanted` to be in force.
  void establish(const State& wanted, std::vector<uint32_t>& out);
  /// True for what a function has once, however often it is copied.
  bool isOfFunction(InstRef i) const;
  /// True for a DebugDeclare of a parameter that is passed by value.
  bool declaresValue(InstRef i) const;

private:
  Id inlinedAt(Place& place, InstRef scopeInst);
  Id behind(Id inner, Place& place, InstRef scopeInst);
  Id lineOf(const State& state, bool isLiteral);
  void writeScope(const State& wanted, std::vector<uint32_t>& out);
  void writeExt(InstRef like, uint32_t instruction, std::vector<uint32_t>& out);

  const Module& module_;
  Rewriter& rewriter_;
  bool isActive_ = false;
  std::vector<uint8_t> sets_; ///< by Id: of the imports that are sets of debug information, else 0
  State written_;
};

} // namespace lanewise
