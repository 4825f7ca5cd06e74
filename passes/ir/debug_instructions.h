// Numbers of instructions of NonSemantic.Shader.DebugInfo.100; those below 100 mean the same in
// OpenCL.DebugInfo.100.
#pragma once

#include <cstdint>

namespace lanewise {

inline constexpr uint32_t kDebugScope = 23, kDebugNoScope = 24, kDebugInlinedAt = 25,
                          kDebugDeclare = 28, kDebugValue = 29, kDebugFunctionDefinition = 101,
                          kDebugLine = 103, kDebugNoLine = 104;

} // namespace lanewise
