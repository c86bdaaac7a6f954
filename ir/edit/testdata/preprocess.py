# Writes the models of TestPreprocess: what OpenVINO's PrePostProcessor makes of a small model.
#
#	python3 preprocess.py
import numpy as np
import openvino as ov
from openvino import Layout, Type, opset13 as op
from openvino.preprocess import ColorFormat, PrePostProcessor, ResizeAlgorithm


def model():
    x = op.parameter([1, 3, 4, 6], np.float32, name="x")
    x.output(0).set_names({"x"})
    y = op.multiply(x, op.constant(np.array(2, np.float32)))
    y.output(0).set_names({"y"})
    return ov.Model([y], [x], "m")


def picture(p):
    p.input().tensor().set_element_type(Type.u8).set_layout(Layout("NHWC")).set_color_format(ColorFormat.BGR).set_spatial_dynamic_shape()
    p.input().model().set_layout(Layout("NCHW"))
    p.input().preprocess().convert_element_type(Type.f32).convert_color(ColorFormat.RGB).resize(ResizeAlgorithm.RESIZE_LINEAR).mean([123.675, 116.28, 103.53]).scale([58.395, 57.12, 57.375])


def implicit(p):
    p.input().tensor().set_element_type(Type.u8).set_layout(Layout("NHWC"))
    p.input().model().set_layout(Layout("NCHW"))


def one_number(p):
    p.input().preprocess().mean(5).scale(3)


def resize(algorithm):
    def f(p):
        p.input().tensor().set_layout(Layout("NCHW")).set_spatial_static_shape(8, 9)
        p.input().preprocess().resize(algorithm, 4, 6)
        p.input().model().set_layout(Layout("NCHW"))
    return f


def reverse(p):
    p.input().tensor().set_layout(Layout("NCHW"))
    p.input().preprocess().reverse_channels()


def f16(p):
    p.input().tensor().set_element_type(Type.f16).set_layout(Layout("NCHW"))
    p.input().preprocess().mean([1, 2, 3]).scale([3, 5, 7])


def output(p):
    p.output().tensor().set_element_type(Type.f16).set_layout(Layout("NHWC"))
    p.output().model().set_layout(Layout("NCHW"))


for name, steps in {
    "picture": picture, "implicit": implicit, "one_number": one_number, "reverse": reverse, "f16": f16, "output": output,
    "nearest": resize(ResizeAlgorithm.RESIZE_NEAREST), "cubic": resize(ResizeAlgorithm.RESIZE_CUBIC),
    "bilinear_pillow": resize(ResizeAlgorithm.RESIZE_BILINEAR_PILLOW), "bicubic_pillow": resize(ResizeAlgorithm.RESIZE_BICUBIC_PILLOW),
}.items():
    p = PrePostProcessor(model())
    steps(p)
    ov.save_model(p.build(), f"preprocess/{name}.xml", compress_to_fp16=False)
