"""Writes model.xml and model.bin with OpenVINO 2026.4.1, and prints what its CPU plugin computes."""

import numpy as np
import openvino as ov
import openvino.opset12 as ops

sources = np.array([0, 1, 2, 3, 3, 4], np.int64)
targets = np.array([1, 2, 0, 0, 4, 0], np.int64)
axis = np.int64(0)

nodes = ops.parameter([-1, 2], ov.Type.f32, name="nodes")
nodes.output(0).set_names({"nodes"})
messages = ops.gather(nodes, ops.constant(sources), ops.constant(axis))
messages.set_friendly_name("messages")
indices = ops.constant(np.repeat(targets[:, None], 2, axis=1))
indices.set_friendly_name("targets")
outputs = []
for reduction, use_init_val in ("sum", True), ("max", False):
    layer = ops.scatter_elements_update(nodes, indices, messages, ops.constant(axis), reduction, use_init_val)
    layer.set_friendly_name(reduction)
    layer.output(0).set_names({reduction})
    outputs.append(layer)
model = ov.Model(outputs, [nodes], "messages")
ov.serialize(model, "model.xml", "model.bin")

compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
for output in compiled([np.arange(10, dtype=np.float32).reshape(5, 2)]).to_tuple():
    print(output)
