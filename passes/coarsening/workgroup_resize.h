// Gives an entry point another workgroup size.
#pragma once

#include "analysis/module/entry_points.h"
#include "ir/rewriter.h"

#include <array>
#include <cstdint>
#include <span>

namespace lanewise {

/// Records the edits: execution modes, and the constant that is decorated WorkgroupSize if there is
/// one. What uses that constant goes on using it, undecorated, with the value that it had. The
/// entry point's size is literal (EntryPoint::workgroupSize).
void resizeWorkgroup(Analyses& analyses, const EntryPoint& entry,
                     const std::array<uint32_t, 3>& size, Rewriter& rewriter);

/// Adds global variables to the interface of the entry point, where they belong: inputs always, the
/// others since SPIR-V 1.4.
void extendInterface(Analyses& analyses, const EntryPoint& entry, std::span<const Id> inputs,
                     std::span<const Id> others, Rewriter& rewriter);

} // namespace lanewise
