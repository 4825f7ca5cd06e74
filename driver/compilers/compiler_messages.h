// What a process with compilers is asked, as bytes (verify/device/device_messages.h).
#pragma once

#include "compilers/pipeline_requests.h"
#include "verify/device/device_messages.h"

#include <concepts>
#include <type_traits>

namespace lanewise::driver {

template <class T, class Struct>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Struct>;

template <MaybeConst<PipelineConstant> T, class Visit>
void visitFields(T& s, Visit&& visit) {
  auto& [id, bytes, bits] = s;
  visit(id, bytes, bits);
}

template <MaybeConst<PipelineStage> T, class Visit>
void visitFields(T& s, Visit&& visit) {
  auto& [words, entry, executionModel, constants] = s;
  visit(words, entry, executionModel, constants);
}

template <MaybeConst<PipelineBinding> T, class Visit>
void visitFields(T& s, Visit&& visit) {
  auto& [set, binding, kind, descriptors] = s;
  visit(set, binding, kind, descriptors);
}

template <MaybeConst<PipelineAttribute> T, class Visit>
void visitFields(T& s, Visit&& visit) {
  auto& [location, kind, bits, components] = s;
  visit(location, kind, bits, components);
}

template <MaybeConst<PipelineRequest> T, class Visit>
void visitFields(T& s, Visit&& visit) {
  auto& [stages, subject, bindings, pushBytes, size, shared, subgroup, attributes, attachments,
         hasDualSource, controlPoints, primitives, wantsRepresentations] = s;
  visit(stages, subject, bindings, pushBytes, size, shared, subgroup, attributes, attachments,
        hasDualSource, controlPoints, primitives, wantsRepresentations);
}

template <MaybeConst<StageRequest> T, class Visit>
void visitFields(T& s, Visit&& visit) {
  auto& [entry, stage, size, pipeline, problem] = s;
  visit(entry, stage, size, pipeline, problem);
}

} // namespace lanewise::driver
