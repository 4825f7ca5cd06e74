"""Scenarios as data: read, extended by programs to run beside, written out again."""

import copy
import json
import pathlib
import tomllib


def load(path):
    """A scenario with absolute paths, so that it may be written anywhere."""
    scenario = tomllib.loads(path.read_text(encoding="utf-8"))
    for shader in scenario["shader"]:
        shader["file"] = str((path.parent / shader["file"]).resolve())
    for resource in scenario.get("buffer", []) + scenario.get("image", []):
        init = resource.get("init")
        if isinstance(init, dict) and "path" in init:
            init["path"] = str((path.parent / init["path"]).resolve())
    for variant in scenario.get("variant", []):
        if "layout" in variant:
            variant["layout"] = str((path.parent / variant["layout"]).resolve())
    return scenario


def parameters(scenario, size):
    """The parameters of one size."""
    sizes = scenario.get("sizes", {})
    if size not in sizes:
        raise ValueError(f"it has no size `{size}`; its sizes are {', '.join(sizes) or 'none'}")
    return {**scenario.get("parameters", {}), **sizes[size]}


def shader_named(scenario, name):
    return next(shader for shader in scenario["shader"] if shader["name"] == name)


def dispatched(dispatches):
    """Names of the shaders of some dispatches, each once, in order."""
    return list(dict.fromkeys(dispatch["shader"] for dispatch in dispatches))


def add_program(scenario, name, dispatches, files, manifest=None):
    """Adds a variant: `dispatches` with other modules in place of some shaders, {shader name: file}, and the manifest
    of their buffers' layouts if those have changed."""
    dispatches = copy.deepcopy(dispatches)
    for dispatch in dispatches:
        if dispatch["shader"] in files:
            alias = f"{dispatch['shader']} @ {name}"
            if not any(shader["name"] == alias for shader in scenario["shader"]):
                shader = dict(shader_named(scenario, dispatch["shader"]), name=alias, file=str(files[dispatch["shader"]]))
                shader.pop("defines", None)  # what they stand for is in the module
                scenario["shader"].append(shader)
            dispatch["shader"] = alias
    layout = {"layout": str(manifest)} if manifest else {}
    scenario.setdefault("variant", []).append({"name": name, **layout, "dispatch": dispatches})


def write(scenario, path):
    """Writes a scenario as TOML: what stands at the top first, each table of an array in one piece."""
    lines = [f"{key} = {_value(value)}" for key, value in scenario.items()
             if key == "constraints" or not isinstance(value, (dict, list))]
    for table in ("parameters", "tunable"):
        if table in scenario:
            lines += [f"[{table}]"] + _pairs(scenario[table])
    for name, size in scenario.get("sizes", {}).items():
        lines += [f"[sizes.{_key(name)}]"] + _pairs(size)
    for kind in ("shader", "buffer", "image", "dispatch", "variant"):
        for entry in scenario.get(kind, []):
            lines += [f"[[{kind}]]"] + _pairs(entry)
    pathlib.Path(path).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _pairs(table):
    return [f"{_key(key)} = {_value(value)}" for key, value in table.items()]


def _key(key):
    return json.dumps(key)


def _value(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(_pairs(value)) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_value, value)) + "]"
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value)  # TOML writes strings, integers and booleans as JSON does
