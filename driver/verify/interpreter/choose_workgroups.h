// Which workgroups of a dispatch run where not all can be afforded.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace lanewise::driver {

/// `count` of the workgroups of a dispatch, ascending: the first and the last, their neighbours in
/// each dimension, then others spread over the rest. All of them where there are no more. With
/// `isPrefix` the first ones: where workgroups speak to one another, those before may be waited
/// for.
std::vector<uint32_t> chooseWorkgroups(const std::array<uint32_t, 3>& groups, uint32_t count,
                                       bool isPrefix);

} // namespace lanewise::driver
