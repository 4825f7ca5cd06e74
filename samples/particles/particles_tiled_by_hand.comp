#version 450
// The rival of particles.comp with everything: rows of five, no barrier before the first use, selects, and particles
// in tiles.
//
// Moves particles. Each is drawn to the middle of those around it that are alive and takes on their direction; what is
// alive falls, bounces off the floor and ages, what is dead comes to rest.
//
// Those around it are the next ones of its cluster: 64 particles whose numbers differ in the last six bits, the same
// for every size of workgroup. They are shown to one another in shared memory, first positions, then velocities.
//
// The size of a workgroup is a specialization constant, a multiple of 64; groups are [count / size], rounded up.

layout(local_size_x = 128, local_size_x_id = 0) in;

// Tiles of 32 particles: in each, 32 positions and lives, then 32 velocities and masses, then the rest. A subgroup of
// 32 finds all that it needs in two runs of 512 bytes.
struct Tile {
  vec4 positionAndLife[32];
  vec4 velocityAndMass[32];
  vec4 colour[32];
  vec4 rest[32]; // size, rotation, spin, seed
};

layout(set = 0, binding = 0) buffer Tiles {
  Tile tiles[];
};
layout(push_constant) uniform Sizes {
  uint count;
  uint reach; // how many of its cluster a particle sees
  float pull; // of one of them
};

shared float cluster[gl_WorkGroupSize.x][5]; // x, y, z, how many; the fifth keeps lanes in banks of their own

const uint kCluster = 64u;
const float kStep = 1.0 / 16.0;
const float kFloor = -8.0;

// Sum over what those around show.
float around(uint component) {
  const uint t = gl_LocalInvocationID.x;
  const uint first = t & ~(kCluster - 1u);
  float sum = 0.0;
  for (uint n = 1u; n <= reach; ++n) sum += cluster[first | ((t + n) & (kCluster - 1u))][component];
  return sum;
}

void main() {
  const uint t = gl_LocalInvocationID.x;
  const uint i = gl_GlobalInvocationID.x;
  vec3 position = vec3(0.0), velocity = vec3(0.0);
  float life = 0.0;
  if (i < count) {
    const vec4 own = tiles[i / 32u].positionAndLife[i % 32u];
    position = own.xyz;
    life = own.w;
    velocity = tiles[i / 32u].velocityAndMass[i % 32u].xyz;
  }
  const bool isAlive = life > 0.0;
  vec3 change = vec3(0.0);
  for (uint turn = 0u; turn < 2u; ++turn) {
    const vec3 own = turn == 0u ? position : velocity;
    const vec4 shown = mix(vec4(0.0), vec4(own, 1.0), bvec4(isAlive));
    cluster[t][0] = shown.x;
    cluster[t][1] = shown.y;
    cluster[t][2] = shown.z;
    cluster[t][3] = shown.w;
    barrier(); // all are shown
    const vec3 sum = vec3(around(0u), around(1u), around(2u));
    change += (sum - around(3u) * own) * pull;
    barrier(); // nobody looks any more
  }

  const vec3 pulled = velocity + change - vec3(0.0, 0.25, 0.0);
  const vec3 moved = position + pulled * kStep;
  const vec3 mirrored = vec3(moved.x, 2.0 * kFloor - moved.y, moved.z);
  const vec3 turned = vec3(pulled.x, pulled.y * -0.5, pulled.z);
  const vec3 rested = vec3(position.x, max(position.y - kStep, kFloor), position.z);
  const vec3 slowed = velocity * 0.5;
  const float aged = life - kStep;
  const bvec3 isMirrored = bvec3(moved.y < kFloor);
  position = mix(rested, mix(moved, mirrored, isMirrored), bvec3(isAlive));
  velocity = mix(slowed, mix(pulled, turned, isMirrored), bvec3(isAlive));
  life = isAlive ? aged : life;

  if (i < count) {
    tiles[i / 32u].positionAndLife[i % 32u] = vec4(position, life);
    tiles[i / 32u].velocityAndMass[i % 32u].xyz = velocity;
  }
}
