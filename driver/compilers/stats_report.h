// What compilers say of modules, as text for people and JSON for programs (docs/stats.md).
#pragma once

#include "compilers/compiler_set.h"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lanewise::driver {

/// What there is to say of one input.
struct InputStats {
  std::string name; ///< as given on the command line; "<stdin>" for standard input
  std::vector<CompilerRow> rows;
  std::string failure; ///< why there are no rows; "" where there are
};

/// Two rows of the same compiler and entry point.
struct RowPair {
  const CompilerRow* before = nullptr;
  const CompilerRow* after = nullptr;
};
/// Those of one driver: figures of different versions are never compared. Entry points go by name,
/// else by their order.
std::vector<RowPair> pairRows(std::span<const CompilerRow> before,
                              std::span<const CompilerRow> after);

/// "navi21", "0 (NVIDIA H200)".
std::string labelOf(const CompilerRow& row);
/// "32/40" of an occupancy whose maximum is known; "-" for what the driver does not tell.
std::string figureText(const StageFigures& figures, Figure figure);

/// after / before; nothing where one of them is not told. Of 0 before: 1 where it stays 0, else
/// infinity.
std::optional<double> ratioOf(const RowPair& pair, Figure figure);
/// By how much it is worse, 0.5 for half as much again; 0 for better or the same.
double worseBy(double ratio, Figure figure);

/// A table for each entry point.
std::string statsAsText(std::span<const InputStats> inputs);
/// What differs, compiler by compiler.
std::string comparisonAsText(const InputStats& before, const InputStats& after);
/// The representations of the rows, those of two inputs side by side.
std::string representationsAsText(std::span<const InputStats> inputs, uint32_t columns);

nlohmann::json rowAsJson(const CompilerRow& row);
/// One object; with two inputs that are to be compared, "comparison" as well.
std::string statsAsJson(std::span<const InputStats> inputs, bool isComparison);

} // namespace lanewise::driver
