// Pads the embedded shader's shared memory for the device at hand, and says what became of it.
#include "transpose.comp.h"

#include <cstdio>
#include <lanewise/lanewise.h>

int main() {
  lanewise::OptimizeOptions options;
  options.passes = {{"pad-shared-memory", ""}, {"eliminate-redundant-barriers", ""}};
  options.target.subgroupSize = 32; // of the device: VkPhysicalDeviceSubgroupProperties
  options.target.maxSharedMemory = 49152;

  lanewise::Result<lanewise::Optimized> result =
      lanewise::optimize(tiles_shaders::transpose_comp, options);
  if (!result) {
    std::fprintf(stderr, "tiles: %s\n", result.error().str().c_str());
    return 1;
  }
  for (const lanewise::Remark& remark : result->remarks)
    if (remark.kind == lanewise::Remark::Kind::Applied)
      std::printf("%s: %s\n", remark.pass.c_str(), remark.message.c_str());
  std::printf("%zu words before, %zu after\n", std::size(tiles_shaders::transpose_comp),
              result->words.size());
}
