// What the race detector says of small programs, run in one order: nothing, a race, or a race by
// the letter of the memory model (docs/design/interpreter.md). Each line says why.
#include "race_kernels.h"
#include "verify/interpreter/lower/lower_program.h"

#include <set>

namespace {

using namespace lanewise;
using namespace lanewise::test;

// at(who, what): one invocation of the dispatch does it. Invocations run in ascending order, in
// workgroups of 64 and subgroups of 4. release() and acquire() are by atomics that are set and
// read.
constexpr const char* kSteps = R"(
#define at(who, what) if (gl_GlobalInvocationID.x == who) { what; }
#define set(f) atomicStore(f, 1u, kDevice, 0, 0)
#define get(f) atomicLoad(f, kDevice, 0, 0)
#define add(f) atomicAdd(f, 1u, kDevice, 0, 0)
#define release(f) atomicStore(f, 1u, kDevice, kBuffer, kRelease)
#define acquire(f) atomicLoad(f, kDevice, kBuffer, kAcquire)
#define releaseFence(scope, classes) memoryBarrier(scope, classes, kRelease)
#define acquireFence(scope, classes) memoryBarrier(scope, classes, kAcquire)
#define meet(scope, classes, semantics) controlBarrier(kWorkgroup, scope, classes, semantics)
#define meetUnordered() controlBarrier(kWorkgroup, kWorkgroup, 0, 0)
#line 1
)";

constexpr const char *kNone = "", *kReadWrite = "race-read-write", *kLetter = "race-incomplete",
                     *kSame = "race-same-value", *kWriteWrite = "race-write-write",
                     *kBothWays = "race-write-write race-read-write";

struct Row {
  const char* verdict;
  uint32_t groups;
  const char* program;
};

// Of the accesses to `variable`.
std::string verdictOf(const Row& row, const std::string& head, const std::string& variable) {
  interp::MachineOptions options;
  options.subgroupSize = 4;
  Interpreted it = runKernel(kernel(row.program, head + kSteps), row.groups, options);
  std::set<interp::FindingKind> kinds;
  for (const interp::Finding& f : it.result.findings)
    if (f.variable == variable && interp::isRace(f.kind)) kinds.insert(f.kind);
  std::string text;
  for (interp::FindingKind kind : kinds)
    text += (text.empty() ? "" : " ") + std::string(nameOf(kind));
  return text;
}

void expectVerdicts(std::initializer_list<Row> rows, const std::string& head = kHead,
                    const std::string& variable = "B") {
  for (const Row& row : rows) EXPECT_EQ(verdictOf(row, head, variable), row.verdict) << row.program;
}

// ----- by atomics -----

// By the model an atomic that releases nothing is ordered before nothing; but who is told by a
// later atomic on the place comes behind it as well.
TEST(RaceVerdicts, BehindALaterAtomicOnThePlace) {
  const std::string head = std::string(kHead) + R"(
shared bool isLast;
bool comesLast(uint before) { return atomicAdd(b[0], 1u, kDevice, 0, 0) == before; }
void setBack() { b[0] = 0; }
#define fence releaseFence(kDevice, kBuffer)
#define ticket atomicAdd(b[0], 1u, kDevice, 0, 0)
#define first gl_LocalInvocationIndex == 0
)";
  expectVerdicts(
      {
          // The last of three, whoever that is.
          {kLetter, 3, "fence; if (first) if (ticket == 2u) b[0] = 0;"},
          {kLetter, 3, "fence; if (first) { if (ticket != 2u) return; b[0] = 0; }"},
          {kLetter, 3, "fence; if (first) if (ticket == 2u) a[9] = b[0];"},
          {kLetter, 3, "fence; if (first) if (comesLast(2)) setBack();"},
          {kLetter, 3,
           "fence; if (first) { bool yes = false; if (ticket == 2u) yes = true; "
           "if (yes) b[0] = 0; }"},
          {kLetter, 3,
           "fence; if (first) isLast = ticket == 2u; barrier(); "
           "if (isLast && first) b[0] = 0;"},
          {kLetter, 1, "fence; if (ticket == 63u) b[0] = 0;"},
          // What it was told does not lead there, or was told of another place.
          {kWriteWrite, 3, "fence; if (first) { ticket; if (gl_WorkGroupID.x == 2) b[0] = 0; }"},
          {kWriteWrite, 3,
           "fence; if (first) { if (ticket == 2u) a[9] = 1; "
           "if (gl_WorkGroupID.x == 2) b[0] = 0; }"},
          {kWriteWrite, 3,
           "fence; if (first) { uint n = atomicAdd(a[0], 1u, kDevice, 0, 0); ticket; "
           "if (n == 2u) b[0] = 0; }"},
          // In front of the atomic, or behind a plain access of another one.
          {"race-write-write race-read-write race-same-value", 2,
           "fence; if (first) { a[9] = b[0]; b[0] = 0; if (ticket == 9u) a[8] = 1; }"},
          {"race-write-write race-same-value", 2,
           "fence; if (first) { b[0] = 3; if (ticket == 4u) b[0] = a[1]; }"},
          // Of another atomic there it was not told that all have come.
          {kWriteWrite, 3, "fence; if (first) { if (ticket == 2u) b[0] = 0; atomicOr(b[0], 0u); }"},
          // What only reads has no place in that order.
          {kReadWrite, 2, "fence; at(0, a[8] = get(b[0])) at(64, if (ticket == 0u) b[0] = 0)"},
          // Another one comes later.
          {"race-write-write race-same-value", 2, "fence; if (first) if (ticket == 0u) b[0] = 0;"},
          // Not atomic with one another: there is no such order.
          {"race-write-write race-incomplete", 3,
           "fence; if (first) if (atomicAdd(b[0], 1u, kWorkgroup, 0, 0) == 2u) "
           "b[0] = 0;"},
      },
      head);
}

TEST(RaceVerdicts, ReleasesAndAcquires) {
  expectVerdicts({
      {kNone, 2, "at(0, b[0] = 1; release(a[0])) at(64, acquire(a[0]); a[9] = b[0])"},
      {kNone, 2, "at(0, a[9] = b[0]; release(a[0])) at(64, acquire(a[0]); b[0] = 1)"},
      {kNone, 2, "at(0, b[0] = 1; release(a[0])) at(64, acquire(a[0]); b[0] = 2)"},
      // Nothing is released.
      {kReadWrite, 2, "at(0, b[0] = 1; set(a[0])) at(64, acquire(a[0]); a[9] = b[0])"},
      {kReadWrite, 2, "at(0, a[9] = b[0]; set(a[0])) at(64, acquire(a[0]); b[0] = 0)"},
      {kWriteWrite, 2, "at(0, b[0] = 1; set(a[0])) at(64, acquire(a[0]); b[0] = 2)"},
      {kSame, 2, "at(0, b[0] = 1; set(a[0])) at(64, acquire(a[0]); b[0] = 1)"},
      {kReadWrite, 2, "at(0, b[0] = 1; set(a[0])) at(64, a[9] = b[0])"},
      {kSame, 1, "at(0, b[0] = 1; set(a[0])) at(1, acquire(a[0]); b[0] = 1)"},
      {kReadWrite, 1, "at(0, a[9] = b[0]; set(a[0])) at(1, acquire(a[0]); b[0] = 0)"},
      // What is read is not what was released.
      {kReadWrite, 2, "at(0, b[0] = 1; release(a[0])) at(64, acquire(a[1]); a[9] = b[0])"},
      // Behind the release, and in front of the acquire.
      {kReadWrite, 2, "at(0, release(a[0]); b[0] = 1) at(64, acquire(a[0]); a[9] = b[0])"},
      {kReadWrite, 2, "at(0, b[0] = 1; release(a[0])) at(64, a[9] = b[0]; acquire(a[0]))"},
      // Heard of, not acquired.
      {kLetter, 2, "at(0, b[0] = 1; release(a[0])) at(64, get(a[0]); a[9] = b[0])"},
      // The acquire comes before what it could acquire, or only releases.
      {kLetter, 2,
       "at(0, b[0] = 1; release(a[0])) at(64, acquireFence(kDevice, kBuffer); get(a[0]);\n"
       "a[9] = b[0])"},
      {kLetter, 2,
       "at(0, b[0] = 1; release(a[0])) at(64, get(a[0]); releaseFence(kDevice, kBuffer);\n"
       "a[9] = b[0])"},
  });
}

TEST(RaceVerdicts, ReleaseSequences) {
  expectVerdicts({
      {kNone, 3,
       "at(0, b[0] = 1; release(a[0])) at(64, add(a[0])) at(128, acquire(a[0]); a[9] = b[0])"},
      // A store ends it, and if it is the releasing invocation's own; the lenient relation takes
      // all that this one has released.
      {kReadWrite, 3,
       "at(0, b[0] = 1; release(a[0])) at(64, set(a[0])) at(128, acquire(a[0]); a[9] = b[0])"},
      {kLetter, 2, "at(0, b[0] = 1; release(a[0]); set(a[0])) at(64, acquire(a[0]); a[9] = b[0])"},
      // Those who go on with it need not acquire what it is about.
      {kLetter, 3,
       "at(0, b[0] = 1; release(a[0])) at(64, atomicAdd(a[0], 1u, kDevice, kShared, kAcquire))\n"
       "at(128, get(a[0]); a[9] = b[0])"},
      // A plain write ends it: in a buffer, and in memory that no semantics name.
      {kReadWrite, 3,
       "at(0, b[0] = 1; release(a[0])) at(64, a[0] = 5) at(128, acquire(a[0]); a[9] = b[0])"},
      {kReadWrite, 1,
       "at(0, b[0] = 1; atomicStore(flag, 1u, kWorkgroup, kBuffer, kRelease)) at(1, flag = 5)\n"
       "at(2, atomicLoad(flag, kWorkgroup, kBuffer, kAcquire); a[9] = b[0])"},
      // A workgroup's shared memory is not the next one's.
      {kReadWrite, 2,
       "add(a[1]); at(0, b[0] = 1; atomicStore(flag, 1u, kDevice, kBuffer, kRelease))\n"
       "at(64, atomicLoad(flag, kDevice, kBuffer, kAcquire); a[9] = b[0])"},
  });
}

TEST(RaceVerdicts, ChainsOfHandOvers) {
  expectVerdicts({
      {kNone, 3,
       "at(0, b[0] = 1; release(a[0])) at(64, acquire(a[0]); release(a[1]))\n"
       "at(128, acquire(a[1]); a[9] = b[0])"},
      // The one in the middle has only heard of it, and tells that to all, or to the workgroup.
      {kLetter, 3,
       "at(0, b[0] = 1; release(a[0])) at(64, get(a[0]); release(a[1]))\n"
       "at(128, acquire(a[1]); a[9] = b[0])"},
      {kLetter, 2,
       "at(0, b[0] = 1; release(a[0])) at(1, get(a[0]); set(a[1]))\n"
       "at(64, acquire(a[1]); a[9] = b[0])"},
      {kReadWrite, 2,
       "at(0, b[0] = 1; atomicStore(a[0], 1u, kWorkgroup, kBuffer, kRelease))\n"
       "at(1, get(a[0]); set(a[1])) at(64, acquire(a[1]); a[9] = b[0])"},
      // Acquired from an earlier load of other semantics, passed on, and not acquired there.
      {kLetter, 3,
       "at(0, b[0] = 1; release(a[0])) at(64, atomicLoad(a[0], kDevice, kShared, kAcquire);\n"
       "acquireFence(kDevice, kBuffer); release(a[1])) at(128, get(a[1]); a[9] = b[0])"},
      // Acquired by a barrier of the subgroup, passed on, and not acquired there.
      {kLetter, 2,
       "if (w == 0 && t < 4) b[t] = 1; controlBarrier(kSubgroup, kSubgroup, kBuffer, kBoth);\n"
       "at(0, release(a[0])) at(64, get(a[0]); a[9] = b[3])"},
  });
}

TEST(RaceVerdicts, Fences) {
  expectVerdicts({
      // The later fence is narrower, or names another class, and takes nothing away.
      {kNone, 2,
       "at(0, b[0] = 1; releaseFence(kDevice, kBuffer); releaseFence(kWorkgroup, kBuffer);\n"
       "set(a[0])) at(64, acquire(a[0]); a[9] = b[0])"},
      {kNone, 1,
       "b[t] = 1; releaseFence(kWorkgroup, kBuffer); releaseFence(kWorkgroup, kShared);\n"
       "meetUnordered(); acquireFence(kWorkgroup, kBuffer); a[t] = b[63 - t];"},
      {kNone, 1,
       "b[t] = 1; releaseFence(kWorkgroup, kShared); releaseFence(kDevice, kBuffer);\n"
       "meetUnordered(); acquireFence(kWorkgroup, kBuffer); a[t] = b[63 - t];"},
      // Too narrow, on either side, for the other workgroup or subgroup.
      {kReadWrite, 2,
       "at(0, b[0] = 1; releaseFence(kWorkgroup, kBuffer); set(a[0]))\n"
       "at(64, acquire(a[0]); a[9] = b[0])"},
      {kReadWrite, 1,
       "at(0, b[0] = 1; releaseFence(kSubgroup, kBuffer); set(a[0]))\n"
       "at(4, acquire(a[0]); a[9] = b[0])"},
      {kLetter, 2,
       "at(0, b[0] = 1; release(a[0])) at(64, get(a[0]); acquireFence(kWorkgroup, kBuffer);\n"
       "a[9] = b[0])"},
      {kReadWrite, 1,
       "b[t] = 1; releaseFence(kSubgroup, kBuffer); meetUnordered();\n"
       "acquireFence(kWorkgroup, kBuffer); a[t] = b[63 - t];"},
      {kReadWrite, 1, "b[t] = 1; releaseFence(kSubgroup, kBuffer); barrier(); a[t] = b[63 - t];"},
      // Of the flag's class, or it is none for this flag.
      {kLetter, 1,
       "at(0, b[0] = 1; releaseFence(kWorkgroup, kBuffer); atomicStore(flag, 1u, kWorkgroup, 0, "
       "0))\n"
       "at(1, atomicLoad(flag, kWorkgroup, kBuffer, kAcquire); a[9] = b[0])"},
  });
}

TEST(RaceVerdicts, ScopesOfAtomics) {
  expectVerdicts({
      {kNone, 1,
       "at(60, b[0] = 1; atomicStore(a[0], 1u, kSubgroup, kBuffer, kRelease))\n"
       "at(61, atomicLoad(a[0], kSubgroup, kBuffer, kAcquire); a[9] = b[0])"},
      // In another subgroup than the one that wrote, whichever of the two is narrow.
      {kReadWrite, 1,
       "at(0, b[0] = 1; atomicStore(a[0], 1u, kSubgroup, kBuffer, kRelease))\n"
       "at(4, acquire(a[0]); a[9] = b[0])"},
      {kReadWrite, 1,
       "at(0, b[0] = 1; atomicStore(a[0], 1u, kWorkgroup, kBuffer, kRelease))\n"
       "at(4, atomicLoad(a[0], kSubgroup, kBuffer, kAcquire); a[9] = b[0])"},
      // What is read was written in between by somebody whom it is not atomic with.
      {kReadWrite, 3,
       "at(0, b[0] = 1; release(a[0])) at(64, atomicStore(a[0], 2u, kWorkgroup, 0, 0))\n"
       "at(128, acquire(a[0]); a[9] = b[0])"},
      {kReadWrite, 1,
       "at(4, b[0] = 1; atomicStore(a[0], 1u, kSubgroup, kBuffer, kRelease)) barrier();\n"
       "at(0, atomicStore(a[0], 2u, kSubgroup, 0, 0)) barrier();\n"
       "at(6, atomicLoad(a[0], kSubgroup, kBuffer, kAcquire)) at(9, a[9] = b[0])"},
      {kLetter, 1,
       "at(4, b[0] = 1; atomicStore(a[0], 1u, kSubgroup, kBuffer, kRelease)) barrier();\n"
       "at(0, atomicStore(a[0], 2u, kSubgroup, 0, 0)) barrier();\n"
       "at(6, atomicLoad(a[0], kSubgroup, kBuffer, kAcquire); a[9] = b[0])"},
      {kLetter, 1,
       "at(4, b[0] = 1; atomicStore(a[0], 1u, kSubgroup, kBuffer, kRelease)) barrier();\n"
       "at(0, atomicAdd(a[0], 2u, kSubgroup, 0, 0)) barrier();\n"
       "at(6, atomicLoad(a[0], kSubgroup, kBuffer, kAcquire); a[9] = b[0])"},
      // A wide atomic goes on with a sequence that a narrow release heads, and makes it no wider.
      {kReadWrite, 2,
       "at(0, b[0] = 1; atomicStore(a[0], 1u, kWorkgroup, kBuffer, kRelease); add(a[0]))\n"
       "at(64, acquire(a[0]); a[9] = b[0])"},
  });
  // Of another size.
  expectVerdicts(
      {
          {kNone, 2,
           "at(0, a[0] = 1; atomicStore(b64[0], 1ul, kDevice, kBuffer, kRelease))\n"
           "at(64, atomicLoad(b64[0], kDevice, kBuffer, kAcquire); a[9] = a[0])"},
          {kReadWrite, 2,
           "at(0, a[0] = 1; atomicStore(b64[0], 1ul, kDevice, kBuffer, kRelease))\n"
           "at(64, acquire(b[0]); a[9] = a[0])"},
      },
      kViewsHead, "A");
}

// ----- atomics that race -----

TEST(RaceVerdicts, AtomicsAreNotAlike) {
  expectVerdicts(
      {
          {kNone, 2, "at(0, add(b[0])) at(64, add(b[0]))"},
          {kNone, 1, "at(0, atomicAdd(b[0], 1u, kSubgroup, 0, 0)) at(1, add(b[0]))"},
          {kLetter, 2, "at(0, atomicAdd(b[0], 1u, kWorkgroup, 0, 0)) at(64, add(b[0]))"},
          {kLetter, 1, "at(0, atomicAdd(b[0], 1u, kSubgroup, 0, 0)) at(4, add(b[0]))"},
          {kLetter, 1, "at(0, add(b[0])) at(4, atomicAdd(b[0], 1u, kSubgroup, 0, 0))"},
          // Two that only read.
          {kNone, 2, "at(0, atomicLoad(b[0], kWorkgroup, 0, 0)) at(64, get(b[0]))"},
          {kNone, 1, "at(0, a[9] = b[0]) at(1, get(b[0]))"},
          // Of other sizes.
          {kLetter, 1, "at(0, atomicAdd(b64[0], 1ul, kDevice, 0, 0)) at(1, add(b[1]))"},
          // One of another subgroup still is there, though there has come one of the own subgroup.
          {kLetter, 1,
           "at(0, atomicAdd(b[0], 1u, kSubgroup, 0, 0); release(a[0]))\n"
           "at(60, acquire(a[0]); atomicAdd(b[0], 1u, kSubgroup, 0, 0))\n"
           "at(61, atomicAdd(b[0], 1u, kSubgroup, 0, 0))"},
      },
      kViewsHead);
  expectVerdicts(
      {
          // The earlier one of an invocation still is there, though it has done another one since.
          {kLetter, 1,
           "at(0, add(b[0]); atomicAdd(b64[0], 1ul, kDevice, 0, 0))\n"
           "at(1, atomicAdd(b64[0], 1ul, kDevice, 0, 0))"},
      },
      kViewsHead, "P");
}

TEST(RaceVerdicts, AtomicsBesidePlainAccesses) {
  expectVerdicts({
      {kReadWrite, 1, "at(0, add(b[0])) at(1, a[9] = b[0])"},
      {kReadWrite, 1, "at(0, a[9] = b[0]) at(1, add(b[0]))"},
      {kWriteWrite, 1, "at(0, add(b[0])) at(1, b[0] = 1)"},
      {kWriteWrite, 1, "at(0, b[0] = 1) at(1, add(b[0]))"},
      {kReadWrite, 1, "at(0, get(b[0])) at(1, b[0] = 1)"},
      {kReadWrite, 1, "at(0, b[0] = 1) at(1, get(b[0]))"},
      {kNone, 1, "at(0, get(b[0])) at(1, a[9] = b[0]) at(2, b[1] = 0)"},
      {kNone, 1, "at(0, a[9] = b[0]) at(1, get(b[0])) at(2, b[1] = 0)"},
      // The same between workgroups.
      {kReadWrite, 2, "at(0, add(b[0])) at(64, a[9] = b[0])"},
      {kReadWrite, 2, "at(0, a[9] = b[0]) at(64, add(b[0]))"},
      {kWriteWrite, 2, "at(0, add(b[0])) at(64, b[0] = 1)"},
      {kWriteWrite, 2, "at(0, b[0] = 1) at(64, add(b[0]))"},
      {kReadWrite, 2, "at(0, get(b[0])) at(64, b[0] = 1)"},
      {kReadWrite, 2, "at(0, b[0] = 1) at(64, get(b[0]))"},
      {kNone, 2, "at(0, get(b[0])) at(64, a[9] = b[0]) at(2, b[1] = 0)"},
      // Within a workgroup by a flag in shared memory, and other workgroups elsewhere.
      {kNone, 2,
       "at(0, b[0] = 1; atomicStore(flag, 1u, kWorkgroup, kBuffer, kRelease))\n"
       "at(1, atomicLoad(flag, kWorkgroup, kBuffer, kAcquire); add(b[0])) at(64, add(b[1]))"},
      // Within a workgroup by a flag, and other workgroups elsewhere.
      {kNone, 2,
       "at(0, b[0] = 1; atomicStore(a[0], 1u, kWorkgroup, kBuffer, kRelease))\n"
       "at(1, atomicLoad(a[0], kWorkgroup, kBuffer, kAcquire); add(b[0])) at(64, add(b[1]))"},
      {kReadWrite, 2,
       "at(0, b[0] = 1; atomicStore(a[0], 1u, kWorkgroup, kBuffer, kRelease))\n"
       "at(1, atomicLoad(a[0], kWorkgroup, kBuffer, kAcquire); add(b[0])) at(64, get(b[0]))"},
  });
}

// ----- who has been seen -----

TEST(RaceVerdicts, NobodyIsForgotten) {
  expectVerdicts({
      // The second reader and the second writer, where barriers are all that orders.
      {kReadWrite, 1, "if (t < 2) a[t] = b[0]; barrier(); at(0, b[0] = 1)"},
      {kBothWays, 1, "if (t < 2) b[0] = t; barrier(); at(0, a[9] = b[0])"},
      {"race-write-write race-same-value", 1, "if (t < 2) b[0] = 7; barrier(); at(0, b[0] = 5)"},
      {kWriteWrite, 1, "if (t < 2) add(b[0]); barrier(); at(0, b[0] = 1)"},
      {kReadWrite, 1, "if (t < 2) get(b[0]); barrier(); at(0, b[0] = 1)"},
      {kReadWrite, 1, "if (t < 2) a[t] = b[0]; barrier(); at(0, add(b[0]))"},
      // Of three workgroups the first one's readers, in whatever order those of the others came.
      {kReadWrite, 2,
       "at(40, a[9] = b[0]) if (w == 1 && (t == 2 || t == 10 || t == 20 || t == 60)) a[t] = b[0];\n"
       "barrier(); at(104, a[9] = b[0]) meet(kDevice, kBuffer, kBoth); at(64, b[0] = 0)"},
      // All lanes have read by one access, and the first of them writes.
      {kReadWrite, 1,
       "a[t] = b[0]; barrier(); at(0, releaseFence(kDevice, kBuffer); b[0] = 0; set(a[0]))"},
      {kReadWrite, 3, "if (w < 2) { a[t] = b[0]; } at(128, b[0] = 0)"},
      // The values of other workgroups.
      {kSame, 2, "at(0, b[0] = 1) at(64, b[0] = 1)"},
      {kWriteWrite, 2, "at(0, b[0] = 1) at(64, b[0] = 0)"},
      // What an invocation did before it has learnt of something.
      {kWriteWrite, 2, "at(0, b[0] = 1; release(a[0])) at(64, b[0] = 2; acquire(a[0]); b[0] = 3)"},
  });
}

TEST(RaceVerdicts, PartsOfAWord) {
  auto ofWords = [](std::initializer_list<Row> rows, const std::string& variable = "B") {
    expectVerdicts(rows, kViewsHead, variable);
  };
  // The upper half of what is written or read as a whole.
  ofWords({
      {kReadWrite, 1, "at(0, b64[0] = 1ul) at(1, a[9] = b[1])"},
      {kNone, 1, "at(0, b64[0] = 1ul) at(1, a[9] = b[2])"},
      {kSame, 1, "at(0, b64[0] = 0x700000001ul) at(1, b[1] = 7)"},
      {kWriteWrite, 1, "at(0, b64[0] = 0x700000007ul) at(1, b[1] = 6)"},
      {kWriteWrite, 1, "at(0, atomicAdd(b64[0], 1ul, kDevice, 0, 0)) at(1, b[1] = 6)"},
  });
  ofWords({{kReadWrite, 1, "at(0, b[1] = 1) at(1, a[9] = uint(b64[0] >> 32))"},
           {kWriteWrite, 1, "at(0, b[1] = 1) at(1, b64[0] = 0x700000001ul)"},
           {kWriteWrite, 1, "at(0, b[1] = 6) at(1, atomicAdd(b64[0], 1ul, kDevice, 0, 0))"}},
          "P");
  ofWords({{kNone, 1, "b8[t] = uint8_t(t); barrier(); a[t] = uint(b8[t]);"},
           {kReadWrite, 1, "b8[t] = uint8_t(t); barrier(); a[t] = uint(b8[t ^ 1]);"},
           {kNone, 2, "b8[64 * w + t] = uint8_t(t);"}},
          "Q");
}

// ----- barriers -----

TEST(RaceVerdicts, Barriers) {
  expectVerdicts({
      {kNone, 1, "b[t] = 1; meet(kDevice, kBuffer, kBoth); a[t] = b[63 - t];"},
      {kReadWrite, 1, "b[t] = 1; meet(kSubgroup, kBuffer, kBoth); a[t] = b[63 - t];"},
      // For its lanes it is one of the subgroup as well.
      {kNone, 1, "b[t] = 1; meet(kSubgroup, kBuffer, kBoth); a[t] = b[t ^ 1];"},
      // One that only acquires tells nobody what another lane has acquired.
      {kLetter, 1,
       "at(3, b[0] = 1; release(a[0]); ) at(5, acquire(a[0])) meet(kWorkgroup, kBuffer, "
       "kAcquire);\n"
       "at(9, a[9] = b[0])"},
      {kNone, 1,
       "at(3, b[0] = 1; release(a[0]); ) at(5, acquire(a[0])) meet(kWorkgroup, kBuffer, "
       "kAcquire);\n"
       "at(5, a[9] = b[0])"},
      // One lane has heard of a release, and a barrier passes that on, whether it names the class
      // or not.
      {kLetter, 2,
       "at(0, b[0] = 1; release(a[0])) at(64, get(a[0])) meet(kWorkgroup, kBuffer, kBoth);\n"
       "at(73, a[9] = b[0])"},
      {kLetter, 2,
       "at(0, b[0] = 1; release(a[0])) at(64, get(a[0])) barrier(); at(73, a[9] = b[0])"},
      // The last workgroup, with fences in front of the barriers only: all lanes tell the first,
      // whether or not that one has something to tell itself.
      {kLetter, 2,
       "if (w == 0) b[t] = 1; memoryBarrierBuffer(); barrier(); if (t == 0) add(a[0]);\n"
       "if (w == 1) { memoryBarrierBuffer(); barrier(); a[t + 9] = b[63 - t]; }"},
      {kLetter, 2,
       "if (w == 0 && t > 0) { b[t] = 1; memoryBarrierBuffer(); } barrier();\n"
       "at(0, set(a[0])) at(64, acquire(a[0]); a[9] = b[5])"},
      // Two barriers without semantics: who fenced in front of the first one has gone by then.
      {kNone, 1,
       "at(3, b[0] = 1; releaseFence(kWorkgroup, kBuffer)) meetUnordered(); if (t == 3) return;\n"
       "meetUnordered(); acquireFence(kWorkgroup, kBuffer); at(9, a[9] = b[0])"},
  });
}

// Only those who come to it, and for the classes that it names.
TEST(RaceVerdicts, BarriersThatSomeDoNotReach) {
  expectVerdicts({
      {kReadWrite, 1,
       "if (t < 32) { b[t] = 1; meet(kWorkgroup, kBuffer | kShared, kBoth); meet(kWorkgroup,\n"
       "kShared, kBoth); } else { barrier(); a[t] = b[t - 32]; barrier(); }"},
      {kNone, 1, "if (t < 32) { b[t] = 1; meet(kWorkgroup, kBuffer, kBoth); a[t] = b[31 - t]; }"},
  });
}

// ----- the Vulkan memory model -----

const std::string kAliased = std::string(kVulkanHead) + R"(
layout(binding = 0) buffer PrivateA { uint privateA[]; };
layout(binding = 0) devicecoherent buffer CoherentA { uint coherentA[]; };
#line 1
)";

TEST(RaceVerdicts, AvailabilityAndVisibility) {
  auto expectOf = [](const std::string& variable, std::initializer_list<Row> rows) {
    expectVerdicts(rows, kAliased + R"(
#define releaseIt(how) atomicStore(a[99], 1u, kDevice, kBuffer, kRelease | how)
#define acquireIt(how) atomicLoad(a[99], kDevice, kBuffer, kAcquire | how)
)",
                   variable);
  };
  expectOf(
      "A",
      {
          {kNone, 2,
           "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(kVisible); b[9] = a[0])"},
          {kLetter, 2, "at(0, a[0] = 1; releaseIt(0)) at(64, acquireIt(kVisible); b[9] = a[0])"},
          {kLetter, 2, "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(0); b[9] = a[0])"},
          // A write over it needs no visibility, and one over what was read neither.
          {kNone, 2, "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(0); a[0] = 2)"},
          {kLetter, 2, "at(0, a[0] = 1; releaseIt(0)) at(64, acquireIt(0); a[0] = 2)"},
          {kNone, 2, "at(0, b[9] = a[0]; releaseIt(0)) at(64, acquireIt(0); a[0] = 2)"},
          // A read behind the own write still asks for it.
          {kLetter, 2,
           "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(0); a[0] = 2; a[9] = a[0])"},
          // By fences: behind the acquire, not in front of it; behind the write, not in front of
          // it.
          {kNone, 2,
           "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(0);\n"
           "memoryBarrier(kDevice, kBuffer, kAcquire | kVisible); b[9] = a[0])"},
          {kLetter, 2,
           "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, memoryBarrier(kDevice, kBuffer, kAcquire "
           "| kVisible);\n"
           "acquireIt(0); b[9] = a[0])"},
          {kNone, 2,
           "at(0, a[0] = 1; memoryBarrier(kDevice, kBuffer, kRelease | kAvailable); releaseIt(0))\n"
           "at(64, acquireIt(kVisible); b[9] = a[0])"},
          {kLetter, 2,
           "at(0, memoryBarrier(kDevice, kBuffer, kRelease | kAvailable); a[0] = 1; releaseIt(0))\n"
           "at(64, acquireIt(kVisible); b[9] = a[0])"},
          // Of another class, or of no scope.
          {kLetter, 2,
           "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(0);\n"
           "atomicLoad(a[98], kDevice, kShared, kAcquire | kVisible); b[9] = a[0])"},
          {kLetter, 2,
           "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(0);\n"
           "atomicLoad(a[98], gl_ScopeInvocation, kBuffer, kAcquire | kVisible); b[9] = a[0])"},
          // By barriers, and by fences round one.
          {kNone, 1,
           "a[t] = 1; meet(kWorkgroup, kBuffer, kBoth | kAvailable | kVisible); b[t] = a[63 - t];"},
          {kNone, 1,
           "a[t] = 1; memoryBarrier(kWorkgroup, kBuffer, kRelease | kAvailable); meetUnordered();\n"
           "memoryBarrier(kWorkgroup, kBuffer, kAcquire | kVisible); b[t] = a[63 - t];"},
          {kLetter, 1,
           "a[t] = 1; releaseFence(kWorkgroup, kBuffer); meetUnordered();\n"
           "memoryBarrier(kWorkgroup, kBuffer, kAcquire | kVisible); b[t] = a[63 - t];"},
          // Private accesses are their invocation's own, the write or the read.
          {kNone, 1, "at(0, privateA[0] = 1; b[9] = a[0])"},
          {kLetter, 2,
           "at(0, privateA[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(kVisible); b[9] = "
           "a[0])"},
          // It still was private, though the same invocation has written it again since.
          {kLetter, 2,
           "at(0, privateA[0] = 1; a[0] = 2; releaseIt(kAvailable))\n"
           "at(64, acquireIt(kVisible); b[9] = a[0])"},
      });
  expectOf("PrivateA",
           {
               {kLetter, 2,
                "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(kVisible); b[9] = "
                "privateA[0])"},
               {kLetter, 2,
                "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(kVisible); a[0] = 2;\n"
                "b[9] = privateA[0])"},
               // A barrier does not order them either.
               {kLetter, 1,
                "a[t] = 1; meet(kWorkgroup, kBuffer, kBoth | kAvailable | kVisible); b[t] = "
                "privateA[63 - t];"},
           });
  // What is not coherent or `nonprivate` is private: of both accesses.
  expectOf(
      "B",
      {
          {kNone, 1,
           "b[t] = t; meet(kWorkgroup, kBuffer, kBoth | kAvailable | kVisible); c[t] = b[t];"},
          {kLetter, 1,
           "b[t] = t; meet(kWorkgroup, kBuffer, kBoth | kAvailable | kVisible); c[t] = b[63 - t];"},
      });
  expectOf(
      "CoherentA",
      {
          {kNone, 2,
           "at(0, coherentA[0] = 1; releaseIt(0)) at(64, acquireIt(0); b[9] = coherentA[0])"},
          // The write has not been made available, the first of two.
          {kLetter, 2, "at(0, a[0] = 1; releaseIt(0)) at(64, acquireIt(0); b[9] = coherentA[0])"},
          {kLetter, 2,
           "at(0, a[0] = 1; coherentA[0] = 2; releaseIt(0)) at(64, acquireIt(0); b[9] = "
           "coherentA[0])"},
          {kNone, 2,
           "at(0, a[0] = 1; releaseIt(kAvailable)) at(64, acquireIt(0); b[9] = coherentA[0])"},
      });
}

// ----- how much is kept -----

// Of buffers and of shared memory: by (b)arriers, (l)anes or (w)orkgroups.
std::string trackingOf(const std::string& body, const std::string& head = kHead) {
  auto program = interp::lowerProgram(kernel(body, head + kSteps), {});
  EXPECT_TRUE(program);
  std::string text;
  for (uint32_t classAt : {0, 1})
    if (program) text += "blw"[size_t((*program)->tracking[classAt])];
  return text;
}

// More would change no verdict, and take longer.
TEST(RaceVerdicts, WhatIsKept) {
  EXPECT_EQ(trackingOf("s[t] = t; barrier(); b[t] = s[63 - t];"), "bb");
  EXPECT_EQ(trackingOf("b[t] = t; meet(kDevice, kBuffer | kShared, kBoth); a[t] = b[0];"), "bb");
  EXPECT_EQ(trackingOf("b[t] = t; memoryBarrierBuffer(); a[t] = b[t];"), "bb");
  EXPECT_EQ(trackingOf("s[t] = t; meetUnordered(); a[t] = s[0];"), "bb");
  EXPECT_EQ(trackingOf("b[t] = t; memoryBarrier(gl_ScopeInvocation, kBuffer, kBoth); add(a[0]);"),
            "bb");
  // Barriers of fewer lanes or one way, or none where there are fences.
  EXPECT_EQ(trackingOf("meet(kWorkgroup, kShared, kRelease);"), "bl");
  EXPECT_EQ(trackingOf("meet(kSubgroup, kBuffer, kBoth);"), "lb");
  EXPECT_EQ(trackingOf("controlBarrier(kSubgroup, kWorkgroup, kBuffer, kBoth);"), "lb");
  EXPECT_EQ(trackingOf("memoryBarrierBuffer(); barrier();"), "lb");
  // Atomics with semantics, those of a compare-exchange that does not write as well.
  EXPECT_EQ(trackingOf("add(a[0]); atomicAdd(flag, 1u, kWorkgroup, 0, 0);"), "bb");
  EXPECT_EQ(trackingOf("atomicAdd(flag, 1u, kWorkgroup, kBuffer, kRelease);"), "lb");
  EXPECT_EQ(trackingOf("atomicAdd(flag, 1u, kDevice, kBuffer, kRelease);"), "lb");
  EXPECT_EQ(trackingOf("atomicAdd(flag, 1u, kWorkgroup, kBuffer, kRelease); add(a[0]);"), "lb");
  EXPECT_EQ(trackingOf("atomicCompSwap(flag, 0u, 1u, kWorkgroup, kBuffer, kAcquire, 0, 0);"), "lb");
  EXPECT_EQ(trackingOf("acquire(a[0]);"), "lb");
  EXPECT_EQ(trackingOf("release(a[0]);"), "wb");
  EXPECT_EQ(trackingOf("atomicAdd(a[0], 1u, kDevice, kShared, kRelease);"), "bl");
  EXPECT_EQ(trackingOf("atomicCompSwap(flag, 0u, 1u, kWorkgroup, 0, 0, kBuffer, kAcquire);"), "lb");
  // Atomics behind fences, or behind a barrier.
  EXPECT_EQ(trackingOf("memoryBarrierBuffer(); add(a[0]);"), "wb");
  EXPECT_EQ(trackingOf("acquireFence(kDevice, kBuffer); add(a[0]);"), "lb");
  EXPECT_EQ(trackingOf("releaseFence(kWorkgroup, kBuffer); add(a[0]);"), "lb");
  EXPECT_EQ(trackingOf("memoryBarrierBuffer(); atomicAdd(flag, 1u, kWorkgroup, 0, 0);"), "lb");
  EXPECT_EQ(trackingOf("memoryBarrierShared(); add(a[0]);"), "bb");
  EXPECT_EQ(trackingOf("memoryBarrierShared(); atomicAdd(flag, 1u, kWorkgroup, 0, 0);"), "bl");
  EXPECT_EQ(trackingOf("meet(kDevice, kBuffer, kBoth); add(a[0]);"), "wb");
  EXPECT_EQ(trackingOf("meet(kWorkgroup, kBuffer, kBoth); atomicAdd(flag, 1u, kWorkgroup, 0, 0);"),
            "bb");
  // Atomics that are not atomic with one another.
  EXPECT_EQ(trackingOf("atomicAdd(a[0], 1u, kWorkgroup, 0, 0);"), "wb");
  EXPECT_EQ(trackingOf("atomicAdd(flag, 1u, kSubgroup, 0, 0);"), "bl");
  EXPECT_EQ(trackingOf("add(b[0]); atomicAdd(b64[1], 1ul, kDevice, 0, 0);", kViewsHead), "wb");
  // Private accesses of what is written, where something could order them.
  EXPECT_EQ(trackingOf("b[t] = t; c[t] = b[t];", kVulkanHead), "bb");
  EXPECT_EQ(trackingOf("b[t] = t; meet(kWorkgroup, kBuffer, kBoth | kAvailable | kVisible);",
                       kVulkanHead),
            "lb");
  EXPECT_EQ(trackingOf("c[t] = b[t]; meet(kWorkgroup, kBuffer, kBoth | kAvailable | kVisible);",
                       kVulkanHead),
            "bb");
  EXPECT_EQ(trackingOf("a[t] = t; meet(kWorkgroup, kBuffer, kBoth);", kVulkanHead), "lb");
}

} // namespace
