// Names of a module that mean something else in a language.
#pragma once

#include "ir/module.h"
#include "lanewise/result.h"
#include "transpile/target_language.h"

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace lanewise::driver {

using WordSet = std::set<std::string, std::less<>>;

/// Whether `name` is a keyword of the language or one of its types (GLSL 4.60, section 3.6;
/// Direct3D's HLSL reference, "Keywords" and "Reserved Words"; Metal Shading Language
/// Specification, section 2). SPIRV-Cross gives some of them other names itself, but not where a
/// value is called so that is no variable.
bool isReserved(std::string_view name, Language language);

/// An Error says why an entry point cannot be called so.
Status checkEntryName(const std::string& name, Language language);

/// What a text calls, instantiates or qualifies by: "lerp" in "lerp(a, b, c)", "access" in
/// "access::read", but not "r" in "v.r(".
WordSet functionsIn(std::string_view text);

/// The module without the names of its ids and members.
Words withoutNames(std::span<const uint32_t> words);

/// The module with "_" in front of names that are reserved, or among `functions`, which the text
/// calls without meaning the id of that name. The name of the function `entry` stays: it is the
/// entry point, whose name in the text is asked for in other ways.
Words renameReserved(Module module, Id entry, Language language, const WordSet& functions);

} // namespace lanewise::driver
