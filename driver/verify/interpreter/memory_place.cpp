#include "verify/interpreter/memory_place.h"

#include "analysis/module/constants.h"
#include "analysis/module/types.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace lanewise::driver::interpreter {
namespace {

using S = spv::Op;
using Kind = TypeInfo::Kind;

std::string resourceOf(const VariableInfo& variable, std::span<const BufferBinding> bindings) {
  if (variable.storage == spv::StorageClass::Workgroup) return "Workgroup";
  if (variable.storage == spv::StorageClass::PushConstant) return "PushConstant";
  std::set<uint32_t> buffers; // several of an array of descriptors
  for (const BufferBinding& bound : bindings)
    if (bound.set == variable.set && bound.binding == variable.binding)
      buffers.insert(bound.buffer);
  return buffers.empty() ? "" : fmt::format("buffer {}", fmt::join(buffers, ", "));
}

void mix(uint64_t& hash, uint64_t value) { // FNV-1a
  hash = (hash ^ value) * 0x100000001B3u;
}

void mixLayout(uint64_t& hash, const Types& types, Id type) {
  const TypeInfo& t = types.info(type);
  mix(hash, uint64_t(t.kind));
  mix(hash, t.width);
  mix(hash, t.count);
  mix(hash, types.arrayStride(type).value_or(0));
  mix(hash, types.arrayLength(type).value_or(0));
  if (t.kind == Kind::Pointer) return; // it may lead back here
  if (t.element) mixLayout(hash, types, t.element);
  for (uint32_t m = 0; t.kind == Kind::Struct && m < t.count; ++m) {
    mix(hash, types.offset(type, m).value_or(0));
    mixLayout(hash, types, types.member(type, m));
  }
}

Id pointerOf(const Module& module, InstRef inst) {
  const uint32_t word = pointerWord(module.facts(inst));
  return word != 0 ? module.idAt(inst, word) : Id();
}

// The members that an access chain steps into, in front of those that come after it.
void prependMembers(std::string& path, const Program& program, InstRef chain) {
  const Module& module = program.module();
  const Types& types = program.analyses().get<Types>();
  Id type = types.pointee(module.idAt(chain, 3));
  std::string members;
  for (uint32_t w = 4; w < module.wordCount(chain) && type; ++w) {
    const TypeInfo& t = types.info(type);
    if (t.kind != Kind::Struct) {
      type = t.element;
      continue;
    }
    auto index = program.analyses().get<Constants>().value(module.idAt(chain, w));
    if (!index) return;
    members += fmt::format("{}.", index->bits);
    type = types.member(type, uint32_t(index->bits));
  }
  path.insert(0, members);
}

std::optional<std::string> memberOf(const Program& program, InstRef inst, Id variable) {
  const Module& module = program.module();
  std::string path;
  Id pointer = pointerOf(module, inst);
  while (pointer && pointer != variable) {
    InstRef def = module.def(pointer);
    const S op = module.opcode(def);
    if (isAccessChain(op))
      prependMembers(path, program, def);
    else if (op != S::OpCopyObject)
      return {};
    pointer = module.idAt(def, 3);
  }
  return pointer ? std::optional(path) : std::nullopt;
}

} // namespace

MemoryPlace memoryPlaceOf(const Program& program, uint32_t site,
                          std::span<const BufferBinding> bindings) {
  MemoryPlace place;
  const Id id = program.sites[site].variable;
  const auto variable = std::find_if(program.variables.begin(), program.variables.end(),
                                     [=](const VariableInfo& v) { return v.id == id; });
  if (!id || variable == program.variables.end()) return place;
  place.set = variable->set, place.binding = variable->binding;
  if (variable->storage == spv::StorageClass::Workgroup)
    place.kind = MemoryPlace::Kind::Workgroup;
  else if (variable->storage == spv::StorageClass::StorageBuffer ||
           variable->storage == spv::StorageClass::Uniform)
    place.kind = MemoryPlace::Kind::Buffer;
  place.resource = resourceOf(*variable, bindings);
  place.layout = 0xCBF29CE484222325u;
  mixLayout(place.layout, program.analyses().get<Types>(),
            program.analyses().get<Types>().pointee(id));
  place.member = memberOf(program, program.sites[site].inst, id);
  return place;
}

} // namespace lanewise::driver::interpreter
