RWStructuredBuffer<uint> words : register(u0);

void Store2(uint place, uint a, uint b) {
  words[place] = a;
  words[place + 1] = b;
}

[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) { Store2(id.x * 2, id.x, id.y); }
