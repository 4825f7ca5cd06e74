// How times, pipelines and tables of them look to people.
#pragma once

#include "run/run_data.h"

#include <string>
#include <string_view>
#include <vector>

namespace lanewise::driver {

/// Digits of a module's hash that people are shown, and may name it by.
inline constexpr size_t kHashDigits = 12;

/// Nanoseconds with three digits that count, at least to one decimal: "1.25 ms".
std::string durationText(double nanoseconds);

/// Below times that a CPU device took.
inline constexpr std::string_view kOnCpu =
    "Timed on a CPU device, whose times say nothing of a GPU.\n";

/// "1 dispatch", "2 dispatches".
std::string countOf(uint64_t dispatches);

/// A name of the program's as it fits into a table: cut, in one line.
std::string nameText(std::string_view name);

/// "0=64 1=3": values where the module says their type, else their bits in hexadecimal.
std::string constantsText(const PipelineTimes& pipeline);
/// The first digits of its hash; "-" where there is none.
std::string moduleText(const PipelineTimes& pipeline);
/// The program's name for it, or else where it comes from; with its constants where another one has
/// the same name.
std::string labelOf(const PipelineTimes& pipeline, bool isAlone);

using TextRow = std::vector<std::string>;
/// Columns by `sides`, 'L' or 'R' each: what people compare by size stands to the right.
std::string tableOf(const std::vector<TextRow>& rows, std::string_view sides);

} // namespace lanewise::driver
