"""--aos-to-soa for utils/kernels/run: never, auto, tiles and runs of fields beside each other.

All variants are -O, with the pass behind it, on all shaders of a scenario. What the pass has laid out anew takes part
as a variant of that scenario with its layout manifest, by which verify packs inputs and unpacks outputs outside the
timed part.
"""

import pathlib
import re
import statistics
import sys

from tools import ROOT, Built, RunError, compiled, interval, optimize

sys.path.append(str(ROOT / "utils/sample_bench"))
import scenarios  # noqa: E402

PASS = "aos-to-soa"
RIVALS = ()
# Name of a variant: what stands behind -O. The first one is what the others are compared with.
VARIANTS = {"never": [], "auto": [f"--{PASS}"], "soa": [f"--{PASS}=soa"], "aosoa": [f"--{PASS}=aosoa"]}
AGAIN = "never again"  # how far its ratio is from 1 is the noise
MEASURED = [name for name in VARIANTS if name != "never"]
HEADER = ["kernel", "layout by auto", "fetched, predicted ratio", "requested"] + \
         [cell for name in MEASURED for cell in (name, "95% interval")] + ["never, us"]


def build(arguments, kernel, folder):
    """Modules and manifests of all variants, and a scenario that has them beside the original."""
    scenario = program_of(kernel)
    for shader in scenario["shader"]:
        shader["file"] = str(compiled(arguments, pathlib.Path(shader["file"]), folder).resolve())
    shaders = scenarios.dispatched(scenario["dispatch"])
    source = folder / f"{kernel.stem}.source.toml"
    scenarios.write(scenario, source)
    remarks, files, manifests = {}, {}, {}
    for name, flags in VARIANTS.items():
        target = folder / f"{kernel.stem}.{name}.program"
        target.mkdir(exist_ok=True)
        (target / "layout.json").unlink(missing_ok=True)
        remarks[name] = optimize(arguments, f"--scenario={source}", target, [f"--size={arguments.size}", "-O", *flags],
                                 PASS)
        files[name] = {shader: (target / f"{shader}.spv").resolve() for shader in shaders}
        if (target / "layout.json").exists():
            manifests[name] = (target / "layout.json").resolve()
    if len(remarks["auto"]) != 1:
        raise RunError(f"{kernel}: a kernel has one array of structs, but the pass made {len(remarks['auto'])} remarks")
    same_as = same_programs(files)
    beside = [name for name in MEASURED if name not in same_as]
    for shader, file in files["never"].items():
        scenarios.shader_named(scenario, shader)["file"] = str(file)
    for name in beside:
        scenarios.add_program(scenario, name, scenario["dispatch"], files[name], manifests.get(name))
    path = folder / f"{kernel.stem}.toml"
    scenarios.write(scenario, path)
    # Cells in numbers that are worth timing are far too many for the interpreter.
    options = [f"--shader={shaders[0]}"] + ([] if arguments.no_timing else ["--no-interpreter"])
    original = files["never"][shaders[0]]
    return Built(modules=[("never", original), (AGAIN, original)], remarks=remarks["auto"],
                 is_changed="auto" not in same_as, scenario=path, beside=beside, options=options, same_as=same_as)


def program_of(kernel):
    """The scenario of a kernel: its own (KERNEL.toml), or that of its folder with KERNEL.comp as the shader."""
    if kernel.suffix == ".toml":
        return scenarios.load(kernel)
    scenario = scenarios.load(kernel.parent / "scenario.toml")
    scenarios.shader_named(scenario, scenario["dispatch"][0]["shader"])["file"] = str(kernel.resolve())
    return scenario


def same_programs(files):
    """{variant: the variant before it whose modules are the same}; one of them runs."""
    names, texts = list(files), [[file.read_bytes() for file in modules.values()] for modules in files.values()]
    return {name: names[texts.index(texts[n])] for n, name in enumerate(names) if texts.index(texts[n]) < n}


def decision(remark):
    """What became of the array: '2 groups in tiles of 32', 'left alone: not-profitable'."""
    if remark["kind"] != "applied":
        return f"left alone: {remark['name']}"
    args = remark["args"]
    return f"{args['groups']} groups in tiles of {args['tile']}"


def predicted_ratio(remarks):
    """Sectors that all accesses fetch, after auto against before."""
    if remarks[0]["kind"] != "applied":
        return 1.0
    return float(remarks[0]["args"]["fetched-after"]) / float(remarks[0]["args"]["fetched-before"])


def requested_ratio(remark):
    """The same of sectors counted for each access of its own, which the remark tells in percent."""
    if remark["kind"] != "applied":
        return 1.0
    return 1 + int(re.search(r"requested ([+-]\d+)%", remark["message"]).group(1)) / 100


def row_of(outcome):
    """The cells of one kernel, under HEADER."""
    cells = [outcome.name, decision(outcome.remarks[0]), f"{predicted_ratio(outcome.remarks):.3f}",
             f"{requested_ratio(outcome.remarks[0]):.2f}"]
    if outcome.original_us is None:
        return cells + ["not run" if outcome.report["state"] == "unverified" else "-"] + [""] * (2 * len(MEASURED))
    for name in MEASURED:
        if name in outcome.same_as:
            cells += [f"as {outcome.same_as[name]}", ""]
            continue
        timing = outcome.timing(name)
        cells += [f"{timing['ratio']:.3f}", interval(timing) or "too few rounds"] if timing else ["-", ""]
    return cells + [f"{outcome.original_us:.1f}"]


def notes_on(outcomes):
    """Sentences that belong below the table."""
    timed = [outcome for outcome in outcomes if outcome.timing(AGAIN)]
    if not timed:
        return
    for name in MEASURED:
        ratios = [outcome.timing(name)["ratio"] for outcome in timed if outcome.timing(name)]
        if ratios:
            yield (f"{name}: geometric mean over {len(ratios)} kernels with a module of its own: "
                   f"{statistics.geometric_mean(ratios):.3f}")
        slower = [outcome.name for outcome in timed if (outcome.timing(name).get("ratio-low") or 0) > 1]
        yield f"{name} slower than never by the whole interval: {', '.join(slower) or 'none'}"
    noise = [outcome.timing(AGAIN)["ratio"] for outcome in timed]
    yield f"{AGAIN}: {min(noise):.3f} to {max(noise):.3f}"
