#include "verify/program/interfaces.h"

#include "support/failure.h"
#include "verify/program/reflect.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace lanewise::driver {
namespace {

using Kind = InterfaceDifference::Kind;

std::string sizeText(const std::array<uint32_t, 3>& size) {
  return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
}

class Comparison {
public:
  Comparison(const Reflection& original, const Reflection& other, const InterfaceNames& names,
             bool comparesBlocks)
      : original_(original), other_(other), names_(names), comparesBlocks_(comparesBlocks) {}

  std::vector<InterfaceDifference> run() {
    compareEntries();
    for (const ReflectedBinding& binding : original_.bindings)
      if (const ReflectedBinding* other = other_.findBinding(binding.set, binding.binding))
        compareBindings(binding, *other);
      else
        tellMissing(binding);
    for (const ReflectedBinding& binding : other_.bindings)
      if (!original_.findBinding(binding.set, binding.binding) && !findMoved(binding, original_))
        add(Kind::Binding,
            fmt::format("{} has {} at {} that {} does not have", names_.other, kindOf(binding),
                        placeOf(binding), names_.original),
            "declare it in both, or bind it in a scenario");
    comparePushConstants();
    compareWorkgroups();
    return std::move(all_);
  }

private:
  void add(Kind kind, std::string what, std::string mend) {
    all_.push_back({kind, std::move(what), std::move(mend)});
  }

  static std::string kindOf(const ReflectedBinding& binding) {
    const bool hasArticle = binding.kind == ReflectedBinding::Kind::Unsupported;
    return (hasArticle ? "" : "a ") + describeKind(binding);
  }

  void compareEntries() {
    if (original_.entry != other_.entry)
      add(Kind::Entry,
          fmt::format("the entry point is `{}` in {}, `{}` in {}", original_.entry, names_.original,
                      other_.entry, names_.other),
          "give both the same name");
  }

  // The variable of that name and kind, which the other module has at another binding.
  static const ReflectedBinding* findMoved(const ReflectedBinding& binding,
                                           const Reflection& other) {
    const std::string unnamed = fmt::format("binding {}.{}", binding.set, binding.binding);
    if (binding.name == unnamed) return nullptr;
    for (const ReflectedBinding& one : other.bindings)
      if (one.name == binding.name && describeKind(one) == describeKind(binding)) return &one;
    return nullptr;
  }

  void tellMissing(const ReflectedBinding& binding) {
    if (const ReflectedBinding* moved = findMoved(binding, other_))
      return add(Kind::Binding,
                 fmt::format("`{}` is binding {}.{} in {}, {}.{} in {}", binding.name, binding.set,
                             binding.binding, names_.original, moved->set, moved->binding,
                             names_.other),
                 "give it the same binding");
    // Nobody misses what is only read.
    if (!binding.isReadOnly)
      add(Kind::Binding,
          fmt::format("{} has no {} at {}, which {} may write", names_.other, describeKind(binding),
                      placeOf(binding), names_.original),
          "keep it, or leave it out of the comparison with `compare = \"none\"` in a scenario");
  }

  void compareBindings(const ReflectedBinding& a, const ReflectedBinding& b) {
    const bool areAlike = a.kind == b.kind && a.isDescriptorArray == b.isDescriptorArray;
    if (!areAlike || (!a.isBuffer() && describeKind(a) != describeKind(b)))
      return add(Kind::Binding,
                 fmt::format("{} is {} in {}, {} in {}", placeOf(a), kindOf(a), names_.original,
                             kindOf(b), names_.other),
                 "declare it the same way in both");
    if (a.isBuffer() && comparesBlocks_) compareBlocks(placeOf(a), a.block, b.block);
  }

  void compareBlocks(const std::string& place, const ReflectedBlock& a, const ReflectedBlock& b) {
    auto tellBlock = [&](const std::string& what, const std::string& in, const std::string& there) {
      add(Kind::Block,
          fmt::format("{} of {} {} in {}, {} in {}", what, place, in, names_.original, there,
                      names_.other),
          "declare it the same way in both, or give --layout-manifest");
    };
    auto lengthText = [](const ReflectedBlock& block) {
      return block.arrayLength ? fmt::format("has {} elements", block.arrayLength)
                               : std::string("is unsized");
    };
    const bool hasArray = a.arrayStride != 0, otherHasArray = b.arrayStride != 0;
    if (hasArray != otherHasArray || !hasArray) {
      if (a.fixedBytes != b.fixedBytes || hasArray != otherHasArray)
        tellBlock("the block", fmt::format("takes at least {} bytes", a.fixedBytes),
                  fmt::format("{}", b.fixedBytes));
    } else if (a.arrayStride != b.arrayStride) {
      tellBlock("an element", fmt::format("takes {} bytes", a.arrayStride),
                fmt::format("{}", b.arrayStride));
    } else if (a.arrayOffset != b.arrayOffset) {
      tellBlock("the array", fmt::format("begins at byte {}", a.arrayOffset),
                fmt::format("at byte {}", b.arrayOffset));
    } else if (a.arrayLength != b.arrayLength) {
      tellBlock("the array", lengthText(a), lengthText(b));
    }
  }

  void comparePushConstants() {
    const uint64_t a = original_.pushConstantBytes, b = other_.pushConstantBytes;
    if (a != b)
      add(Kind::PushConstants,
          fmt::format("{} takes {} bytes of push constants, {} takes {}", names_.original, a,
                      names_.other, b),
          "declare the same block in both");
  }

  void compareWorkgroups() {
    if (original_.workgroupSize != other_.workgroupSize)
      add(Kind::WorkgroupSize,
          fmt::format(
              "a workgroup is {} in {}, {} in {}, and both run the same number of workgroups",
              sizeText(original_.workgroupSize), names_.original, sizeText(other_.workgroupSize),
              names_.other),
          "unless each invocation does the work of several (--coarsen-invocations), give the "
          "[[variant]] its own dispatches in a scenario");
  }

  const Reflection& original_;
  const Reflection& other_;
  const InterfaceNames& names_;
  const bool comparesBlocks_;
  std::vector<InterfaceDifference> all_;
};

// By its name, or as the only entry point.
Result<Reflection> reflectNamed(const ScenarioShader& shader, const ProgramVariant& variant) {
  const auto module = variant.modules.find(shader.name);
  if (module == variant.modules.end()) return failure("no such shader");
  Result<Reflection> named = reflect(module->second, shader.entry, shader.specConstants);
  return named ? std::move(named) : reflect(module->second, "", shader.specConstants);
}

// Specialization constants that are not in both have been compared with one value.
std::vector<InterfaceDifference> compareConstants(const ProgramShader& original,
                                                  const ProgramShader& other,
                                                  const InterfaceNames& names) {
  std::vector<std::string> parts;
  const auto tell = [&](const ProgramShader& from, const ProgramShader& without,
                        const std::string& name) {
    std::vector<uint32_t> ids;
    for (const auto& [id, constant] : from.reflection.specConstants)
      if (!without.reflection.specConstants.contains(id) && !from.specConstants.contains(id))
        ids.push_back(id);
    if (!ids.empty())
      parts.push_back(fmt::format("specialization constant{} {} in {} alone",
                                  ids.size() == 1 ? "" : "s", fmt::join(ids, ", "), name));
  };
  tell(original, other, names.original);
  tell(other, original, names.other);
  if (parts.empty()) return {};
  return {{Kind::Constants, fmt::format("{}, compared by default values", fmt::join(parts, ", ")),
           "declare the same ones in both, or give their values (--spec-const)"}};
}

} // namespace

std::vector<InterfaceDifference> compareInterfaces(const Reflection& original,
                                                   const Reflection& other,
                                                   const InterfaceNames& names,
                                                   bool comparesBlocks) {
  return Comparison(original, other, names, comparesBlocks).run();
}

std::vector<std::vector<InterfaceDifference>>
compareInterfaces(std::span<const Program> programs, std::span<const ProgramVariant> variants) {
  std::vector<std::vector<InterfaceDifference>> all(programs.size());
  for (size_t p = 1; p < programs.size(); ++p) {
    if (!variants[p].dispatches.empty()) continue;
    const InterfaceNames names{programs[0].name, programs[p].name};
    for (size_t s = 0; s < programs[p].shaders.size(); ++s) {
      std::vector<InterfaceDifference> some =
          compareInterfaces(programs[0].shaders[s].reflection, programs[p].shaders[s].reflection,
                            names, variants[p].layouts.buffers.empty());
      std::ranges::move(some, std::back_inserter(all[p]));
      std::ranges::move(compareConstants(programs[0].shaders[s], programs[p].shaders[s], names),
                        std::back_inserter(all[p]));
    }
  }
  return all;
}

std::string describeMisfit(const Scenario& scenario, std::span<const ProgramVariant> variants,
                           const std::string& why) {
  for (const ScenarioShader& shader : scenario.shaders)
    for (size_t p = 1; p < variants.size(); ++p) {
      if (!variants[p].dispatches.empty()) continue;
      Result<Reflection> original = reflectNamed(shader, variants[0]);
      Result<Reflection> other = reflectNamed(shader, variants[p]);
      if (!original || !other) continue;
      const InterfaceNames names{variants[0].name, variants[p].name};
      std::vector<std::string> texts, whats;
      for (const InterfaceDifference& one :
           compareInterfaces(*original, *other, names, variants[p].layouts.buffers.empty()))
        texts.push_back(one.text()), whats.push_back(one.what);
      if (texts.empty()) continue;
      // Who wrote a scenario may well have written it for both.
      return scenario.path.empty()
                 ? fmt::format("interfaces differ: {}", fmt::join(texts, "; "))
                 : fmt::format("{}; interfaces differ: {}", why, fmt::join(whats, "; "));
    }
  return why;
}

} // namespace lanewise::driver
