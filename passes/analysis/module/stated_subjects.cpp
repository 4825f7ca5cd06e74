#include "analysis/module/stated_subjects.h"

#include "analysis/module/buffer_variables.h"
#include "analysis/module/decorations.h"
#include "analysis/module/types.h"
#include "text/format_text.h"

#include <algorithm>
#include <utility>

namespace lanewise {
namespace {

using Kind = TypeInfo::Kind;
using Subject = StatedFact::Subject;

class Resolver {
public:
  explicit Resolver(Analyses& analyses)
      : analyses_(analyses), module_(analyses.module()), types_(analyses.get<Types>()),
        decorations_(analyses.get<Decorations>()) {}

  StatedSubject resolve(const StatedFact& fact) {
    StatedSubject subject;
    if (fact.subject == Subject::PushConstant)
      findMember(fact, subject);
    else if (fact.subject == Subject::BufferLength)
      findBuffer(fact.name, subject);
    return subject;
  }

private:
  template <class Visit>
  void forEachVariable(Visit&& visit) {
    for (InstRef i : module_.globals())
      if (module_.opcode(i) == spv::Op::OpVariable)
        visit(module_.resultId(i), spv::StorageClass(module_.word(i, 3)));
  }

  /// In all push-constant blocks of the module: an entry point each may have its own.
  void findMember(const StatedFact& fact, StatedSubject& subject) {
    if (fact.name.empty()) {
      subject.offset = fact.offset;
      return;
    }
    std::vector<uint32_t> found;
    forEachVariable([&](Id variable, spv::StorageClass storage) {
      if (storage != spv::StorageClass::PushConstant) return;
      const auto offset = offsetOf(types_.pointee(variable), fact.name);
      if (offset && std::find(found.begin(), found.end(), *offset) == found.end())
        found.push_back(*offset);
    });
    if (found.size() == 1) subject.offset = found.front();
    if (found.size() < 2) return;
    std::vector<std::string> names;
    for (uint32_t offset : found) names.push_back(formatText("push.{}", offset));
    subject.ambiguous = joinText(names, ", ");
  }

  /// Of "light.size.x" in a struct or vector.
  std::optional<uint32_t> offsetOf(Id type, std::string_view path) const {
    if (path.empty()) return 0u;
    const TypeInfo& info = types_.info(type);
    const std::string_view first = path.substr(0, path.find('.'));
    const std::string_view rest = first.size() == path.size() ? "" : path.substr(first.size() + 1);
    if (info.kind == Kind::Vector) {
      const size_t n = std::string_view("xyzw").find(first);
      if (first.size() != 1 || n >= info.count || !rest.empty()) return std::nullopt;
      return uint32_t(n) * types_.info(info.element).width / 8;
    }
    if (info.kind != Kind::Struct) return std::nullopt;
    for (uint32_t m = 0; m < info.count; ++m) {
      if (Decorations::memberName(module_, type, m) != first) continue;
      const auto offset = types_.offset(type, m);
      const auto inside = offsetOf(types_.member(type, m), rest);
      return offset && inside ? std::optional(*offset + *inside) : std::nullopt;
    }
    return std::nullopt;
  }

  /// By the name of its variable or block, or as "SET.BINDING". Variables of one binding are one
  /// buffer, but of one length only where their elements have the same size and place.
  void findBuffer(const std::string& name, StatedSubject& subject) {
    std::vector<std::string> places;
    bool isOneLength = true;
    forEachVariable([&](Id variable, spv::StorageClass) {
      const auto shape = shapeOf(variable);
      if (!shape || !isCalled(variable, name)) return;
      if (!subject.buffers.empty() && shape != shapeOf(subject.buffers.front()))
        isOneLength = false;
      subject.buffers.push_back(variable);
      const std::string place = placeOf(variable);
      if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
    });
    std::sort(subject.buffers.begin(), subject.buffers.end());
    if (places.size() < 2 && isOneLength) return;
    subject.buffers.clear();
    subject.ambiguous = places.size() < 2 ? "arrays of different elements" : joinText(places, ", ");
  }

  /// Where the run-time array begins that ends a storage buffer, and its stride; nothing without
  /// one.
  std::optional<std::pair<uint32_t, uint32_t>> shapeOf(Id variable) const {
    if (!isStorageBuffer(analyses_, variable)) return std::nullopt;
    const Id block = blockTypeOf(analyses_, variable);
    const TypeInfo& info = types_.info(block);
    if (info.kind != Kind::Struct || info.count == 0) return std::nullopt;
    const Id array = types_.member(block, info.count - 1);
    const auto offset = types_.offset(block, info.count - 1);
    const auto stride = types_.arrayStride(array);
    if (types_.info(array).kind != Kind::RuntimeArray || !offset || !stride) return std::nullopt;
    return std::pair(*offset, *stride);
  }

  bool isCalled(Id variable, const std::string& name) const {
    return decorations_.name(module_, variable) == name ||
           decorations_.name(module_, blockTypeOf(analyses_, variable)) == name ||
           placeOf(variable) == name;
  }

  /// "SET.BINDING"
  std::string placeOf(Id variable) const {
    const auto set = decorations_.operand(module_, variable, spv::Decoration::DescriptorSet);
    const auto binding = decorations_.operand(module_, variable, spv::Decoration::Binding);
    return formatText("{}.{}", set.value_or(0), binding.value_or(0));
  }

  Analyses& analyses_;
  const Module& module_;
  const Types& types_;
  const Decorations& decorations_;
};

} // namespace

StatedSubjects::StatedSubjects(Analyses& analyses) {
  Resolver resolver(analyses);
  for (const StatedFact& fact : analyses.assumptions().stated)
    subjects_.push_back(resolver.resolve(fact));
}

std::string explainUnused(const StatedFact& fact, const StatedSubject& subject) {
  if (!subject.ambiguous.empty())
    return formatText("--assume='{}' is not used: '{}' may mean {}; write {}", fact.text, fact.name,
                      subject.ambiguous,
                      fact.subject == StatedFact::Subject::BufferLength
                          ? "buffer SET.BINDING, where that is one array"
                          : "push.OFFSET");
  return formatText("--assume='{}' is about no input that the module reads; where names were "
                    "stripped, write push.OFFSET or buffer SET.BINDING",
                    fact.text);
}

} // namespace lanewise
