# How lit runs the tests below this directory (docs/testing.md).
#
# Substitutions:  %lanewise   the program under test
#                 %samples    the directory of the samples
#                 %transpose-reference, %smoothing-reference, ...   the CPU references of the samples: %NAME-reference
#                             for each samples/NAME/reference.cpp
#                 %python     the Python that runs lit
#                 %cxx        a C++ compiler
#                 %s %t %S    the test file, a scratch path of its own, its directory
# On PATH:        FileCheck, not, count (LLVM's), spirv-as, spirv-dis, spirv-val, spirv-opt, glslangValidator
# Features (for REQUIRES and UNSUPPORTED):
#                 lavapipe    Mesa's CPU Vulkan device is installed
#                 validation-layer   the Khronos validation layer is installed
#                 asan        built with sanitizers
#                 redis       redis-server is installed, and the program was built with hiredis
#                 cxx         a C++ compiler is installed

import glob
import os
import shutil
import sys

import lit.formats
import lit.main

# ctest starts several lits at once; they must not all write the one file of test times (lit 14 has no option
# for it).
lit.main.record_test_times = lambda *arguments: None

config.name = "lanewise"
config.test_format = lit.formats.ShTest(execute_external=True)
config.test_source_root = os.path.dirname(__file__)
config.excludes = ["Inputs", "unit"]

config.substitutions.append(("%lanewise", os.path.join(config.lanewise_bin_dir, "lanewise")))
config.substitutions.append(("%python", sys.executable))
for source in sorted(glob.glob(os.path.join(config.lanewise_source_dir, "samples/*/reference.cpp"))):
    sample = os.path.basename(os.path.dirname(source))
    config.substitutions.append((f"%{sample}-reference", os.path.join(config.lanewise_bin_dir, f"{sample}_reference")))
config.substitutions.append(("%samples", os.path.join(config.lanewise_source_dir, "samples")))

sdk = os.environ.get("VULKAN_SDK")
path = [config.llvm_bin_dir] + ([os.path.join(sdk, "bin")] if sdk else []) + [os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
for name, value in os.environ.items():
    if name.startswith(("VK_", "VULKAN_", "XDG_", "LD_", "ASAN_", "UBSAN_", "LSAN_")) or name in ("HOME", "TMPDIR"):
        config.environment[name] = value
# Messages and numbers must not depend on who runs the tests.
config.environment["LC_ALL"] = "C"


def is_installed(kind, pattern):
    """Whether a Vulkan manifest kind/pattern (as in icd.d/lvp*.json) is where the loader looks for it."""
    roots = ["/usr/share/vulkan", "/usr/local/share/vulkan", "/etc/vulkan"]
    if sdk:
        roots += [os.path.join(sdk, "share/vulkan"), os.path.join(sdk, "etc/vulkan")]
    return any(glob.glob(os.path.join(root, kind, pattern)) for root in roots)


compiler = shutil.which("c++") or shutil.which("clang++")
if compiler:
    config.substitutions.append(("%cxx", compiler))
    config.available_features.add("cxx")
if is_installed("icd.d", "lvp*.json"):
    config.available_features.add("lavapipe")
if is_installed("explicit_layer.d", "*khronos_validation*.json"):
    config.available_features.add("validation-layer")
if config.has_redis and shutil.which("redis-server"):
    config.available_features.add("redis")
if config.is_sanitized:
    config.available_features.add("asan")
    # Vulkan drivers keep memory until the process ends.
    config.environment.setdefault("ASAN_OPTIONS", "detect_leaks=0")
