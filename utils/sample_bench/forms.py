"""The forms of a sample that are measured: each is the program with other modules in place of its shaders."""

import dataclasses

import scenarios
from expressions import evaluate
from program import COARSENING_PASS, LAYOUT_PASS


@dataclasses.dataclass
class Form:
    """What became of a program's shaders."""
    name: str
    kind: str  # "spirv-opt", "pass", "all", "layout", "coarsened"
    files: dict  # shader name -> module
    same_as: str = ""  # the form before it with the same modules, which stands for it in the run
    manifest: str = None  # of the buffers' layouts, where they have changed


def make_all(program, arguments, bench, folder):
    """Original, spirv-opt -O, each of Lanewise's passes alone, all of them, and all of them with layouts or coarsening."""
    names = scenarios.dispatched(bench.scenario["dispatch"])
    original = _compile(program, bench, folder, names)

    def make(name, kind, flags):
        return _make(program, arguments, bench, folder, Form(name, kind, original.files), flags)

    forms = [original, make("spirv-opt -O", "spirv-opt", program.spirv_opt_flags())]
    forms += [make(f"{flag} alone", "pass", program.spirv_opt_flags(flag)) for flag in program.own_passes()]
    has_layout = bench.wants_layout and program.lays_out_buffers()
    if has_layout:
        flags = program.spirv_opt_flags(LAYOUT_PASS)
        forms.append(_make_program(program, arguments, bench, folder, f"{LAYOUT_PASS} alone", "pass", flags, names))
    forms.append(make("Lanewise -O", "all", ["-O"]))
    if has_layout:
        name = f"Lanewise -O {LAYOUT_PASS}"
        forms.append(_make_program(program, arguments, bench, folder, name, "layout", ["-O", LAYOUT_PASS], names))
    forms.append(make(f"Lanewise -O {COARSENING_PASS}", "coarsened", ["-O", COARSENING_PASS]))
    texts = [_texts(program, form) for form in forms]
    for n, form in enumerate(forms[2:], 2):
        form.same_as = next((other.name for other, text in zip(forms[1:n], texts[1:n]) if text == texts[n]), "")
    return forms


def _texts(program, form):
    """The modules of a form with ids in order of appearance: how many ids a pass took and gave back is no difference."""
    return [program.call("opt", file, "--compact-ids", "--remarks=none", "-S", "-o", "-") for file in form.files.values()]


def _make_program(program, arguments, bench, folder, name, kind, flags, shader_names, scenario_path=None):
    """A form whose buffers may lie otherwise, which is decided for all shaders of the scenario at once."""
    target = folder / slug(f"{bench.name} {name}")
    target.mkdir(exist_ok=True)
    program.call("opt", f"--scenario={scenario_path or bench.scenario_path}", f"--size={arguments.size}", *flags,
                 f"--target={arguments.target}", *program.device, "--remarks=json",
                 f"--remarks-file={target / 'remarks.jsonl'}", "-o", target)
    manifest = target / "layout.json"
    return Form(name, kind, {shader: target / f"{shader}.spv" for shader in shader_names},
                manifest=manifest if manifest.exists() else None)


def make_finished(program, arguments, bench, folder, name, dispatches, finish):
    """The shaders of a variant by "spirv-opt -O", "Lanewise -O", or that with layouts, as a form."""
    names = scenarios.dispatched(dispatches)
    if finish == f"Lanewise -O {LAYOUT_PASS}":
        # The variant's dispatches become those of the program, and it decides for itself.
        shaders = [shader for shader in bench.scenario["shader"] if shader["name"] in names]
        scenario = {**bench.scenario, "shader": shaders, "dispatch": dispatches, "variant": []}
        path = folder / f"{slug(f'{bench.name} {name}')}.toml"
        scenarios.write(scenario, path)
        return _make_program(program, arguments, bench, folder, name, "", ["-O", LAYOUT_PASS], names, path)
    original = _compile(program, bench, folder, names)
    flags = program.spirv_opt_flags() if finish == "spirv-opt -O" else ["-O"]
    return _make(program, arguments, bench, folder, Form(name, "", original.files), flags)


def _compile(program, bench, folder, shader_names):
    """The shaders as the front end makes them."""
    files = {}
    for name in shader_names:
        shader = scenarios.shader_named(bench.scenario, name)
        files[name] = folder / f"{slug(f'{bench.name} {name}')}.spv"
        options = [f"-D{key}={value}" for key, value in shader.get("defines", {}).items()]
        if "entry" in shader:
            options.append(f"--entry={shader['entry']}")
        program.call("opt", shader["file"], *options, "-o", files[name])
    return Form("original", "original", files)


def _make(program, arguments, bench, folder, form, flags):
    """`form` with passes run over its files."""
    files = {}
    for name, file in form.files.items():
        shader = scenarios.shader_named(bench.scenario, name)
        files[name] = folder / f"{slug(f'{bench.name} {name} {form.name}')}.spv"
        constants = [f"--spec-const={key}:{constant(value, bench.parameters)}"
                     for key, value in shader.get("spec_constants", {}).items()]
        program.call("opt", file, *constants, f"--target={arguments.target}", *program.device, *flags, "--remarks=json",
                     f"--remarks-file={files[name].with_suffix('.jsonl')}", "-o", files[name])
    return Form(form.name, form.kind, files)


def slug(text):
    """Text as a name of a file."""
    return "".join(c if c.isalnum() else "_" for c in text)


def constant(value, parameters):
    """A specialization constant as --spec-const takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return value["value"]
    if isinstance(value, float):
        return repr(value)
    return evaluate(value, parameters)
