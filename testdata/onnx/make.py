"""Writes the cases beside it, with the outputs of ONNX's reference evaluator: python make.py

It needs onnx and numpy. Models are tiny, and weights are sixteenths, so that f32 is exact.
"""

import json
import pathlib
import shutil

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

HERE = pathlib.Path(__file__).parent


def tensor(name, array):
    return numpy_helper.from_array(array, name)


def weights():
    values = numpy.arange(12, dtype=numpy.float32).reshape(4, 3) / 16 - 0.25
    return [tensor("W", values), tensor("b", numpy.array([0.5, -1, 0.25], numpy.float32))]


def model(nodes, inputs, outputs, initializers=(), value_info=(), opset=17, **more):
    graph = helper.make_graph(nodes, "net", inputs, outputs, list(initializers), value_info=list(value_info))
    imports = [helper.make_opsetid("", opset), *more.pop("imports", [])]
    return helper.make_model(graph, producer_name="make.py", ir_version=8, opset_imports=imports, **more)


def f32(name, *dims):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)


def write(case, net, inputs=None, external=False, **fields):
    folder = HERE / case
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if inputs is None:
        fields["expect"] = "error"
    else:
        fields |= {"inputs": [i.name for i in net.graph.input], "outputs": [o.name for o in net.graph.output]}
        outputs = ReferenceEvaluator(net).run(None, inputs)
        for side, tensors in (("in", [inputs[name] for name in fields["inputs"]]), ("out", outputs)):
            (folder / side).mkdir()
            for i, array in enumerate(tensors):
                numpy.save(folder / side / f"{i}.npy", array.astype("U") if array.dtype == object else array)
    options = {"save_as_external_data": True, "location": "model.onnx.data", "size_threshold": 0} if external else {}
    onnx.save(net, folder / "model.onnx", **options)
    (folder / "case.json").write_text(json.dumps(fields, indent=1) + "\n")


x = {"x": numpy.array([[1, 2, 3, 4], [-1, 0.5, 0, -2]], numpy.float32)}


def linear():
    nodes = [
        helper.make_node("MatMul", ["x", "W"], ["product"], name="/layer/MatMul"),
        helper.make_node("Add", ["product", "b"], ["sum"], name="/layer/Add"),
        helper.make_node("Relu", ["sum"], ["y"], name="/Relu"),
    ]
    net = model(nodes, [f32("x", "n", 4)], [f32("y", "n", 3)], weights(), [f32("sum", "n", 3)])
    helper.set_model_props(net, {"names": "{0: 'cat', 1: 'dog', 2: 'bird'}"})
    return net


write("nets/linear", linear(), x)
write("nets/external", linear(), x, external=True)

# Labels, which a layer type of vinoir looks up.
words = helper.make_tensor_value_info("word", TensorProto.STRING, ["n"])
ids = helper.make_tensor_value_info("id", TensorProto.INT64, ["n"])
encoder = helper.make_node(
    "LabelEncoder", ["word"], ["id"], domain="ai.onnx.ml", keys_strings=["cat", "dog"], values_int64s=[0, 1], default_int64=-1)
write("nets/labels", model([encoder], [words], [ids], imports=[helper.make_opsetid("ai.onnx.ml", 3)]),
      {"word": numpy.array(["dog", "fox", "cat"], object)})

# A model that runs, about which there is something to say: dims of values that are not as the file
# declares them, an operator that becomes several layers, and a node that nothing needs.
nodes = [
    helper.make_node("Gemm", ["x", "W", "b"], ["h"], name="gemm", alpha=0.5),
    helper.make_node("Elu", ["h"], ["y"], name="elu"),
    helper.make_node("Sqrt", ["h"], ["unused"], name="sqrt"),
]
write("nets/stale", model(nodes, [f32("x", 2, 4)], [f32("y", 2, 4)], weights(), [f32("h", 2, 5)]), x, max_rel=1e-6)

# Two operators that there are not.
nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Foo", ["r"], ["f"], name="foo"), helper.make_node("Bar", ["f"], ["y"], domain="org.example")]
write("bad/unsupported", model(nodes, [f32("x", 2)], [f32("y", 2)], imports=[helper.make_opsetid("org.example", 1)]))

# Nodes that need each other's outputs.
nodes = [helper.make_node("Add", ["x", "b"], ["a"], name="first"), helper.make_node("Relu", ["a"], ["b"], name="second")]
write("bad/cycle", model(nodes, [f32("x", 2)], [f32("b", 2)]))
