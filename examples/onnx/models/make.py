"""Writes the models beside it: python make.py

It needs onnx and numpy. Each model has the inputs and outputs of one that is usually exported, and
computes the least that can stand for it.
"""

import json
import pathlib

import numpy
import onnx
from onnx import helper, numpy_helper

HERE = pathlib.Path(__file__).parent


def write(path, text, *constants, ml=False, **attributes):
    """Writes the model of a graph in ONNX's text syntax."""
    graph = onnx.parser.parse_graph(text)
    graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in constants)
    imports = [helper.make_opsetid("", 20)] + [helper.make_opsetid("ai.onnx.ml", 3)] * ml
    for node in graph.node:
        node.attribute.extend(helper.make_attribute(k, v) for k, v in attributes.get(node.op_type, {}).items())
    model = helper.make_model(graph, producer_name="make.py", ir_version=8, opset_imports=imports)
    onnx.checker.check_model(model)
    onnx.save(model, HERE / path)


# A sentence encoder: the state of a token is a row of a table. The words of one topic are alike.
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cats", "cat", "milk", "warm", "like", "stock", "market", "fell", "rose", "the", "a"]
topics = {4: 0, 5: 0, 6: 0, 7: 0, 8: 1, 9: 2, 10: 2, 11: 2, 12: 2}
table = numpy.full((len(words), 4), 0.25, numpy.float32)
for word, topic in topics.items():
    table[word, topic] += 1
write("text/model.onnx", """
encoder (int64[batch, tokens] input_ids, int64[batch, tokens] attention_mask) => (float[batch, tokens, 4] last_hidden_state) {
    last_hidden_state = Gather(table, input_ids)
}""", ("table", table))
special = [{"id": i, "content": words[i], "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True} for i in range(4)]
(HERE / "text/tokenizer.json").write_text(json.dumps({
    "version": "1.0", "truncation": None, "padding": None, "added_tokens": special,
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {
        "type": "TemplateProcessing",
        "single": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "[SEP]", "type_id": 0}}],
        "pair": [{"SpecialToken": {"id": "[CLS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
        "special_tokens": {w: {"id": w, "ids": [words.index(w)], "tokens": [w]} for w in ("[CLS]", "[SEP]")},
    },
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100,
              "vocab": {word: i for i, word in enumerate(words)}},
}, indent=1) + "\n")

# A classifier of pictures: which colour there is most of.
write("picture.onnx", """
classifier (float[batch, 3, 32, 32] pixel_values) => (float[batch, 3] logits) {
    mean = GlobalAveragePool(pixel_values)
    logits = Flatten(mean)
}""")

# A detector: each cell of a grid is a box, whose scores are those of the colours in it.
edges = numpy.arange(4, dtype=numpy.float32) * 8
boxes = numpy.array([[[y, x, y + 8, x + 8] for y in edges for x in edges]], numpy.float32)
write("detector.onnx", """
detector (float[1, 3, 32, 32] images) => (float[1, 16, 4] boxes, float[1, 3, 16] scores, int64[found, 3] selected) {
    cells = AveragePool<kernel_shape = [8, 8], strides = [8, 8]>(images)
    scores = Reshape(cells, shape)
    boxes = Identity(grid)
    selected = NonMaxSuppression(boxes, scores, most, overlap, least)
}""", ("shape", numpy.array([1, 3, 16])), ("grid", boxes), ("most", numpy.array(10)),
      ("overlap", numpy.array(0.5, numpy.float32)), ("least", numpy.array(0.7, numpy.float32)))

# A detector of speech: how loud the sound is, with what was before. Inputs as those of Silero VAD.
write("speech.onnx", """
vad (float[batch, samples] input, float[2, batch, 1] state, int64 sr) => (float[batch, 1] output, float[2, batch, 1] stateN) {
    power = ReduceSumSquare<keepdims = 1>(input, last)
    one = Unsqueeze(power, first)
    half = Mul(state, decay)
    stateN = Max(half, one)
    loudest = ReduceMax<keepdims = 0>(stateN, first)
    shifted = Sub(loudest, level)
    output = Sigmoid(shifted)
}""",
      ("last", numpy.array([1])), ("first", numpy.array([0])), ("decay", numpy.array(0.6, numpy.float32)), ("level", numpy.array(4, numpy.float32)))
rate = 16_000
time = numpy.arange(rate * 2 // 5) / rate
sound = numpy.where((time > 0.12) & (time < 0.25), 8000 * numpy.sin(2 * numpy.pi * 220 * time), 20 * numpy.sin(2 * numpy.pi * 50 * time))
(HERE / "speech.pcm").write_bytes(sound.astype("<i2").tobytes())

# A decision tree, as skl2onnx writes one with the option zipmap=False. It has learned nothing.
write("table.onnx", """
tree (float[rows, 4] X) => (string[rows] label, float[rows, 2] probabilities) {
    label, probabilities = ai.onnx.ml.TreeEnsembleClassifier(X)
}""", ml=True, TreeEnsembleClassifier={
    "classlabels_strings": ["setosa", "virginica"], "post_transform": "NONE",
    "nodes_treeids": [0] * 5, "nodes_nodeids": [0, 1, 2, 3, 4], "nodes_featureids": [2, 0, 3, 0, 0],
    "nodes_values": [2.5, 0.0, 1.75, 0.0, 0.0], "nodes_modes": ["BRANCH_LEQ", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"],
    "nodes_truenodeids": [1, 0, 3, 0, 0], "nodes_falsenodeids": [2, 0, 4, 0, 0],
    "class_treeids": [0] * 6, "class_nodeids": [1, 1, 3, 3, 4, 4], "class_ids": [0, 1] * 3, "class_weights": [1.0, 0.0, 0.4, 0.6, 0.0, 1.0],
})
