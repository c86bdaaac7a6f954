"""Encodes and decodes texts with sentencepiece, or with a class of transformers.

The argument is a folder with a SentencePiece model. If its tokenizer_config.json names a class, this
is the class of transformers that calls sentencepiece, which release 4 has. A request is as in
openvino.py; with a negative number, rows of tokens follow, and the answer has their texts: lengths,
and all bytes.
"""
import json, os, struct, sys
import numpy as np, sentencepiece

folder = sys.argv[1]
names = ["tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "source.spm"]
model = next(path for name in names if os.path.exists(path := os.path.join(folder, name)))
config = os.path.join(folder, "tokenizer_config.json")
name = json.load(open(config)).get("tokenizer_class") if os.path.exists(config) else None
stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
if name:
    import importlib, re

    module = re.sub("(?<=[a-z])(?=[A-Z])", "_", name.removesuffix("Tokenizer").replace("XLMR", "XlmR")).lower()
    module = importlib.import_module(f"transformers.models.{module}.tokenization_{module}")
    tokenizer = getattr(module, name).from_pretrained(folder)
    encode = lambda text: tokenizer(text.decode())["input_ids"]
    decode = lambda ids: tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
else:
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=model)
    encode = lambda text: tokenizer.encode(text)
    decode = lambda ids: tokenizer.decode(ids)


def read(size, number=struct.Struct("<i")):
    return stdin.read(size * number.unpack(stdin.read(4))[0])


def answer(parts, size):
    lengths = [len(part) // size for part in parts]
    return struct.pack(f"<{len(parts)}i", *lengths) + b"".join(parts)


while header := stdin.read(4):
    n = struct.unpack("<i", header)[0]
    try:
        if n >= 0:
            texts = [read(1) for _ in range(n)]
            out = answer([np.array(encode(text), "<i4").tobytes() for text in texts], 4)
        else:
            rows = [np.frombuffer(read(4), "<i4").tolist() for _ in range(-n)]
            out = answer([decode(row).encode(errors="surrogateescape") for row in rows], 1)
    except Exception as e:
        message = repr(e).encode()
        out = struct.pack("<ii", -1, len(message)) + message
    stdout.write(out)
    stdout.flush()
