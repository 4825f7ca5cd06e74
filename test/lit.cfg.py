# How lit runs the tests below this directory (docs/testing.md). Most of it is utils/lit/lanewise_lit.py, which
# suites of others use as well (docs/filecheck.md): %lanewise, %python, FileCheck and its kin on PATH, the
# features lavapipe and validation-layer, the environment.
#
# More substitutions:  %samples   the directory of the samples
#                      %transpose-reference, %smoothing-reference, ...   the CPU references of the samples:
#                                 %NAME-reference for each samples/NAME/reference.cpp
#                      %cxx       a C++ compiler
#                      %client    a Vulkan program for `lanewise run` (test/run/Inputs/client.cpp)
#                      %layers    the folder of the manifest of the program's own layer
#                      %test-layers    the folder of the layer of %faulty-device
#                      %faulty-device   stands before a command for which Vulkan's driver fails as LANEWISE_FAULT
#                                 says (test/layers/faulty.cpp)
#                      %objects         stands before a command whose programs find shader objects on any device, below our layer
#                      %s %t %S   the test file, a scratch path of its own, its directory
# More features:       asan       built with sanitizers
#                      cxx        a C++ compiler is installed
#                      ffmpeg     FFmpeg is installed
#                      redis      a Redis server is installed, and the program was built with hiredis

import glob
import os
import shutil
import sys

import lit.formats
import lit.main

sys.path.insert(0, os.path.join(config.lanewise_source_dir, "utils/lit"))
import lanewise_lit

# ctest starts several lits at once; they must not all write the one file of test times (lit 14 has no option
# for it).
lit.main.record_test_times = lambda *arguments: None

config.name = "lanewise"
config.test_format = lit.formats.ShTest(execute_external=True)
config.test_source_root = os.path.dirname(__file__)
config.excludes = ["Inputs", "unit"]

# No test asks for just any device; each lit would have to look for one.
lanewise_lit.configure(
    config, lit_config, program=os.path.join(config.lanewise_bin_dir, "lanewise"),
    llvm_bin_dir=config.llvm_bin_dir, ask_for_devices=False)
# A test that needs it fails where it is missing (utils/check installs it); only suites of others may leave it out.
config.available_features.add("lavapipe")

# GPUs' drivers take a quarter of the time of a short comparison to load. (stats finds RADV beside these.)
lavapipe = os.pathsep.join(lanewise_lit.manifests("icd.d", "lvp*.json"))
if lavapipe and "VK_DRIVER_FILES" not in os.environ and "VK_ICD_FILENAMES" not in os.environ:
    config.environment["VK_DRIVER_FILES"] = config.environment["VK_ICD_FILENAMES"] = lavapipe

for source in sorted(glob.glob(os.path.join(config.lanewise_source_dir, "samples/*/reference.cpp"))):
    sample = os.path.basename(os.path.dirname(source))
    config.substitutions.append((f"%{sample}-reference", os.path.join(config.lanewise_bin_dir, f"{sample}_reference")))
config.substitutions.append(("%samples", os.path.join(config.lanewise_source_dir, "samples")))

config.substitutions.append(("%faulty-device",
    f"env VK_LAYER_PATH='{config.lanewise_bin_dir}/layers' VK_INSTANCE_LAYERS=VK_LAYER_LANEWISE_faulty"))

config.substitutions.append(("%objects",
    "env VK_LAYER_PATH=$(realpath %layers):%test-layers VK_INSTANCE_LAYERS=VK_LAYER_LANEWISE_optimize:VK_LAYER_LANEWISE_shader_objects"))
config.substitutions.append(("%test-layers", f"{config.lanewise_bin_dir}/layers"))
config.substitutions.append(("%layers", os.path.join(config.lanewise_bin_dir, "../share/vulkan/explicit_layer.d")))
config.substitutions.append(("%client", os.path.join(config.lanewise_bin_dir, "vulkan_client")))

compiler = shutil.which("c++") or shutil.which("clang++")
if compiler:
    config.substitutions.append(("%cxx", compiler))
    config.available_features.add("cxx")
if config.has_redis and (shutil.which("redis-server") or shutil.which("redis-check-rdb")):
    config.available_features.add("redis")
if shutil.which("ffmpeg"):
    config.available_features.add("ffmpeg")
if config.is_sanitized:
    config.available_features.add("asan")
    # Vulkan drivers keep memory until the process ends.
    config.environment.setdefault("ASAN_OPTIONS", "detect_leaks=0")
