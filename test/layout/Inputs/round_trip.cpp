// Reads elements, packs and unpacks them with the headers that `lanewise layout header` wrote, and
// reads and writes every field by its accessors.
//
// usage: round_trip AGENTS PACKED-TILED PACKED-SOA THINGS PACKED-THINGS PACKED-REST
#include "soa.h"
#include "tiled.h"
#include "two.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

std::vector<char> read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "round_trip: %s\n", what);
  std::exit(1);
}

template <class T>
std::vector<T> elementsOf(const std::vector<char>& bytes, std::size_t header) {
  std::vector<T> elements((bytes.size() - header) / sizeof(T));
  std::memcpy(static_cast<void*>(elements.data()), bytes.data() + header,
              elements.size() * sizeof(T));
  return elements;
}

bool areSame(const std::vector<std::byte>& ours, const std::vector<char>& theirs) {
  return ours.size() == theirs.size() && std::memcmp(ours.data(), theirs.data(), ours.size()) == 0;
}

template <class T>
bool areSame(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

void checkTiled(const char* from, const char* packedFrom) {
  namespace agents = tiled::agents;
  const auto elements = elementsOf<agents::Agent>(read(from), 0);
  const std::uint64_t count = elements.size();
  std::vector<std::byte> packed(agents::packedSize(count));
  agents::pack(elements.data(), count, packed.data());
  require(areSame(packed, read(packedFrom)), "pack() differs from lanewise layout pack");
  std::vector<agents::Agent> back(count);
  agents::unpack(packed.data(), count, back.data());
  require(areSame(elements, back), "unpack() does not undo pack()");
  for (std::uint64_t i = 0; i < count; ++i) {
    require(agents::get_f0(packed.data(), i, count) == elements[i].f0, "get_f0");
    const auto f4 = agents::get_f4(packed.data(), i, count);
    require(std::memcmp(&f4, &elements[i].f4, 8) == 0, "get_f4");
    require(agents::get_f9(packed.data(), i, count) == elements[i].f9, "get_f9");
    agents::set_f9(packed.data(), i, count, elements[i].f9 + 1);
  }
  agents::unpack(packed.data(), count, back.data());
  for (std::uint64_t i = 0; i < count; ++i) {
    require(back[i].f9 == elements[i].f9 + 1, "set_f9");
    back[i].f9 = elements[i].f9;
  }
  require(areSame(elements, back), "set_f9() changes more than its field");
}

void checkSoa(const char* from, const char* packedFrom) {
  namespace agents = soa::agents;
  const auto elements = elementsOf<agents::Agent>(read(from), 0);
  const std::uint64_t count = elements.size();
  std::vector<std::byte> packed(agents::packedSize(count));
  agents::pack(elements.data(), count, packed.data());
  require(areSame(packed, read(packedFrom)), "pack() of SoA differs from lanewise layout pack");
  std::vector<agents::Agent> back(count);
  agents::unpack(packed.data(), count, back.data());
  require(areSame(elements, back), "unpack() of SoA does not undo pack()");
  for (std::uint64_t i = 0; i < count; ++i)
    require(agents::get_f9(packed.data(), i, count) == elements[i].f9, "get_f9 of SoA");
}

void checkThings(const char* from, const char* packedFrom, const char* restFrom) {
  namespace things = two::things;
  namespace rest = two::rest;
  const std::vector<char> file = read(from);
  const auto elements = elementsOf<things::Thing>(file, things::kHeaderBytes);
  const std::uint64_t count = elements.size();
  std::vector<std::byte> packed(things::packedSize(count));
  std::memcpy(packed.data(), file.data(), things::kHeaderBytes);
  things::pack(elements.data(), count, packed.data());
  require(areSame(packed, read(packedFrom)), "pack() of narrowed fields differs");
  std::vector<things::Thing> back(count);
  things::unpack(packed.data(), count, back.data());
  require(areSame(elements, back), "unpack() of narrowed fields does not undo pack()");
  for (std::uint64_t i = 0; i < count; ++i) {
    require(things::fits(elements[i]), "fits() refuses what fits");
    require(things::get_energy(packed.data(), i, count) == elements[i].energy, "get_energy");
    things::set_energy(packed.data(), i, count, -7);
    require(things::get_kind(packed.data(), i, count) == elements[i].kind, "get_kind");
    require(things::get_energy(packed.data(), i, count) == -7, "set_energy");
    require(things::get_place(packed.data(), i, count) == elements[i].place, "get_place");
  }
  things::Thing large = elements[0];
  large.energy = 256;
  require(!things::fits(large), "fits() takes what does not fit");

  const auto others = elementsOf<rest::thing_rest>(file, rest::kHeaderBytes);
  std::vector<std::byte> packedRest(rest::packedSize(count));
  std::memcpy(packedRest.data(), file.data(), rest::kHeaderBytes);
  rest::pack(others.data(), count, packedRest.data());
  require(areSame(packedRest, read(restFrom)), "pack() of narrowed fields without tiles differs");
  require(rest::get_int_(packedRest.data(), 5, count) == others[5].int_, "get_int_");
}

} // namespace

int main(int argc, char** argv) {
  require(argc == 7, "usage");
  checkTiled(argv[1], argv[2]);
  checkSoa(argv[1], argv[3]);
  checkThings(argv[4], argv[5], argv[6]);
  return 0;
}
