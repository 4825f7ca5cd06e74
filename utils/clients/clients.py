"""The programs of others that `utils/clients/run` runs: how each is set up from packages, and what it is asked to do.

A client's commands print the same for the same results, whatever the time and the device's speed.
"""
import os
import pathlib
import shutil
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent


def run(*command, **more):
    subprocess.run([str(word) for word in command], check=True, stdout=sys.stderr, **more)


def install(packages):
    """Debian packages, where they are missing."""
    missing = [name for name in packages if subprocess.run(
        ["dpkg-query", "-W", "-f=${db:Status-Status}", name], capture_output=True, text=True).stdout != "installed"]
    if missing:
        root = [] if os.geteuid() == 0 else ["sudo"]
        run(*root, "apt-get", "install", "-y", "--no-install-recommends", *missing)


class Client:
    name = ""
    what = ""
    packages = []

    def __init__(self, work):
        """`work` is the folder with all that is set up; it may be on a machine that was given it ready (`pack`)."""
        self.folder = pathlib.Path(work) / self.name

    def is_ready(self):
        raise NotImplementedError

    def set_up(self):
        """From packages, which needs the network."""
        raise NotImplementedError

    def commands(self, is_small):
        """Each command line by its name; small ones for a device that is a CPU."""
        raise NotImplementedError

    def files(self):
        """What `pack` takes of the folder, and programs and libraries of the system: (path, name in the folder)."""
        raise NotImplementedError


class VkFFT(Client):
    name = "vkfft"
    what = "the FFT library of libvkfft-dev, against a transform on the CPU"
    packages = ["g++", "cmake", "ninja-build", "libvkfft-dev", "libvulkan-dev", "glslang-dev", "spirv-tools"]

    def program(self):
        return self.folder / "vkfft_client"

    def is_ready(self):
        return self.program().exists()

    def set_up(self):
        install(self.packages)
        run("cmake", "-G", "Ninja", "-S", FOLDER / "vkfft", "-B", self.folder)
        run("cmake", "--build", self.folder)

    def commands(self, is_small):
        return {"all": [self.program(), *(["--points=16384", "--repeats=2"] if is_small else [])]}

    def files(self):
        return [(self.program(), "vkfft_client")]


class FFmpeg(Client):
    """Of the frames that come out the MD5 is printed, and so no bit may differ. The filters with two inputs are not among
    them: in FFmpeg 5.1 they give other frames each time, without anybody's layer."""
    name = "ffmpeg"
    what = "the Vulkan filters of Debian's ffmpeg"
    packages = ["ffmpeg"]
    filters = ["gblur_vulkan=sigma=3", "avgblur_vulkan", "chromaber_vulkan=dist_x=3:dist_y=-2", "hflip_vulkan", "vflip_vulkan",
               "flip_vulkan", "transpose_vulkan", "scale_vulkan=w=200:h=120"]

    def program(self):
        own = self.folder / "ffmpeg"
        return own if own.exists() else shutil.which("ffmpeg") or own

    def is_ready(self):
        return pathlib.Path(self.program()).exists()

    def set_up(self):
        install(self.packages)

    def command(self, is_small, filters):
        size, seconds = ("320x180", 0.4) if is_small else ("1920x1080", 4)
        return [self.program(), "-v", "error", "-nostdin", "-init_hw_device", "vulkan=vk:0", "-filter_hw_device", "vk",
                "-f", "lavfi", "-i", f"testsrc2=size={size}:rate=5:duration={seconds}",
                "-vf", f"format=yuv420p,hwupload,{filters},hwdownload,format=yuv420p", "-f", "framemd5", "-"]

    def commands(self, is_small):
        return {f.partition("_")[0]: self.command(is_small, f) for f in self.filters}

    def files(self):
        return [(self.program(), "ffmpeg")]


class Libplacebo(FFmpeg):
    """Its compute shaders have a dozen and more specialization constants, and tiles in shared memory."""
    name = "libplacebo"
    what = "libplacebo's polar scalers, which FFmpeg has as a filter"

    def commands(self, is_small):
        if is_small: # one such scaler takes a CPU a minute
            return {"ewa_lanczos up": self.command(is_small, "libplacebo=w=480:h=270:upscaler=ewa_lanczos")}
        width, height = 3840, 2160
        scalers = ("ewa_lanczos", "ewa_hann", "ewa_ginseng", "ewa_robidoux", "ewa_robidouxsharp")
        return {f"{scaler} {name}": self.command(is_small, f"libplacebo=w={w}:h={h}:upscaler={scaler}:downscaler={scaler}")
                for scaler in scalers for name, w, h in (("up", width, height), ("down", width // 4, height // 4))}


class TensorFlow(Client):
    """Dawn takes no device that is a CPU."""
    name = "tensorflow"
    what = "TensorFlow.js on Dawn, from npm, against its backend for the CPU; needs a GPU"
    packages = ["nodejs"]
    modules = ["webgpu@0.6.2", "@tensorflow/tfjs-core@4.22.0", "@tensorflow/tfjs-backend-webgpu@4.22.0",
               "@tensorflow/tfjs-backend-cpu@4.22.0"]

    def program(self):
        own = self.folder / "node"
        return own if own.exists() else shutil.which("node") or own

    def is_ready(self):
        return (self.folder / "node_modules").exists() and pathlib.Path(self.program()).exists()

    def set_up(self):
        if not shutil.which("npm"):
            install([*self.packages, "npm"])
        self.folder.mkdir(parents=True, exist_ok=True)
        run("npm", "install", "--no-audit", "--no-fund", "--prefix", self.folder, *self.modules)
        shutil.copy(FOLDER / "tensorflow/operations.mjs", self.folder)

    def commands(self, is_small):
        return {} if is_small else {"all": [self.program(), self.folder / "operations.mjs"]}

    def files(self):
        used = ["operations.mjs", "package.json", *(
            p.relative_to(self.folder) for p in sorted((self.folder / "node_modules").rglob("*"))
            if p.is_file() and self.is_used(p.relative_to(self.folder / "node_modules")))]
        return [(self.program(), "node"), *((self.folder / path, str(path)) for path in used)]

    @staticmethod
    def is_used(path):
        parts = path.parts
        if parts[0] == "webgpu":
            return "dist" not in parts or "linux-x64" in parts
        return path.name.endswith((".node.js", ".node.min.js", "package.json")) or "dist" not in parts


class TensorFlowOnWgpu(TensorFlow):
    """Deno's WebGPU is wgpu, whose compiler, naga, keeps every loop from running for ever. It takes a device that is a CPU."""
    name = "tensorflow-wgpu"
    what = "TensorFlow.js on wgpu, as Deno has it, from npm, against its backend for the CPU"
    modules = ["deno@2.9.6", *TensorFlow.modules[1:]]

    def program(self):
        own = self.folder / "deno"
        return own if own.exists() else next(self.folder.glob("node_modules/@deno/linux-*/deno"), own)

    def commands(self, is_small):
        return {"all": [self.program(), "run", "--allow-all", "--no-remote", "--unstable-webgpu", self.folder / "operations.mjs"]}

    def files(self):
        return [(self.program(), "deno"), *(file for file in super().files()[1:] if "deno" not in file[1])]


def all_clients(work):
    return [client(work) for client in (VkFFT, FFmpeg, Libplacebo, TensorFlow, TensorFlowOnWgpu)]


def chosen(names, work):
    """Those with these names, or all."""
    clients = all_clients(work)
    known = [client.name for client in clients]
    for name in names:
        if name not in known:
            sys.exit(f"no client '{name}'; there are {', '.join(known)}")
    return [client for client in clients if not names or client.name in names]
