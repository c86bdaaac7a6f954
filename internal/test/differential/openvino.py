"""Runs models under OpenVINO's CPU plugin at f32, and answers one line of JSON a model.

A request is a line of JSON: the "folder" of the model, its "inputs", each with "type", "shape" and,
for strings, "strings", and "reference". The bytes of input i are in the file in_<i>. The answer has the "outputs" in the same form,
whose bytes are in out_<i>, or an "error" and the "stage" that it came from. With "reference", the
reference implementations that OpenVINO's core has of some operations compute the model instead of
the CPU plugin.
"""
import json, os, resource, sys
import numpy as np, openvino as ov

resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
core = ov.Core()
config = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1, "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,
          "KV_CACHE_PRECISION": "f32"}


def tensor(folder, i, given, kept):
    """Returns input i. It can share the memory of an array, which is added to kept."""
    if given["type"] == "string":
        return ov.Tensor(np.array(given["strings"] or [], dtype=str).reshape(given["shape"]))
    kind, shape = getattr(ov.Type, given["type"]), ov.Shape(given["shape"])
    data = np.fromfile(os.path.join(folder, f"in_{i}"), np.uint8)
    kept.append(data)
    return ov.Tensor(data, shape, kind) if data.size else ov.Tensor(kind, shape)


def described(folder, i, t):
    name = t.element_type.get_type_name()
    if name == "string":
        return {"type": name, "shape": list(t.shape), "strings": [str(s) for s in t.str_data.flatten()]}
    if t.size:
        np.ascontiguousarray(t.data).tofile(os.path.join(folder, f"out_{i}"))
    else:
        open(os.path.join(folder, f"out_{i}"), "wb").close()
    return {"type": name, "shape": list(t.shape)}


def answer(request):
    folder, stage, kept = request["folder"], "read", []
    try:
        model = core.read_model(os.path.join(folder, "model.xml"))
        inputs = [tensor(folder, i, given, kept) for i, given in enumerate(request["inputs"])]
        if request["reference"]:
            stage = "infer"
            outputs = [ov.Tensor(o.element_type, ov.Shape([0])) for o in model.outputs]
            if not model.evaluate(outputs, inputs):
                raise RuntimeError("there is no reference")
        else:
            stage = "compile"
            infer = core.compile_model(model, "CPU", config).create_infer_request()
            stage = "infer"
            for i, t in enumerate(inputs):
                infer.set_input_tensor(i, t)
            infer.infer(share_outputs=True)
            outputs = [infer.get_output_tensor(i) for i in range(len(model.outputs))]
        return {"outputs": [described(folder, i, t) for i, t in enumerate(outputs)]}
    except Exception as error:
        return {"stage": stage, "error": str(error)}


# The libraries print to standard output too.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
print(json.dumps({"version": ov.__version__}), file=answers, flush=True)
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), file=answers, flush=True)
