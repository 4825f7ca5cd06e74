"""For lit suites that run lanewise (docs/filecheck.md): where its tools are, what can run here, and an
environment in which output is the same on every machine.

    import lanewise_lit
    lanewise_lit.configure(config, lit_config)

Substitutions:  %lanewise    the program
                %python      the Python that runs lit
On PATH:        the folder of FileCheck, not and count, where they are not on it already
Features (for REQUIRES and UNSUPPORTED):
                device             Vulkan has a device: --verify works
                lavapipe           Mesa's CPU device is installed: --device=cpu works
                validation-layer   the Khronos validation layer is installed
                spirv-val, spirv-as, spirv-dis, spirv-opt, glslangValidator   the tool is on PATH
Environment:    LC_ALL=C, and of the caller's what Vulkan, sanitizers and scratch files need
"""

import glob
import os
import re
import shutil
import subprocess
import sys

# Of the caller's environment; lit passes next to nothing on by itself.
_KEPT_PREFIXES = ("VK_", "VULKAN_", "XDG_", "LD_", "ASAN_", "UBSAN_", "LSAN_")
_KEPT = ("HOME", "TMPDIR", "LP_NUM_THREADS")
_SPIRV_TOOLS = ("spirv-val", "spirv-as", "spirv-dis", "spirv-opt", "glslangValidator")


def find_program(program=None):
    """The program: `program`, $LANEWISE, that of the tree in which this file is installed, or that on PATH."""
    here = os.path.dirname(os.path.realpath(__file__))
    installed = os.path.join(here, "..", "..", "..", "bin", "lanewise")
    for candidate in (program, os.environ.get("LANEWISE"), installed):
        if candidate and os.access(candidate, os.X_OK):
            return os.path.realpath(candidate)
        if candidate and candidate is not installed:
            return None # asked for, and not there: another one would be a surprise
    return shutil.which("lanewise")


def llvm_folders():
    """Folders that may hold LLVM's FileCheck, newest version first."""
    found = []
    for pattern in ("/usr/lib/llvm-*/bin", "/usr/lib/llvm/*/bin", "/opt/homebrew/opt/llvm*/bin"):
        found += glob.glob(pattern)
    return sorted(found, key=lambda path: [int(n) for n in re.findall(r"\d+", path)], reverse=True)


def find_filecheck(llvm_bin_dir=None):
    """The folder of FileCheck and not, or None: the one given, else PATH's, else the newest LLVM's."""
    folders = [llvm_bin_dir] if llvm_bin_dir else os.environ.get("PATH", "").split(os.pathsep) + llvm_folders()
    for folder in folders:
        if all(os.access(os.path.join(folder, tool), os.X_OK) for tool in ("FileCheck", "not")):
            return folder
    return None


def manifests(kind, pattern):
    """The Vulkan manifests kind/pattern, such as icd.d/lvp*.json, where the loader looks for them."""
    roots = ["/usr/share/vulkan", "/usr/local/share/vulkan", "/etc/vulkan"]
    sdk = os.environ.get("VULKAN_SDK")
    if sdk:
        roots += [os.path.join(sdk, "share/vulkan"), os.path.join(sdk, "etc/vulkan")]
    return [path for root in roots for path in sorted(glob.glob(os.path.join(root, kind, pattern)))]


def has_device(program):
    """Whether `lanewise devices` lists one besides the interpreter, which is always there."""
    done = subprocess.run([program, "devices"], capture_output=True, text=True, check=False)
    return done.returncode == 0 and re.search(r"^\d+ ", done.stdout, re.MULTILINE) is not None


def configure(config, lit_config, program=None, llvm_bin_dir=None, ask_for_devices=True):
    """Sets up `config`. `program` and `llvm_bin_dir` are looked for where they are not given. With
    `ask_for_devices` the program is run once to learn of the feature `device`."""
    found = find_program(program)
    if found is None:
        lit_config.fatal(f"no program lanewise{' at ' + program if program else ''}; put it on PATH, or say "
                         "LANEWISE=/path/to/lanewise")
    filecheck = find_filecheck(llvm_bin_dir)
    if filecheck is None:
        lit_config.fatal("no FileCheck and not; install LLVM's test tools (Debian: llvm-NN-tools, "
                         "python: filecheck has no `not`), or put them on PATH")

    config.substitutions.append(("%lanewise", _quoted(found)))
    config.substitutions.append(("%python", _quoted(sys.executable)))

    sdk = os.environ.get("VULKAN_SDK")
    path = ([os.path.join(sdk, "bin")] if sdk else []) + os.environ.get("PATH", "").split(os.pathsep)
    if filecheck not in path:
        path.insert(0, filecheck)
    config.environment["PATH"] = os.pathsep.join(path)
    for name, value in os.environ.items():
        if name.startswith(_KEPT_PREFIXES) or name in _KEPT:
            config.environment[name] = value
    # Messages and numbers must not depend on who runs the tests.
    config.environment["LC_ALL"] = "C"

    search = config.environment["PATH"]
    config.available_features.update(tool for tool in _SPIRV_TOOLS if shutil.which(tool, path=search))
    if manifests("icd.d", "lvp*.json"):
        config.available_features.add("lavapipe")
    if manifests("explicit_layer.d", "*khronos_validation*.json"):
        config.available_features.add("validation-layer")
    if ask_for_devices and has_device(found):
        config.available_features.add("device")


def _quoted(path):
    return path if re.fullmatch(r"[\w@%+=:,./-]+", path) else "'" + path.replace("'", "'\\''") + "'"
