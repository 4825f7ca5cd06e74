"""Compares the description of json.comp with what it has to be."""
import json
import sys

module, = json.load(open(sys.argv[1], encoding="utf-8"))["modules"]
entry, = module["entry-points"]
structs = {s["name"]: s for s in module["structs"]}


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}\n  is        {json.dumps(found)}\n  should be {json.dumps(wanted)}")


expect("capabilities", module["capabilities"], ["Shader"])
expect("extensions", module["extensions"], [])
expect("instruction sets", module["instruction-sets"], ["GLSL.std.450"])
expect("specialization constants", module["specialization-constants"], [
    {"id": 3, "type": "uint", "default": 1},
    {"id": 7, "name": "scale", "type": "float", "default": 0.1},
    {"id": 8, "name": "isFast", "type": "bool", "default": True},
    {"id": 9, "name": "bias", "type": "int", "default": -2}])
expect("keys of an entry point", list(entry), [
    "name", "stage", "workgroup-size", "execution-modes", "bindings", "push-constants", "inputs", "outputs",
    "built-ins", "shared-memory"])
expect("entry point", (entry["name"], entry["stage"]), ("main", "compute"))
expect("workgroup size", entry["workgroup-size"], {
    "size": [1, 2, 1], "declared-by": "WorkgroupSize", "specialization-constants": [[3], [], []]})
image, buffer = entry["bindings"]
expect("image", image, {
    "set": 0, "binding": 2, "name": "photo", "descriptor-type": "VK_DESCRIPTOR_TYPE_STORAGE_IMAGE",
    "descriptor-count": 1, "type": "image2D", "format": "rgba8", "writeonly": True})
expect("buffer", buffer, {
    "set": 1, "binding": 4, "name": "cells", "descriptor-type": "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER",
    "descriptor-count": 3, "descriptor-array": [{"length": 3}], "type": "Cells", "struct": "Cells", "bytes": 16,
    "runtime-array": {"offset": 16, "stride": 64}, "readonly": True, "restrict": True})
expect("members of a block", structs["Cells"], {"name": "Cells", "bytes": 16, "members": [
    {"name": "count", "type": "uint", "offset": 0, "bytes": 4, "readonly": True, "restrict": True},
    {"name": "cells", "type": "Cell[]", "array": [{"length": None, "stride": 64}], "struct": "Cell", "offset": 16,
     "bytes": 0, "readonly": True, "coherent": True, "restrict": True}]})
expect("members of a struct", structs["Cell"]["members"][2], {
    "name": "turn", "type": "mat3", "offset": 16, "bytes": 48, "matrix-stride": 16, "row-major": False})
expect("push constants", entry["push-constants"], {
    "name": "push", "type": "Push", "struct": "Push", "offset": 8, "bytes": 20})
expect("shared memory", entry["shared-memory"], {"bytes": 128, "variables": [
    {"name": "tile", "type": "float[4][8]", "array": [{"length": 4}, {"length": 8}], "bytes": 128}]})
expect("built-ins", entry["built-ins"], {"inputs": ["LocalInvocationIndex"], "outputs": []})
expect("unused bindings", [(b["set"], b["binding"]) for b in module["unused-bindings"]], [(2, 0)])
