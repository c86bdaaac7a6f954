"""Makes a case of a model, with the outputs of OpenVINO's CPU plugin:

    python make_case.py TYPE-N CASE MODEL.xml [INPUT.npy ...]

writes TYPE-N/CASE. Inputs that are not given are random: from -4 to 4, or from 0 to 4 for unsigned
types. Dynamic dims have length 3 then. It needs the Python packages openvino and numpy. Types that
NumPy does not have, such as bf16, are not supported.
"""

import json
import pathlib
import shutil
import sys

import numpy as np
import openvino as ov

TOLERANCES = {"f16": (4e-3, 2e-3), "f32": (1e-4, 1e-5), "f64": (1e-9, 1e-12)}  # relative and absolute


def random_input(rng, port):
    shape = [d.get_length() if d.is_static else 3 for d in port.partial_shape]
    dtype = port.element_type.to_dtype()
    if dtype == np.bool_ or np.issubdtype(dtype, np.integer):
        return rng.integers(-4 if np.issubdtype(dtype, np.signedinteger) else 0, 2 if dtype == np.bool_ else 5, shape).astype(dtype)
    return rng.uniform(-4, 4, shape).astype(dtype)


def write(folder, arrays):
    folder.mkdir()
    for i, array in enumerate(arrays):
        np.save(folder / f"{i}.npy", array)


def main(op, name, path, *files):
    model = ov.Core().read_model(path)
    rng = np.random.default_rng(0)
    inputs = [np.load(files[i]) if i < len(files) else random_input(rng, port) for i, port in enumerate(model.inputs)]
    compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    outputs = list(compiled(inputs).to_tuple())

    folder = pathlib.Path(__file__).parent / op / name
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
