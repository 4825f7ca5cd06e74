// What findings of two programs have to do with one another.
#pragma once

#include "verify/verify.h"

#include <span>
#include <vector>

namespace lanewise::driver {

/// Whether `other`, found in a rewritten module, is what `original` says of its input. Passes move
/// what an access is at, and drop names and lines, so that neither offsets nor counts are compared:
/// the shader and the kind must be the same (uninitialized and undefined values are one kind:
/// spirv-opt makes one of the other), the variable where both name one, the memory (MemoryPlace)
/// where both know it, and one line must be common to both where they have lines of one file.
bool isSameDefect(const RunFinding& original, const RunFinding& other);
bool hasDefect(std::span<const RunFinding> original, const RunFinding& other);

/// Whether what comes of it may change from run to run and from device to device: races, values
/// that nobody defined, barriers that not all reach. What is only out of range or divides by zero
/// does the same each time on most devices.
bool isUnpredictable(const RunFinding& finding);

/// Whether only the letter of the memory model is against it: held against no original, and against
/// a module that alone has it.
bool isByTheLetter(const RunFinding& finding);

/// Adds those of `more` whose kind and place are not there yet.
void addFindings(std::vector<RunFinding>& all, std::vector<RunFinding> more);

} // namespace lanewise::driver
