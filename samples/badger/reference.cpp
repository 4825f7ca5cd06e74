// The sample's reference on the CPU: makes up a grid, runs steps of it, and writes both as raw
// integers.
//
// usage: badger_reference WIDTH HEIGHT STEPS INITIAL EXPECTED
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace {

struct Cell {
  uint32_t type, gender, age, moved, lastSex, energy, traits, prefers, wish, food, seed;
};
static_assert(sizeof(Cell) == 44);

constexpr uint32_t kBadger = 128, kRock = 251;
constexpr int kSides[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
constexpr int kAround[8][2] = {{0, -1}, {1, -1}, {1, 0},  {1, 1},
                               {0, 1},  {-1, 1}, {-1, 0}, {-1, -1}};

bool isGround(const Cell& c) {
  return c.type < kBadger;
}
bool isBadger(const Cell& c) {
  return c.type >= kBadger && c.type < kRock;
}
bool isFertile(const Cell& c) {
  return isBadger(c) && c.age >= 18 && c.energy >= 40 && c.age >= c.lastSex + 12;
}
bool isMale(const Cell& c) {
  return c.gender % 2 == 1;
}

uint32_t less(uint32_t a, uint32_t b) {
  return a > b ? a - b : 0;
}
uint32_t capped(uint32_t a, uint32_t most) {
  return a < most ? a : most;
}

class Grid {
public:
  Grid(int width, int height) : width_(width), height_(height), cells_(size_t(width) * height) {}

  std::vector<Cell>& cells() { return cells_; }
  size_t index(int x, int y) const {
    return size_t((y + height_) % height_) * size_t(width_) + size_t((x + width_) % width_);
  }
  const Cell& at(int x, int y) const { return cells_[index(x, y)]; }

  template <class Phase>
  void run(Phase phase) {
    std::vector<Cell> next(cells_.size());
    for (int y = 0; y < height_; ++y)
      for (int x = 0; x < width_; ++x) next[index(x, y)] = (this->*phase)(x, y);
    cells_ = std::move(next);
  }

  void step() {
    run(&Grid::decided);
    run(&Grid::moved);
    run(&Grid::mated);
  }

private:
  static Cell withoutBadger(const Cell& c) {
    Cell bare{};
    bare.food = c.food;
    bare.seed = c.seed;
    return bare;
  }

  Cell decided(int x, int y) {
    Cell c = at(x, y);
    c.seed = c.seed * 1664525u + 1013904223u + 2 * uint32_t(index(x, y));
    c.moved = c.wish = 0;
    if (isGround(c) && c.seed / (1u << 28) < 5) c.food = capped(c.food + 1, 255);
    if (!isBadger(c)) return c;
    const uint32_t bite = capped(c.food, 6 + c.traits % 4);
    c.food -= bite;
    ++c.age;
    c.energy = less(capped(c.energy + bite, 1000), 3);
    if (c.energy == 0 || c.age > 300 + c.traits) {
      c.food = capped(c.food + 20, 255);
      return withoutBadger(c);
    }
    uint32_t best = c.food;
    for (uint32_t d = 0; d < 4; ++d) {
      const Cell& there = at(x + kSides[d][0], y + kSides[d][1]);
      const uint32_t worth = there.food + (c.prefers % 4 == d ? 16 : 0);
      if (!isGround(there) || worth <= best) continue;
      best = worth;
      c.wish = d + 1;
    }
    return c;
  }

  /// The direction in which the badger walks that comes to (x, y), or -1.
  int comer(int x, int y) const {
    for (int d = 0; d < 4; ++d) {
      const Cell& from = at(x - kSides[d][0], y - kSides[d][1]);
      if (isBadger(from) && from.wish == uint32_t(d) + 1) return d;
    }
    return -1;
  }

  Cell moved(int x, int y) {
    Cell c = at(x, y);
    if (isGround(c)) {
      const int d = comer(x, y);
      c.wish = 0;
      if (d < 0) return c;
      Cell guest = at(x - kSides[d][0], y - kSides[d][1]);
      guest.wish = 0;
      guest.moved = 1;
      guest.energy = less(guest.energy, 1);
      guest.food = c.food;
      guest.seed = c.seed;
      return guest;
    }
    const int d = int(c.wish) - 1;
    c.wish = 0;
    const bool leaves = d >= 0 && comer(x + kSides[d][0], y + kSides[d][1]) == d;
    return leaves ? withoutBadger(c) : c;
  }

  bool isMother(int x, int y) const { return isFertile(at(x, y)) && !isMale(at(x, y)); }

  int fatherBeside(int x, int y) const {
    for (int d = 0; d < 8; ++d) {
      const Cell& other = at(x + kAround[d][0], y + kAround[d][1]);
      const uint32_t dislikes = (at(x, y).prefers ^ other.traits) >> 2 & 3;
      if (isFertile(other) && isMale(other) && dislikes != 3) return d;
    }
    return -1;
  }
  int nestBeside(int x, int y) const {
    for (int d = 0; d < 8; ++d)
      if (isGround(at(x + kAround[d][0], y + kAround[d][1]))) return d;
    return -1;
  }

  Cell mated(int x, int y) {
    Cell c = at(x, y);
    if (isGround(c)) return withChild(x, y);
    if (!isFertile(c)) return c;
    if (!isMale(c)) {
      if (fatherBeside(x, y) < 0) return c;
      c.lastSex = c.age;
      c.energy -= 20;
      return c;
    }
    for (int d = 0; d < 8; ++d) {
      const int mx = x + kAround[d][0], my = y + kAround[d][1];
      if (!isMother(mx, my) || fatherBeside(mx, my) != (d + 4) % 8) continue;
      c.lastSex = c.age;
      c.energy -= 5;
      break;
    }
    return c;
  }

  Cell withChild(int x, int y) const {
    const Cell& c = at(x, y);
    for (int d = 0; d < 8; ++d) {
      const int mx = x + kAround[d][0], my = y + kAround[d][1];
      if (!isMother(mx, my)) continue;
      const int f = fatherBeside(mx, my);
      if (f < 0 || nestBeside(mx, my) != (d + 4) % 8) continue;
      const Cell &mother = at(mx, my), &father = at(mx + kAround[f][0], my + kAround[f][1]);
      Cell young = withoutBadger(c);
      young.type = kBadger;
      young.gender = c.seed >> 24 & 1;
      young.energy = 60;
      young.traits = ((mother.traits & c.seed >> 8) | (father.traits & ~(c.seed >> 8))) & 255;
      young.prefers = ((mother.prefers & c.seed >> 16) | (father.prefers & ~(c.seed >> 16))) & 255;
      return young;
    }
    return c;
  }

  int width_, height_;
  std::vector<Cell> cells_;
};

void makeUp(std::vector<Cell>& cells) {
  uint32_t state = 12345;
  auto draw = [&] {
    state = state * 1664525u + 1013904223u;
    return state >> 24;
  };
  for (Cell& c : cells)
    for (uint32_t* field : {&c.type, &c.gender, &c.age, &c.moved, &c.lastSex, &c.energy, &c.traits,
                            &c.prefers, &c.wish, &c.food, &c.seed})
      *field = draw();
}

bool write(const char* path, const std::vector<Cell>& cells) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(cells.data()),
             std::streamsize(cells.size() * sizeof(Cell)));
  file.close();
  if (!file) std::fprintf(stderr, "badger_reference: cannot write %s\n", path);
  return bool(file);
}

void report(const std::vector<Cell>& cells, int steps) {
  size_t badgers = 0, young = 0, moved = 0;
  for (const Cell& c : cells) {
    badgers += isBadger(c);
    young += isBadger(c) && c.age < 18;
    moved += c.moved == 1;
  }
  std::printf("after %d steps: %zu badgers on %zu cells, %zu of them young, %zu moved\n", steps,
              badgers, cells.size(), young, moved);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fprintf(stderr, "usage: badger_reference WIDTH HEIGHT STEPS INITIAL EXPECTED\n");
    return 1;
  }
  const int width = std::atoi(argv[1]), height = std::atoi(argv[2]), steps = std::atoi(argv[3]);
  if (width < 16 || height < 16 || width > 4096 || height > 4096 || steps < 0) {
    std::fprintf(stderr, "badger_reference: a grid of 16 to 4096 cells each way, please\n");
    return 1;
  }
  Grid grid(width, height);
  makeUp(grid.cells());
  if (!write(argv[4], grid.cells())) return 1;
  for (int n = 0; n < steps; ++n) grid.step();
  report(grid.cells(), steps);
  return write(argv[5], grid.cells()) ? 0 : 1;
}
