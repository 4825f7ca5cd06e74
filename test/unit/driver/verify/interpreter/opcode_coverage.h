// Which opcodes the interpreter lowers, and which ones a test program holds.
#pragma once

#include "ir/opcode_facts.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace lanewise::test {

/// The names of a module's opcodes.
inline std::set<std::string> opcodesOf(const std::vector<uint32_t>& words) {
  std::set<std::string> names;
  for (size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16)
    names.insert(std::string(factsOf(spv::Op(words[at] & 0xFFFF)).name));
  return names;
}

/// The opcodes that a file of driver/verify/interpreter/lower names.
inline std::set<std::string> loweredBy(const std::string& file) {
  std::ifstream in(LANEWISE_SOURCE_DIR "/driver/verify/interpreter/lower/" + file);
  std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_FALSE(text.empty()) << file;
  std::set<std::string> names;
  std::regex opcode("(?:S|spv::Op|newer::Op)::(Op[A-Z][A-Za-z0-9]*)");
  for (std::sregex_iterator it(text.begin(), text.end(), opcode), end; it != end; ++it)
    names.insert((*it)[1]);
  return names;
}

} // namespace lanewise::test
