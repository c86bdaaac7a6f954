"""Encodes texts with OpenVINO Tokenizers.

The argument is a tokenizer's IR. A request is the number of texts, and then the length in bytes and
the bytes of each. The answer is the number of tokens of each text, all tokens, or the number of
texts as -1 and an error. Numbers are i32, little-endian.
"""
import struct, sys
import numpy as np, openvino as ov, openvino_tokenizers

core = ov.Core()
model = core.compile_model(sys.argv[1], "CPU", {"INFERENCE_NUM_THREADS": 1})
stdin, stdout = sys.stdin.buffer, sys.stdout.buffer


def encode(texts):
    out = model(texts)
    mask = out["attention_mask"].astype(bool)
    ids = out["input_ids"].astype("<i4")
    return mask.sum(1).astype("<i4").tobytes(), ids[mask].tobytes()


while header := stdin.read(4):
    texts = []
    for _ in range(struct.unpack("<i", header)[0]):
        length = struct.unpack("<i", stdin.read(4))[0]
        texts.append(stdin.read(length).decode())
    try:
        counts, ids = encode(texts)
        stdout.write(counts + ids)
    except Exception as e:
        message = str(e).encode()
        stdout.write(struct.pack("<ii", -1, len(message)) + message)
    stdout.flush()
