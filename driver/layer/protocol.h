// What `lanewise run` tells the layer in the program that it starts, and what comes back. The
// layer is off unless kDataVariable is set, and in a process with elevated privilege it does not
// read any of them.
//
// In the folder of kDataVariable each process that loads the layer writes PID-N.jsonl, N counting
// up, a JSON object a line, of which the first key says the kind. A later line about the same thing
// replaces what an earlier one said, but that samples add up:
//   {"process":PID,"program":PATH,"protocol":N}      N: kProtocol
//   {"device":ID,"name":NAME,"cpu":BOOL}
//   {"pipeline":ID,"device":ID,"module":HASH,"entry":NAME,"constants":[[ID,"HEX"],...],
//    "subgroup":N,"name":NAME,
//    "code":"own"|"kept"|"late"|"optimized"}
// where HEX is the bytes of the value, the lowest first;
//   {"row":ID,"pipeline":ID,"groups":[X,Y,Z]|null,"overlaps":BOOL,"unordered":BOOL}
//   where null is an indirect dispatch
//   {"counts":ROW,"dispatches":N,"timed":N,"total":NS,"weight":W,"samples":[NS,...]}
//   {"submitted":PIPELINE,"dispatches":N}
//   where some of them may not be counted yet; N are all so far, pipeline 0 is one that is not
//   known
//   {"untimable":N}                  dispatches so far that no timestamp could stand round
//   {"refused":HASH}                 the driver makes no pipeline of this module once optimized
// Where a log ends because it cannot be written, an empty file PID-N.jsonl.failed-ERRNO says why.
// Modules are HASH.spv beside them, HASH being the SHA-256 of the file.
#pragma once

namespace lanewise::layer {

inline constexpr const char* kLayerName = "VK_LAYER_LANEWISE_optimize";
inline constexpr const char* kManifestName = "VkLayer_lanewise.json";

/// One more with each change of what is said here or in wire.h: program and layer are installed
/// together, and a layer of another version is found where somebody has mixed two.
inline constexpr int kProtocol = 1;

inline constexpr const char* kLogSuffix = ".jsonl";
inline constexpr const char* kFailedSuffix = ".failed-";

/// The folder to write to.
inline constexpr const char* kDataVariable = "LANEWISE_LAYER_DATA";
/// "1": write timestamps round every dispatch.
inline constexpr const char* kTimeVariable = "LANEWISE_LAYER_TIME";
/// The socket of `lanewise run` that optimizes modules (wire.h); without it nothing is replaced.
inline constexpr const char* kOptimizerVariable = "LANEWISE_LAYER_OPTIMIZER";
/// "1": a pipeline is created when its module is optimized; else an optimized module is used once
/// it is there.
inline constexpr const char* kWaitVariable = "LANEWISE_LAYER_WAIT";
/// The folder of results: the first two digits of a key name a folder in it, the others the file.
inline constexpr const char* kCacheVariable = "LANEWISE_LAYER_CACHE";
/// What results depend on besides the pipeline: the program's build and its passes, hashed.
inline constexpr const char* kIdentityVariable = "LANEWISE_LAYER_IDENTITY";
/// First digits of hashes, with commas between them: these modules are not replaced.
inline constexpr const char* kLeaveOutVariable = "LANEWISE_LAYER_LEAVE_OUT";

} // namespace lanewise::layer
