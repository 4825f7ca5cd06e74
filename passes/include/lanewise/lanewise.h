// Lanewise as a library: rewrites SPIR-V compute modules in memory. This header and those that it
// includes are all of its interface; docs/library.md shows how to use it.
//
//     #include <lanewise/lanewise.h>
//
//     lanewise::OptimizeOptions options;
//     options.passes = lanewise::standardPasses(); // -O; or those that you name
//     lanewise::Result<lanewise::Optimized> result = lanewise::optimize(words, options);
//     if (!result) return complain(result.error().str());
//     use(result->words);
//
// The library reads no files, no environment and no clock, prints nothing, never exits and keeps no
// state: the same words and options give the same words on any machine, and calls may run
// concurrently. Errors are values; the only exceptions are std::bad_alloc and whatever your own
// callback throws.
//
// It does not compile GLSL, run spirv-opt's passes, validate, or verify by dispatch; the program
// does (docs/command-line.md). A pass alone finds little in unoptimized compiler output: run
// "inline", "sroa" and "mem2reg" before it.
#pragma once

#include "lanewise/assumptions.h"
#include "lanewise/buffer_layout.h"
#include "lanewise/remarks.h"
#include "lanewise/result.h"
#include "lanewise/target_profile.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lanewise {

/// "MAJOR.MINOR.PATCH" of the linked library.
std::string_view version();

/// One of Lanewise's passes, as `lanewise passes` lists them.
struct PassDescription {
  std::string_view name;    ///< its flag without dashes: "pad-shared-memory"
  std::string_view values;  ///< what a PassRequest may carry, "auto|pad|swizzle", the default
                            ///< first; empty: nothing
  std::string_view summary; ///< one line
  /// It changes buffer layouts, so the host must follow Optimized::layouts.
  bool changesInterface = false;
};

/// All passes, in the order the program lists them.
std::vector<PassDescription> listPasses();

/// A pass to run.
struct PassRequest {
  std::string name;  ///< PassDescription::name
  std::string value; ///< one of its values; empty: its default
  /// Passes behind whose rewrites alone this one has something to do: it is skipped where none of
  /// them changed the module. Empty: it always runs.
  std::vector<std::string> onlyAfter = {};
};

/// The passes of the program's `-O`, in their order. Where you add "coarsen-invocations" or
/// "aos-to-soa", which take kernels as a whole, set the value of "inline" to "all", as it does.
std::vector<PassRequest> standardPasses();

struct OptimizeOptions {
  /// The passes, in the order they run. A pass may appear several times, but one that changes the
  /// interface only once.
  std::vector<PassRequest> passes;
  /// The GPU that costs are estimated for. The defaults are the program's `--target=generic`; its
  /// other profiles are data, in driver/targets/ of the sources.
  TargetProfile target;
  /// Values of specialization constants, and the workgroup size where they leave it open.
  Assumptions assumptions;
  /// Change layouts only where every index is proved to be in range (`--robust`).
  bool isRobust = false;
  /// Integers of structs that may be packed (`--narrow-fields`). Without "aos-to-soa" among the
  /// passes this is a pass of its own, at the end.
  std::vector<NarrowRequest> narrow;
  /// Called before each legal and profitable rewrite with the pass and the name of the site; false
  /// leaves the site alone. Called in a fixed order. Empty: rewrite all.
  std::function<bool(std::string_view pass, std::string_view site)> maySite;
};

struct Optimized {
  /// The module; byte for byte the input if nothing changed.
  std::vector<uint32_t> words;
  /// Whether a pass rewrote anything.
  bool changed = false;
  /// What was done, what was left alone, and why, pass by pass.
  Remarks remarks;
  /// How the host must lay out its buffers from now on; no buffers: as before. Distinct bindings
  /// are assumed to be distinct buffers.
  LayoutManifest layouts;
};

/// Runs passes over one module.
///
/// `words` must be a valid SPIR-V module (spirv-val accepts it) in this machine's byte order: the
/// library checks only what it needs to parse it, and returns an Error with the word offset where
/// it cannot. An invalid pass name, value or number in `options` returns an Error that names it; a
/// pass that fails returns one with Error::pass. There is no partial result.
Result<Optimized> optimize(std::span<const uint32_t> words, const OptimizeOptions& options);

} // namespace lanewise
