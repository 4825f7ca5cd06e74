// What a module has that the kept grammar does not: passes leave such a module as it is, because
// nobody knows what its instructions may touch.
#pragma once

#include "ir/module.h"

#include <optional>
#include <string>

namespace lanewise {

/// The first such thing and where it stands ("capability 9999 (word 5)"); nothing where the grammar
/// has all of the module.
std::optional<std::string> whatIsBeyondGrammar(const Module& module);

/// An instruction of which Module::isUnknown() is true, or an OpExtension, by what makes it so:
/// "capability 9999", "opcode 4711".
std::string nameOfUnknown(const Module& module, InstRef i);

} // namespace lanewise
