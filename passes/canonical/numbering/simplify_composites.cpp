// Vectors, matrices, arrays and structs as values: what was put together need not be taken apart.
#include "canonical/numbering/simplify.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace lanewise {

using Kind = TypeInfo::Kind;

namespace {

constexpr uint32_t kUndefComponent = 0xFFFFFFFF; ///< OpVectorShuffle: no component
/// Looked through before giving up: a chain of insertions is as long as its vector, mostly.
constexpr int kMaxParts = 64;

bool isVector(const ValueTable& values, Id id) {
  return values.types().info(values.typeOf(id)).kind == Kind::Vector;
}
/// Of a vector or scalar; nothing for others, such as vectors whose length is an id.
std::optional<uint32_t> componentsOf(const ValueTable& values, Id id) {
  const TypeInfo& info = values.types().info(values.typeOf(id));
  switch (info.kind) {
  case Kind::Bool:
  case Kind::Int:
  case Kind::Float:
    return 1;
  case Kind::Vector:
    return info.count;
  default:
    return std::nullopt;
  }
}

/// A part of a composite: where it is, as far as that can be followed.
struct Part {
  Id composite;
  std::vector<uint32_t> path; ///< literal indices that are still to go
};

/// OpCompositeConstruct of a vector may take vectors: which operand holds component `n`, and where.
bool enterVectorConstruct(const ValueTable& values, std::span<const uint32_t> construct,
                          Part& part) {
  uint32_t n = part.path.front();
  for (uint32_t word : construct.subspan(3)) {
    const Id operand = values.resolved(Id(word));
    const auto count = componentsOf(values, operand);
    if (!count) return false;
    if (n >= *count) {
      n -= *count;
      continue;
    }
    part.composite = operand;
    if (isVector(values, operand))
      part.path.front() = n;
    else
      part.path.erase(part.path.begin());
    return true;
  }
  return false;
}

bool enterConstruct(const ValueTable& values, std::span<const uint32_t> construct, Part& part) {
  const Kind kind = values.types().info(Id(construct[1])).kind;
  if (kind == Kind::Vector) return enterVectorConstruct(values, construct, part);
  if (kind != Kind::Matrix && kind != Kind::Array && kind != Kind::Struct) return false;
  if (part.path.front() >= construct.size() - 3) return false;
  part.composite = values.resolved(Id(construct[3 + part.path.front()]));
  part.path.erase(part.path.begin());
  return true;
}

bool enterInsert(const ValueTable& values, std::span<const uint32_t> insert, Part& part) {
  const auto indices = insert.subspan(5);
  const size_t common = std::min(indices.size(), part.path.size());
  if (!std::equal(indices.begin(), indices.begin() + ptrdiff_t(common), part.path.begin())) {
    part.composite = values.resolved(Id(insert[4]));
    return true;
  }
  if (indices.size() > part.path.size()) return false; // only a piece of it was put there
  part.composite = values.resolved(Id(insert[3]));
  part.path.erase(part.path.begin(), part.path.begin() + ptrdiff_t(common));
  return true;
}

bool enterShuffle(const ValueTable& values, std::span<const uint32_t> shuffle, Part& part) {
  if (part.path.front() >= shuffle.size() - 5) return false;
  const uint32_t n = shuffle[5 + part.path.front()];
  if (n == kUndefComponent) return false;
  const Id first = values.resolved(Id(shuffle[3])), second = values.resolved(Id(shuffle[4]));
  const auto count = componentsOf(values, first);
  if (!count) return false;
  part.composite = n < *count ? first : second;
  part.path.front() = n < *count ? n : n - *count;
  return true;
}

bool enterConstant(std::span<const uint32_t> constant, Part& part) {
  if (opcodeOf(constant) == spv::Op::OpConstantNull) return false;
  if (part.path.front() >= constant.size() - 3) return false;
  part.composite = Id(constant[3 + part.path.front()]);
  part.path.erase(part.path.begin());
  return true;
}

/// One step nearer to where the part comes from; false where that is not known.
bool enter(const ValueTable& values, Part& part) {
  const auto def = values.inst(part.composite);
  if (def.empty() || part.path.empty()) return false;
  switch (opcodeOf(def)) {
  case spv::Op::OpCompositeConstruct:
    return enterConstruct(values, def, part);
  case spv::Op::OpCompositeInsert:
    return enterInsert(values, def, part);
  case spv::Op::OpVectorShuffle:
    return enterShuffle(values, def, part);
  case spv::Op::OpConstantComposite:
  case spv::Op::OpSpecConstantComposite:
    return enterConstant(def, part);
  case spv::Op::OpCompositeExtract:
    part.path.insert(part.path.begin(), def.begin() + 4, def.end());
    part.composite = values.resolved(Id(def[3]));
    return true;
  default:
    return false;
  }
}

Part follow(const ValueTable& values, Id composite, std::span<const uint32_t> path) {
  Part part{composite, {path.begin(), path.end()}};
  for (int step = 0; step < kMaxParts && enter(values, part); ++step) {
  }
  return part;
}

Simplified simplifyExtract(const ValueTable& values, std::span<const uint32_t> words) {
  const Part part = follow(values, Id(words[3]), words.subspan(4));
  if (part.path.empty())
    return values.typeOf(part.composite) == Id(words[1]) ? Simplified{part.composite, {}}
                                                         : Simplified{};
  const spv::Op op = values.opcode(part.composite);
  const bool mayForm = values.widthOf(Id(words[1])) != 0;
  // Undefined, but one value for all of its uses.
  if ((op == spv::Op::OpConstantNull || op == spv::Op::OpUndef) && mayForm)
    return {splatOf(values, Id(words[1]), 0), {}};
  if (part.composite == Id(words[3]) && std::ranges::equal(part.path, words.subspan(4))) return {};
  return {{}, sameResult(spv::Op::OpCompositeExtract, words).id(part.composite).words(part.path)};
}

/// A composite of constants is a constant, and one put together of all parts of another is that.
Simplified simplifyConstruct(const ValueTable& values, std::span<const uint32_t> words) {
  const Id type(words[1]);
  const TypeInfo& info = values.types().info(type);
  if (info.kind != Kind::Vector && info.kind != Kind::Matrix && info.kind != Kind::Array &&
      info.kind != Kind::Struct)
    return {};
  const auto parts = words.subspan(3);
  const bool isFlat = info.kind != Kind::Vector || parts.size() == info.count;
  if (!isFlat) return {};
  if (std::ranges::all_of(parts, [&](uint32_t part) { return values.isConstant(Id(part)); })) {
    std::vector<Id> ids;
    for (uint32_t part : parts) ids.emplace_back(part);
    return {values.constants().composite(type, ids), {}};
  }
  // Each part the one of the same place of the same composite.
  Id whole;
  for (uint32_t n = 0; n < parts.size(); ++n) {
    const auto extract = values.inst(Id(parts[n]));
    if (extract.size() != 5 || opcodeOf(extract) != spv::Op::OpCompositeExtract || extract[4] != n)
      return {};
    const Id from = values.resolved(Id(extract[3]));
    if (whole && from != whole) return {};
    whole = from;
  }
  return whole && values.typeOf(whole) == type ? Simplified{whole, {}} : Simplified{};
}

/// Puts back what was taken from the same place.
bool isPutBack(const ValueTable& values, std::span<const uint32_t> words) {
  const auto part = values.inst(Id(words[3]));
  return part.size() == words.size() - 1 && opcodeOf(part) == spv::Op::OpCompositeExtract &&
         values.resolved(Id(part[3])) == Id(words[4]) &&
         std::ranges::equal(part.subspan(4), words.subspan(5));
}

/// Insertions that fill a vector are one construction.
Simplified simplifyInsert(const ValueTable& values, std::span<const uint32_t> words) {
  if (isPutBack(values, words)) return {Id(words[4]), {}};
  const TypeInfo& info = values.types().info(Id(words[1]));
  if (info.kind != Kind::Vector || words.size() != 6 || words[5] >= info.count) return {};
  Inst construct = sameResult(spv::Op::OpCompositeConstruct, words);
  bool isConstant = true;
  std::vector<Id> parts;
  for (uint32_t n = 0; n < info.count; ++n) {
    Part part{Id(words[3]), {}};
    if (n != words[5]) part = follow(values, Id(words[4]), std::array{n});
    const bool isNull = values.opcode(part.composite) == spv::Op::OpConstantNull;
    if (!part.path.empty() && (!isNull || values.widthOf(info.element) == 0)) return {};
    if (!part.path.empty()) part.composite = values.constants().null(info.element);
    isConstant = isConstant && values.isConstant(part.composite);
    parts.push_back(part.composite);
    construct.id(part.composite);
  }
  if (isConstant) return {values.constants().composite(Id(words[1]), parts), {}};
  return {{}, std::move(construct)};
}

/// Where component `n` of a shuffle comes from, as operand and component.
struct Source {
  Id vector;
  uint32_t component = 0;
};

/// Shuffles of shuffles, and those that change nothing.
Simplified simplifyShuffle(const ValueTable& values, std::span<const uint32_t> words) {
  const auto picks = words.subspan(5);
  const auto first = componentsOf(values, Id(words[3]));
  if (!first) return {};
  std::vector<Source> sources;
  std::vector<Id> vectors; // distinct
  for (uint32_t n = 0; n < picks.size(); ++n) {
    if (picks[n] == kUndefComponent) return {};
    Part part{Id(words[picks[n] < *first ? 3 : 4]),
              {picks[n] < *first ? picks[n] : picks[n] - *first}};
    while (values.opcode(part.composite) == spv::Op::OpVectorShuffle &&
           enterShuffle(values, values.inst(part.composite), part)) {
    }
    sources.push_back({part.composite, part.path.front()});
    if (std::ranges::find(vectors, part.composite) == vectors.end())
      vectors.push_back(part.composite);
  }
  if (vectors.size() > 2) return {};
  bool isIdentity = vectors.size() == 1 && values.typeOf(vectors.front()) == Id(words[1]);
  for (uint32_t n = 0; n < sources.size(); ++n)
    isIdentity = isIdentity && sources[n].component == n;
  if (isIdentity) return {vectors.front(), {}};
  std::vector<Id> components;
  for (const Source& s : sources)
    if (Id c = values.constantComponent(s.vector, s.component)) components.push_back(c);
  if (components.size() == sources.size())
    return {values.constants().composite(Id(words[1]), components), {}};
  const Id a = vectors.front(), b = vectors.back();
  const auto ofA = componentsOf(values, a);
  if (!ofA) return {};
  Inst shuffle = sameResult(spv::Op::OpVectorShuffle, words).id(a).id(b);
  for (const Source& s : sources) shuffle.word(s.component + (s.vector == a ? 0 : *ofA));
  if (std::ranges::equal(shuffle.finish(), words)) return {};
  // The operands as they were, when only their unused halves differ.
  return vectors.size() == 1 && Id(words[3]) == a &&
                 std::ranges::equal(shuffle.finish().subspan(5), picks)
             ? Simplified{}
             : Simplified{{}, std::move(shuffle)};
}

/// A dynamic index that is known.
Simplified simplifyDynamic(const ValueTable& values, std::span<const uint32_t> words) {
  const bool isExtract = opcodeOf(words) == spv::Op::OpVectorExtractDynamic;
  const auto index = values.literal(Id(words[isExtract ? 4 : 5]));
  const auto count = componentsOf(values, Id(words[3]));
  if (!index || !count || *index >= *count) return {};
  if (isExtract)
    return {{},
            sameResult(spv::Op::OpCompositeExtract, words).word(words[3]).word(uint32_t(*index))};
  return {{},
          sameResult(spv::Op::OpCompositeInsert, words)
              .word(words[4])
              .word(words[3])
              .word(uint32_t(*index))};
}

} // namespace

Simplified simplifyComposite(const ValueTable& values, std::span<const uint32_t> words) {
  switch (opcodeOf(words)) {
  case spv::Op::OpCompositeExtract:
    return words.size() > 4 ? simplifyExtract(values, words) : Simplified{};
  case spv::Op::OpCompositeConstruct:
    return simplifyConstruct(values, words);
  case spv::Op::OpCompositeInsert:
    return words.size() > 5 ? simplifyInsert(values, words) : Simplified{};
  case spv::Op::OpVectorShuffle:
    return simplifyShuffle(values, words);
  case spv::Op::OpVectorExtractDynamic:
  case spv::Op::OpVectorInsertDynamic:
    return simplifyDynamic(values, words);
  default:
    return {};
  }
}

// ---- Pointers ----

/// An access chain of an access chain steps down from the first one's base, and one without indices
/// is its base.
Simplified simplifyPointer(const ValueTable& values, std::span<const uint32_t> words) {
  const spv::Op op = opcodeOf(words);
  const Id base(words[3]);
  if (words.size() == 4)
    return values.typeOf(base) == Id(words[1]) ? Simplified{base, {}} : Simplified{};
  const auto inner = values.inst(base);
  if (inner.empty() || !isAccessChain(opcodeOf(inner))) return {};
  Inst chain = sameResult(opcodeOf(inner) == op ? op : spv::Op::OpAccessChain, words);
  for (uint32_t word : inner.subspan(3)) chain.id(values.resolved(Id(word)));
  chain.words(words.subspan(4));
  return {{}, std::move(chain)};
}

} // namespace lanewise
