// Colour for what compilers' users read.
//
// Text stays plain until it is written: it is kept in caches, handed from process to process and
// put into files, where no escape sequence may ever be. What is coloured is therefore recognized by
// the form that editors recognize as well ("PLACE: error: MESSAGE", a line of carets); a line that
// is taken for something else is coloured wrongly, and nothing more.
#pragma once

#include <string>
#include <string_view>

namespace lanewise::driver {

/// The text as terminals show it: places and messages bold, "error:" red, "warning:" magenta,
/// "remark:" blue, "note:" and "help:" cyan, carets green, as clang has them. All other bytes stay.
std::string colored(std::string_view text);

} // namespace lanewise::driver
