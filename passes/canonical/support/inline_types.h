// Types and constants that --inline needs where returns set a flag: found in the module, or
// declared.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/rewriter.h"
#include "transforms/constant_pool.h"

#include <utility>
#include <vector>

namespace lanewise {

class InlineTypes {
public:
  InlineTypes(Analyses& analyses, Rewriter& rewriter)
      : module_(analyses.module()), rewriter_(rewriter), constants_(analyses, rewriter) {}

  Id boolType();
  Id boolean(bool value) { return constants_.boolean(boolType(), value); }
  /// OpTypePointer Function.
  Id pointerTo(Id type);
  Id undef(Id type) { return constants_.undef(type); }

private:
  void index();

  const Module& module_;
  Rewriter& rewriter_;
  ConstantPool constants_;
  bool isIndexed_ = false;
  Id bool_;
  std::vector<Id> pointerTo_; ///< by Id of the type pointed to
};

} // namespace lanewise
