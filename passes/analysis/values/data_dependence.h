// Whether contents of memory, or anything else that the host chooses, go into a value.
#pragma once

#include "analysis/module/analyses.h"

#include <map>
#include <vector>

namespace lanewise {

/// Holds references; valid until the module changes.
class DataDependence {
public:
  explicit DataDependence(Analyses& analyses) : analyses_(analyses), module_(analyses.module()) {}

  /// True for what is computed from buffers, images, push constants, Workgroup memory, counts that
  /// the dispatch has, or specialization constants that nobody gave. Ids of invocations and
  /// workgroups are none of these. Of what local variables hold nothing is known: false.
  bool dependsOnData(Id value);

private:
  bool isData(Id id, std::vector<Id>& work) const;

  Analyses& analyses_;
  const Module& module_;
  std::map<Id, bool> known_;
};

} // namespace lanewise
