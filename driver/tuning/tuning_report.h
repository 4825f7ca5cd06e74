// What is said of a search, and what is kept of it.
#pragma once

#include "recorded/tuning_file.h"
#include "report/html/report.h"
#include "tuning/search.h"

#include <string>

namespace lanewise::driver {

/// Where it was tuned, and how.
struct TunedPlace {
  std::string device, driver; ///< a compiler, where it is a prediction
  std::string target;         ///< the built-in profile
  std::string shape;          ///< --size
  bool isPredicted = false;
  bool isCpuDevice = false;
};

/// A choice for each shader of the program, and another one where the host has to follow.
TunedChoices choicesOf(const ProgramBuilder& builder, const TuneResult& result,
                       const TunedPlace& place);

/// Of a search that measured nothing: why, and how to mend it. One sentence.
std::string whyNothingMeasured(const TuneResult& result);

/// For people: the candidates, the fastest first, what single rewrites are worth, what was chosen.
std::string resultAsText(const ProgramBuilder& builder, const TuneResult& result,
                         const TunedPlace& place);

/// For the page: the same as tables, that of the candidates first, and the times drawn.
ReportSubject resultAsSubject(const ProgramBuilder& builder, const TuneResult& result,
                              const TunedPlace& place);

} // namespace lanewise::driver
