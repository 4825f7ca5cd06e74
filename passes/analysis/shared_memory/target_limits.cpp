#include "analysis/shared_memory/target_limits.h"

#include "analysis/shared_memory/shared_variables.h"
#include "text/format_text.h"

#include <algorithm>

namespace lanewise {

std::string describe(const LimitExcess& excess, const TargetProfile& target) {
  if (excess.limit == LimitExcess::Limit::Invocations)
    return formatText("a workgroup of {} invocations exceeds the {} of {}", excess.value,
                      excess.most, target.name);
  return formatText("{} bytes of shared memory exceed the {} of {}", excess.value, excess.most,
                    target.name);
}

std::vector<LimitExcess> exceededLimits(Analyses& analyses, const TargetProfile& target) {
  std::vector<LimitExcess> all;
  if (target.name == TargetProfile().name) return all;
  using Limit = LimitExcess::Limit;
  for (const EntryPoint& entry : analyses.get<EntryPoints>().all()) {
    if (entry.model != spv::ExecutionModel::GLCompute) continue;
    const uint64_t invocations = entry.workgroupSize ? entry.workgroupSize->invocations() : 0;
    if (invocations > target.maxWorkgroupInvocations)
      all.push_back({&entry, Limit::Invocations, invocations, target.maxWorkgroupInvocations});
    const uint64_t bytes = sharedMemoryBytes(analyses, entry, target).value_or(0);
    if (bytes > target.maxSharedMemory)
      all.push_back({&entry, Limit::SharedMemory, bytes, target.maxSharedMemory});
  }
  return all;
}

ResidentWorkgroups residentWorkgroups(uint64_t invocations, uint64_t bytes,
                                      const TargetProfile& target) {
  ResidentWorkgroups r;
  r.bytes = bytes;
  r.subgroups = (invocations + target.subgroupSize - 1) / target.subgroupSize;
  r.bySubgroups = target.maxSubgroupsPerCore / std::max<uint64_t>(r.subgroups, 1);
  if (bytes > 0 && target.sharedMemoryPerCore > 0) r.byBytes = target.sharedMemoryPerCore / bytes;
  return r;
}

} // namespace lanewise
