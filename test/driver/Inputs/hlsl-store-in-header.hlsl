#include "hlsl-store.hlsli"

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  uint state = id.x;
  put(id.x * 8, state);
}
