"""Makes a case of a model, with the outputs of OpenVINO's CPU plugin:

    python make_case.py TYPE-N CASE MODEL.xml [I=INPUT.npy ...]

writes TYPE-N/CASE; a case of that name is replaced. Inputs I that are not given are random: from -4
to 4, or from 0 to 4 for unsigned types; dynamic dims have length 3 then. Give axes and indices, which
must be in a range.

It needs the Python packages openvino and numpy. NumPy has no bf16, 8-bit floats or sub-byte types:
models with these as inputs or outputs are not supported. The CPU plugin computes f64 in f32, so that
f64 has the tolerances of f32 here, and random f64 inputs are multiples of 1/8.
"""

import json
import pathlib
import shutil
import sys

import numpy as np
import openvino as ov

TOLERANCES = {"f16": (4e-3, 2e-3), "f32": (1e-4, 1e-5), "f64": (1e-4, 1e-5)}  # relative and absolute


def random_input(rng, port):
    shape = [d.get_length() if d.is_static else 3 for d in port.partial_shape]
    dtype = port.element_type.to_dtype()
    if dtype == np.bool_:
        return rng.integers(0, 2, shape).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return rng.integers(-4 if np.issubdtype(dtype, np.signedinteger) else 0, 5, shape).astype(dtype)
    values = rng.uniform(-4, 4, shape)
    return (np.round(values * 8) / 8 if dtype == np.float64 else values).astype(dtype)


def write(folder, arrays):
    folder.mkdir()
    for i, array in enumerate(arrays):
        np.save(folder / f"{i}.npy", array)


def main(op, name, path, *files):
    model = ov.Core().read_model(path)
    given = {int(i): np.load(file) for i, file in (f.split("=", 1) for f in files)}
    rng = np.random.default_rng(0)
    inputs = [given[i] if i in given else random_input(rng, port) for i, port in enumerate(model.inputs)]
    compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    outputs = list(compiled(inputs).to_tuple())

    folder = pathlib.Path(__file__).parent / op / name
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    shutil.copy(path, folder / "model.xml")
    shutil.copy(pathlib.Path(path).with_suffix(".bin"), folder / "model.bin")
    write(folder / "in", inputs)
    write(folder / "out", outputs)
    types = [port.element_type.get_type_name() for port in model.outputs]
    rtol, atol = max((TOLERANCES.get(t, (0, 0)) for t in types), default=(0, 0))
    case = {
        "op": op, "source": "openvino-" + ov.__version__.split("-")[0], "rtol": rtol, "atol": atol, "oracle": "cpu", "agreed": ["cpu"],
        "in_types": [port.element_type.get_type_name() for port in model.inputs], "out_types": types, "steps": 1,
    }
    (folder / "case.json").write_text(json.dumps(case, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
