// Comparison of images, texel by texel. compare.h is what others call.
#pragma once

#include "verify/compare/compare.h"

namespace lanewise::driver {

/// As compareContents, for a buffer that is an image, by any rule but `multiset` and `none`.
///   exact      all bits of a texel
///   ulp        each component at most `ulps` values of the format apart
///   tolerance  each component as a shader reads it
std::optional<BufferDifference> compareTexels(const ScenarioBuffer& buffer, BufferContents original,
                                              BufferContents transformed);

/// A texel as a shader reads it: "(0.5, 1, 0, 1)", without the components that the format lacks.
std::string formatTexel(ImageFormat format, const uint8_t* from);

/// Where texel number `index` is: "texel (3, 4), layer 1, level 2" as far as the image has them.
std::string placeOfTexel(const ImageShape& image, uint64_t index);

} // namespace lanewise::driver
