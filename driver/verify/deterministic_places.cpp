#include "verify/deterministic_places.h"

#include <algorithm>
#include <cstring>

namespace lanewise::driver {
namespace {

using interpreter::AccessEvent;
using interpreter::Instr;
using interpreter::Op;

constexpr uint64_t kMostPlaces = uint64_t(1) << 22; // of all buffers; one takes 10 bytes
constexpr uint32_t kMostStores = 64;                // as many as a word of bits tells apart

uint64_t bitOf(uint32_t store) {
  return store == 0 ? 0 : uint64_t(1) << (store - 1);
}

bool isStore(const interpreter::Program& code, const Instr& i) {
  const spv::Op op = code.opcodeAt(i.site);
  return i.op == Op::StoreMemory || i.op == Op::StoreMatrix || op == spv::Op::OpImageWrite ||
         (i.op == Op::Atomic && op != spv::Op::OpAtomicLoad);
}

bool mayRound(spv::Op op) {
  return op == spv::Op::OpAtomicFAddEXT || op == spv::Op::OpAtomicCompareExchange;
}

} // namespace

DeterministicPlaces::DeterministicPlaces(const Program& program, std::span<const Buffer> buffers)
    : program_(program), code_(program.shaders.size()), hasStored_(program.shaders.size()) {
  uint64_t all = 0;
  for (const Buffer& buffer : buffers) {
    const uint64_t places = (buffer.bytes + buffer.scalarBytes - 1) / buffer.scalarBytes;
    if (all + places > kMostPlaces) continue;
    all += places;
    Watched& watched = watched_[buffer.number];
    watched.scalarBytes = buffer.scalarBytes;
    watched.stores.resize(size_t(places));
  }
}

void DeterministicPlaces::beginRun() {
  for (auto& [buffer, watched] : watched_) watched.last.assign(watched.stores.size(), 0);
}

void DeterministicPlaces::endRun(InterpreterRunner& runner) {
  for (auto& [buffer, watched] : watched_) {
    std::vector<uint8_t> bytes = runner.contents(buffer);
    if (!isFirst_) {
      compareWithFirst(watched, bytes);
    } else {
      watched.bytes = std::move(bytes);
      watched.first.swap(watched.last);
    }
  }
  isFirst_ = false;
}

void DeterministicPlaces::compareWithFirst(Watched& watched, std::span<const uint8_t> bytes) {
  for (size_t place = 0; place < watched.stores.size(); ++place) {
    const uint8_t before = watched.first[place], now = watched.last[place];
    const size_t at = place * watched.scalarBytes;
    const size_t count = std::min<size_t>(watched.scalarBytes, bytes.size() - at);
    if (before == now && std::memcmp(&watched.bytes[at], &bytes[at], count) == 0) continue;
    varying_ |= bitOf(before) | bitOf(now);
    // What a copy leaves is written by nobody.
    if (before == 0 || now == 0) watched.areSameWritten = false;
  }
}

std::vector<uint8_t> DeterministicPlaces::of(uint32_t buffer) const {
  const auto found = watched_.find(buffer);
  if (found == watched_.end() || isFirst_ || numbers_.size() > kMostStores ||
      hasOtherStores(buffer))
    return {};
  const Watched& watched = found->second;
  std::vector<uint8_t> is(watched.bytes.size());
  for (size_t at = 0; at < is.size(); ++at) {
    const uint64_t stores = watched.stores[at / watched.scalarBytes];
    is[at] = stores == 0 ? watched.areSameWritten : (stores & varying_) == 0;
  }
  return is;
}

bool DeterministicPlaces::hasOtherStores(uint32_t buffer) const {
  for (uint32_t shader = 0; shader < code_.size(); ++shader) {
    const interpreter::Program* code = code_[shader];
    if (!code) return true; // no workgroup of it has run
    for (const Instr& i : code->code)
      if (isStore(*code, i) && !hasStored_[shader][i.site] &&
          mayStoreTo(buffer, shader, code->sites[i.site].variable))
        return true;
  }
  return false;
}

bool DeterministicPlaces::mayStoreTo(uint32_t buffer, uint32_t shader, Id variable) const {
  const std::vector<interpreter::VariableInfo>& all = code_[shader]->variables;
  const auto info = std::ranges::find(all, variable, &interpreter::VariableInfo::id);
  if (!variable || info == all.end()) return true;
  if (info->storage == spv::StorageClass::Workgroup) return false;
  for (const ProgramDispatch& dispatch : program_.dispatches)
    for (const ProgramDispatch::Binding& bound : dispatch.bindings)
      if (dispatch.shader == shader && bound.set == info->set && bound.binding == info->binding &&
          bound.buffer == buffer)
        return true;
  return false;
}

void DeterministicPlaces::beginDispatch(uint32_t shader, const interpreter::Program& code,
                                        const std::array<uint32_t, 3>&) {
  shader_ = shader;
  code_[shader] = &code;
  hasStored_[shader].resize(code.sites.size());
}

void DeterministicPlaces::access(const AccessEvent& event) {
  if (event.isWrite) store(event);
}
void DeterministicPlaces::texel(const AccessEvent& event) {
  store(event);
}

void DeterministicPlaces::store(const AccessEvent& event) {
  hasStored_[shader_][event.site] = true;
  const auto found = watched_.find(interpreter::objectOf(event.address) - 1);
  if (found == watched_.end()) return;
  Watched& watched = found->second;
  const uint64_t from = interpreter::offsetOf(event.address), to = from + event.bytes;
  const uint64_t first = from / watched.scalarBytes;
  for (uint64_t place = first; place * watched.scalarBytes < to && place < watched.stores.size();
       ++place) {
    const auto [known, isNew] = numbers_.try_emplace({shader_, event.site, uint32_t(place - first)},
                                                     uint32_t(numbers_.size() + 1));
    const uint32_t number = known->second;
    if (number > kMostStores) return;
    // A sum of few floats may well be the same in a few orders, and a loop around a
    // compare-exchange may be one.
    if (isNew && mayRound(code_[shader_]->opcodeAt(event.site))) varying_ |= bitOf(number);
    watched.stores[place] |= bitOf(number);
    watched.last[place] = uint8_t(number);
  }
}

} // namespace lanewise::driver
