// vector_add.comp in HLSL: the same bindings, the same constants.

[[vk::binding(0)]] StructuredBuffer<float> a;
[[vk::binding(1)]] StructuredBuffer<float> b;
[[vk::binding(2)]] RWStructuredBuffer<float> sum;

struct Size {
  uint count;
};
[[vk::push_constant]] ConstantBuffer<Size> size;

[numthreads(256, 1, 1)]
void main(uint3 id : SV_DispatchThreadID) {
  const uint i = id.x;
  if (i < size.count) sum[i] = a[i] + b[i];
}
