// Decides which arrays of structs of a program get another layout: one decision for all shaders
// that see a buffer. A program is one module alone, or all shaders of a scenario.
//
// Whether a layout may change and whether that pays are two questions (docs/design/
// buffer-layouts.md): `canRelayout` and `isProfitable` in the .cpp.
#pragma once

#include "analysis/buffers/buffer_uses.h"
#include "analysis/module/analyses.h"
#include "lanewise/buffer_layout.h"
#include "lanewise/remarks.h"
#include "lanewise/target_profile.h"
#include "planning/layout_narrowing.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lanewise {

/// One shader of a program.
struct ProgramShader {
  std::string name;             ///< for remarks; empty for a module alone
  Analyses* analyses = nullptr; ///< of its module; must outlive the planning
  double workgroups = 1;        ///< of all its dispatches together
};

/// Memory that has to have one layout: a buffer, or several that are bound at the same place in
/// turn (double buffering).
struct ProgramBuffer {
  struct Member {
    std::string name;
    std::optional<uint64_t> bytes; ///< header and elements, before
    std::vector<BindingNumber> bindings;
  };
  std::vector<Member> members; ///< the buffers, at least one
  /// Shader (index) and binding of each place where it is seen.
  std::vector<std::pair<size_t, BindingNumber>> views;
  /// Some dispatch binds one of the buffers at two places.
  bool isBoundTwice = false;
  /// Dispatches of several shaders, or bindings, may run at the same time on several queues.
  bool isOnSeveralQueues = false;
  /// Why the bytes stay where they are, "" where they need not: "a copy moves its bytes as they
  /// lie".
  std::string fixedBy = {};
};

/// Keep: fields stay together and are only narrowed.
enum class LayoutMode : uint8_t { Auto, Soa, Aosoa, Keep };

struct LayoutPlanOptions {
  LayoutMode mode = LayoutMode::Auto;
  uint32_t tile = 32; ///< elements; the subgroup size of the target
  bool isRobust = false;
  /// No scenario said which bindings are one buffer.
  bool assumesDistinctBindings = false;
  /// As PassContext::maySite, with the buffer's name; empty: all.
  std::function<bool(std::string_view)> maySite;
  std::vector<NarrowRequest> narrow; ///< --narrow-fields
  /// Auto: least share of the weighted cost that must be saved, 0 to 1.
  double minGain = 0.1;
};

/// What --aos-to-soa's value says. The registry has checked it.
LayoutPlanOptions parseLayoutMode(std::string_view mode, const TargetProfile& target);

using LayoutsByBinding = std::map<BindingNumber, BufferLayout>;

struct LayoutPlan {
  LayoutManifest manifest;                ///< empty: nothing changes
  std::vector<LayoutsByBinding> byShader; ///< what each shader's module gets
  Remarks remarks;                        ///< one for each array of structs
};

/// The buffers of a module alone: each binding is one.
std::vector<ProgramBuffer> buffersOfModule(const BufferUses& uses);

LayoutPlan planLayouts(std::span<const ProgramShader> shaders,
                       std::span<const ProgramBuffer> buffers, const TargetProfile& target,
                       const LayoutPlanOptions& options);

} // namespace lanewise
