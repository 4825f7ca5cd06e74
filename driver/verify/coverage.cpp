#include "verify/coverage.h"

#include "analysis/module/constants.h"
#include "analysis/module/decorations.h"
#include "analysis/module/source_lines.h"
#include "analysis/module/types.h"
#include "verify/formats/float_bits.h"
#include "verify/interpreter/code/program.h"
#include "verify/program/exercised.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace lanewise::driver {
namespace {

using interpreter::BlockInfo;
using interpreter::Instr;

constexpr size_t kMostNamed = 8; // ranges, blocks or branches in a line of text

bool isLiteral(const Module& module, Id id) {
  const spv::Op op = module.opcodeOf(id);
  return op == spv::Op::OpConstant || op == spv::Op::OpConstantTrue ||
         op == spv::Op::OpConstantFalse || op == spv::Op::OpConstantNull;
}

/// A way out of a block.
struct Edge {
  uint32_t number = 0;
  BlockRef to;
  std::optional<uint64_t> literal; ///< of a switch's case
};

// The blocks of one shader: which are reached by what was taken, and which might be.
class CoveredShader {
public:
  explicit CoveredShader(const ExercisedShader& shader)
      : shader_(shader), code_(*shader.code), module_(code_.module()),
        blockInfo_(module_.blockCount() + 1) {
    for (const BlockInfo& block : code_.blocks)
      if (block.block) blockInfo_[block.block.value] = &block;
    possible_ = walk([](const Edge&) { return true; });
    if (shader_.hasRun)
      ran_ = walk([&](const Edge& edge) { return shader_.edges[edge.number] != 0; });
    else
      ran_.resize(possible_.size());
  }

  std::vector<uint32_t> untaken() const {
    std::vector<uint32_t> edges;
    for (const BlockInfo& block : code_.blocks)
      for (const Edge& edge : untakenFrom(block)) edges.push_back(edge.number);
    std::sort(edges.begin(), edges.end());
    return edges;
  }

  ShaderCoverage report() const {
    ShaderCoverage seen;
    seen.shader = shader_.shader;
    for (const BlockInfo& block : code_.blocks) {
      if (!counts(block.block)) continue;
      ++seen.blocks;
      seen.ran += ran(block.block);
      if (!ran(block.block)) seen.notRun.push_back(nameOf(block.block));
      if (auto branch = oneWayAt(block)) seen.oneWay.push_back(std::move(*branch));
    }
    addLines(seen);
    return seen;
  }

private:
  bool ran(BlockRef b) const { return ran_[b.value]; }
  // A block that ends in OpUnreachable says itself that nobody comes there.
  bool isUnreachable(BlockRef b) const {
    return module_.opcode(module_.terminator(b)) == spv::Op::OpUnreachable;
  }
  bool counts(BlockRef b) const { return b && possible_[b.value] && !isUnreachable(b); }

  // The ways out of a block that ends in a branch, as lowering has numbered them.
  std::vector<Edge> edgesOf(const BlockInfo& block) const {
    const InstRef end = module_.terminator(block.block);
    auto target = [&](uint32_t word) { return module_.blockOfLabel(module_.idAt(end, word)); };
    std::vector<Edge> edges;
    if (module_.opcode(end) == spv::Op::OpBranchConditional) {
      edges = {{block.firstEdge, target(2), {}}, {block.firstEdge + 1, target(3), {}}};
    } else if (module_.opcode(end) == spv::Op::OpSwitch) {
      edges.push_back({block.firstEdge, target(2), {}});
      std::map<uint64_t, BlockRef> cases; // as SwitchTable has them
      const Id type = module_.typeOf(module_.idAt(end, 1));
      const uint32_t words = module_.numberWords(type);
      const uint32_t width = code_.analyses().get<Types>().info(type).width;
      for (uint32_t w = 3; w + words < module_.wordCount(end); w += words + 1) {
        uint64_t literal = module_.word(end, w);
        if (words > 1) literal |= uint64_t(module_.word(end, w + 1)) << 32;
        cases[lowBits(literal, width)] = target(w + words);
      }
      for (const auto& [literal, to] : cases)
        edges.push_back({block.firstEdge + uint32_t(edges.size()), to, literal});
    }
    return edges;
  }

  // Of a branch on a literal, the ways that it never goes.
  bool isRuledOut(const BlockInfo& block, const Edge& edge) const {
    const InstRef end = module_.terminator(block.block);
    const Id selector = module_.idAt(end, 1);
    if (!isLiteral(module_, selector)) return false;
    const bool isSwitch = module_.opcode(end) == spv::Op::OpSwitch;
    const std::optional<ConstantValue> known = code_.analyses().get<Constants>().value(selector);
    if (!known) return false;
    const uint64_t value = known->bits;
    if (!isSwitch) return (edge.number == block.firstEdge) != (value != 0);
    if (edge.literal) return *edge.literal != value;
    const std::vector<Edge> all = edgesOf(block);
    return std::any_of(all.begin(), all.end(), [&](const Edge& e) { return e.literal == value; });
  }

  // Blocks that the entry point reaches over those edges, into the functions that they call.
  template <class Takes>
  std::vector<bool> walk(Takes&& takes) const {
    std::vector<bool> reached(module_.blockCount() + 1);
    std::vector<BlockRef> next;
    auto reach = [&](BlockRef b) {
      if (!b || reached[b.value]) return;
      reached[b.value] = true;
      next.push_back(b);
    };
    const Instr& main = code_.code[code_.blocks.front().end - 2];
    reach(code_.blockAt(main.aux).block);
    while (!next.empty()) {
      const BlockRef b = next.back();
      next.pop_back();
      for (InstRef i : module_.blockInsts(b))
        if (module_.opcode(i) == spv::Op::OpFunctionCall)
          reach(module_.firstBlock(module_.functionOfId(module_.idAt(i, 3))));
      const InstRef end = module_.terminator(b);
      if (module_.opcode(end) == spv::Op::OpBranch)
        reach(module_.blockOfLabel(module_.idAt(end, 1)));
      if (!blockInfo_[b.value]) continue;
      for (const Edge& edge : edgesOf(*blockInfo_[b.value]))
        if (!isRuledOut(*blockInfo_[b.value], edge) && takes(edge)) reach(edge.to);
    }
    return reached;
  }

  // Where all ways lead to one block, it is no matter which is taken.
  std::vector<Edge> untakenFrom(const BlockInfo& block) const {
    if (!counts(block.block) || !ran(block.block)) return {};
    std::vector<Edge> edges = edgesOf(block);
    const bool isOneTarget = std::all_of(edges.begin(), edges.end(),
                                         [&](const Edge& edge) { return edge.to == edges[0].to; });
    if (isOneTarget) return {};
    std::erase_if(edges, [&](const Edge& edge) {
      return shader_.edges[edge.number] != 0 || isRuledOut(block, edge) || isUnreachable(edge.to);
    });
    return edges;
  }

  std::optional<OneWayBranch> oneWayAt(const BlockInfo& block) const {
    const std::vector<Edge> edges = untakenFrom(block);
    if (edges.empty()) return std::nullopt;
    const InstRef end = module_.terminator(block.block);
    OneWayBranch branch;
    const SourceLocation at = code_.locationOf(end);
    branch.file = at.file, branch.line = at.line;
    branch.block = nameOf(block.block);
    branch.constant = constantThatDecides(module_.idAt(end, 1));
    if (module_.opcode(end) == spv::Op::OpBranchConditional)
      branch.always = edges[0].number == block.firstEdge ? "false" : "true";
    else
      for (const Edge& edge : edges)
        branch.never.push_back(edge.literal ? std::to_string(*edge.literal) : "default");
    return branch;
  }

  // Of a condition that is computed from constants alone.
  std::string constantThatDecides(Id condition) const {
    std::set<uint32_t> decides;
    std::vector<Id> open{condition};
    std::set<Id> seen;
    while (!open.empty()) {
      const Id id = open.back();
      open.pop_back();
      if (!seen.insert(id).second) continue;
      const InstRef def = module_.def(id);
      if (!def) return {};
      const OpClass kind = module_.facts(def).opClass;
      if (auto number =
              code_.analyses().get<Decorations>().operand(module_, id, spv::Decoration::SpecId))
        decides.insert(*number);
      if (kind == OpClass::Type || isLiteral(module_, id)) continue;
      if (kind != OpClass::Constant &&
          (!module_.facts(def).speculatable || module_.opcode(def) == spv::Op::OpPhi))
        return {};
      module_.forEachIdOperand(def, [&](uint32_t, Id operand) { open.push_back(operand); });
    }
    if (decides.empty()) return {};
    return fmt::format("specialization constant{} {}", decides.size() == 1 ? "" : "s",
                       fmt::join(decides, ", "));
  }

  std::string nameOf(BlockRef b) const {
    const Id label = module_.labelId(b);
    const std::string_view name = code_.analyses().get<Decorations>().name(module_, label);
    return name.empty() ? fmt::format("%{}", label.value) : fmt::format("%{}", name);
  }

  void addLines(ShaderCoverage& seen) const {
    std::map<std::pair<std::string, uint32_t>, bool> lines; // whether it ran
    for (const BlockInfo& block : code_.blocks) {
      if (!counts(block.block)) continue;
      for (InstRef i : module_.blockInsts(block.block)) {
        const SourceLocation at = code_.analyses().get<SourceLines>().at(module_, i);
        if (at.line != 0) lines[{at.file, at.line}] |= ran(block.block);
      }
    }
    const std::pair<std::string, uint32_t>* before = nullptr;
    bool hadRun = false;
    for (const auto& [at, hasRun] : lines) {
      std::vector<LineRange>& to = hasRun ? seen.ranLines : seen.notRunLines;
      if (before && before->first == at.first && hadRun == hasRun)
        to.back().last = at.second;
      else
        to.push_back({at.first, at.second, at.second});
      before = &at, hadRun = hasRun;
    }
  }

  const ExercisedShader& shader_;
  const interpreter::Program& code_;
  const Module& module_;
  std::vector<const BlockInfo*> blockInfo_; ///< by BlockRef
  std::vector<bool> possible_, ran_;        ///< by BlockRef
};

// ----- text -----

std::string joined(std::vector<std::string> parts) {
  const size_t all = parts.size();
  if (all > kMostNamed) parts.resize(kMostNamed);
  std::string text = fmt::format("{}", fmt::join(parts, ", "));
  return all > kMostNamed ? fmt::format("{} and {} more", text, all - kMostNamed) : text;
}

/// "particles.comp lines 40-47, 61", file by file.
std::string linesText(const std::vector<LineRange>& ranges) {
  std::map<std::string, std::vector<std::string>> byFile;
  for (const LineRange& range : ranges)
    byFile[range.file].push_back(range.first == range.last
                                     ? std::to_string(range.first)
                                     : fmt::format("{}-{}", range.first, range.last));
  std::vector<std::string> files;
  for (const auto& [file, parts] : byFile) {
    const bool isOne = parts.size() == 1 && parts[0].find('-') == std::string::npos;
    files.push_back(fmt::format("{}{}{} {}", file, file.empty() ? "" : " ",
                                isOne ? "line" : "lines", joined(parts)));
  }
  return fmt::format("{}", fmt::join(files, ", "));
}

std::string placeOf(const OneWayBranch& branch) {
  std::string text = branch.line != 0 ? fmt::format("line {}", branch.line) : branch.block;
  return branch.constant.empty() ? text : fmt::format("{} ({})", text, branch.constant);
}

void addOneWay(std::vector<std::string>& parts, const ShaderCoverage& seen) {
  for (const char* always : {"true", "false"}) {
    std::vector<std::string> places;
    for (const OneWayBranch& branch : seen.oneWay) {
      if (branch.always != always) continue;
      std::string place = placeOf(branch);
      if (std::ranges::find(places, place) == places.end()) places.push_back(std::move(place));
    }
    if (!places.empty()) parts.push_back(fmt::format("always {}: {}", always, joined(places)));
  }
  std::vector<std::string> switches;
  for (const OneWayBranch& branch : seen.oneWay)
    if (branch.always.empty())
      switches.push_back(
          fmt::format("{} of the switch at {}", joined(branch.never), placeOf(branch)));
  if (!switches.empty()) parts.push_back(fmt::format("never {}", joined(switches)));
}

std::string describe(const ShaderCoverage& seen) {
  std::vector<std::string> parts;
  const uint32_t missing = seen.blocks - seen.ran;
  if (missing != 0) {
    const std::string count = fmt::format("{} of {} blocks", missing, seen.blocks);
    parts.push_back(seen.notRunLines.empty()
                        ? fmt::format("{} ({})", count, joined(seen.notRun))
                        : fmt::format("{} ({})", linesText(seen.notRunLines), count));
  }
  addOneWay(parts, seen);
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string named(const Coverage& coverage, const ShaderCoverage& seen, std::string text) {
  return coverage.shaders.size() == 1 ? text : fmt::format("in `{}`: {}", seen.shader, text);
}

// The parts of `of` that lie in one of `within`.
std::vector<LineRange> intersection(const std::vector<LineRange>& of,
                                    const std::vector<LineRange>& within) {
  std::vector<LineRange> common;
  for (const LineRange& a : of)
    for (const LineRange& b : within) {
      const uint32_t first = std::max(a.first, b.first), last = std::min(a.last, b.last);
      if (a.file == b.file && first <= last) common.push_back({a.file, first, last});
    }
  return common;
}

} // namespace

std::vector<uint32_t> untakenEdges(const ExercisedShader& shader) {
  return CoveredShader(shader).untaken();
}

bool Coverage::isComplete() const {
  return std::all_of(shaders.begin(), shaders.end(),
                     [](const ShaderCoverage& seen) { return seen.isComplete(); });
}

Coverage coverageOf(const Exercised& exercised) {
  Coverage coverage;
  for (const ExercisedShader& shader : exercised)
    if (shader.code) coverage.shaders.push_back(CoveredShader(shader).report());
  return coverage;
}

std::vector<std::string> describe(const Coverage& coverage) {
  std::vector<std::string> lines;
  for (const ShaderCoverage& seen : coverage.shaders)
    if (!seen.isComplete()) lines.push_back(named(coverage, seen, describe(seen)));
  return lines;
}

std::vector<std::string> describeBeyond(const Coverage& original, const Coverage& other) {
  std::vector<std::string> lines;
  for (const ShaderCoverage& seen : other.shaders) {
    const auto same =
        std::find_if(original.shaders.begin(), original.shaders.end(),
                     [&](const ShaderCoverage& one) { return one.shader == seen.shader; });
    if (same == original.shaders.end()) continue;
    const std::vector<LineRange> own = intersection(seen.notRunLines, same->ranLines);
    if (!own.empty())
      lines.push_back(named(other, seen, linesText(own) + ", which the original executes"));
    else if (same->isComplete() && !seen.isComplete())
      lines.push_back(named(other, seen, describe(seen)));
  }
  return lines;
}

} // namespace lanewise::driver
