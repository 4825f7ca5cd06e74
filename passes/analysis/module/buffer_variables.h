// What a variable that stands for buffers is declared to be. Exact.
#pragma once

#include "analysis/module/analyses.h"
#include "ir/module.h"

namespace lanewise {

/// The block type of a buffer variable, through arrays of descriptors.
Id blockTypeOf(Analyses& analyses, Id variable);
/// The type that a variable is declared with: what it points to, or the data type of an untyped
/// variable (SPV_KHR_untyped_pointers), which accesses need not keep to. Null without one.
Id declaredTypeOf(Analyses& analyses, Id variable);
/// True for a variable that is a storage buffer: StorageBuffer, or Uniform with a BufferBlock.
bool isStorageBuffer(Analyses& analyses, Id variable);
/// True for a variable that no shader writes through: push constants and uniform blocks.
bool isConstantBuffer(Analyses& analyses, Id variable);
/// True when a buffer variable has the decoration itself or on members of its block: on every one
/// of them (`all`), or on any, those of structs inside included. GLSL's `readonly buffer` decorates
/// every member.
bool isBufferDecorated(Analyses& analyses, Id variable, spv::Decoration decoration, bool all);

} // namespace lanewise
