// What all kernels have in common. An invocation reads one word, computes on registers for `rounds` turns and
// writes one word, so that arithmetic and branches take all the time. Nothing races and all arithmetic is exact (the
// float kernels are `precise`), so the target is the same bit for bit whatever becomes of the branches.

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly restrict buffer Source { uint source[]; };
layout(set = 0, binding = 1, std430) writeonly restrict buffer Target { uint target[]; };
layout(push_constant) uniform Constants {
  uint rounds;
  uint together;  // masks an invocation's number so that all of a workgroup get the same one, which no compiler knows
};

/// Number of this invocation, its word of source and target.
uint ownWord() { return gl_GlobalInvocationID.x; }

/// The next number of a sequence whose upper bits look random.
uint next(uint state) { return state * 1664525u + 1013904223u; }

/// One of two, by the topmost bit of a number of that sequence.
bool coin(uint state) { return state >= 0x80000000u; }

// Arms: 2 to 64 operations on v, each of which needs the one before. The two kinds have no operation in common.
#define ADD_XOR_2(v, a, b) v += a; v ^= b;
#define ADD_XOR_4(v, a, b) ADD_XOR_2(v, a, b) ADD_XOR_2(v, b, a)
#define ADD_XOR_8(v, a, b) ADD_XOR_4(v, a, b) ADD_XOR_4(v, a, b)
#define ADD_XOR_16(v, a, b) ADD_XOR_8(v, a, b) ADD_XOR_8(v, a, b)
#define ADD_XOR_32(v, a, b) ADD_XOR_16(v, a, b) ADD_XOR_16(v, a, b)
#define ADD_XOR_64(v, a, b) ADD_XOR_32(v, a, b) ADD_XOR_32(v, a, b)

#define XOR_SUBTRACT_2(v, a, b) v ^= a; v -= b;
#define XOR_SUBTRACT_4(v, a, b) XOR_SUBTRACT_2(v, a, b) XOR_SUBTRACT_2(v, b, a)
#define XOR_SUBTRACT_8(v, a, b) XOR_SUBTRACT_4(v, a, b) XOR_SUBTRACT_4(v, a, b)
#define XOR_SUBTRACT_16(v, a, b) XOR_SUBTRACT_8(v, a, b) XOR_SUBTRACT_8(v, a, b)
#define XOR_SUBTRACT_32(v, a, b) XOR_SUBTRACT_16(v, a, b) XOR_SUBTRACT_16(v, a, b)
#define XOR_SUBTRACT_64(v, a, b) XOR_SUBTRACT_32(v, a, b) XOR_SUBTRACT_32(v, a, b)
