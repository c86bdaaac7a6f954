"""Writes the model of this example with OpenVINO 2026.4.1 and its picture with Pillow, and prints what the CPU plugin computes.

The model averages the pixels of each channel, and applies softmax to the three means: it tells which of red, green and
blue a picture has most of. It stands for any network that takes a picture and gives a number for each class.
"""

import numpy as np
import openvino as ov
from openvino import opset13 as ops
from PIL import Image

image = ops.parameter([1, 3, 224, 224], np.float32, name="image")
means = ops.reduce_mean(image, ops.constant([2, 3], np.int64), keep_dims=False)
probabilities = ops.softmax(means, axis=1)
image.output(0).set_names({"image"})
probabilities.output(0).set_names({"probabilities"})
model = ov.Model([probabilities], [image], "colors")
ov.save_model(model, "model.xml", compress_to_fp16=False)

sky, grass = (140, 180, 230), (70, 140, 40)
rows = np.array([sky] * 48 + [grass] * 96, np.uint8)
Image.fromarray(np.repeat(rows[:, None], 192, axis=1)).save("meadow.png", optimize=True)

compiled = ov.Core().compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
pixels = np.asarray(Image.open("meadow.png").resize((224, 224), Image.Resampling.BILINEAR), np.float32) / 255
print(compiled([pixels.transpose(2, 0, 1)[None]])[0])
