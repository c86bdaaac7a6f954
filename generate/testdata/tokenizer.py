# Writes the tokenizer of testdata/tiny: a token for each byte, and <|end|>. It needs OpenVINO
# Tokenizers and transformers: python tokenizer.py tiny
import sys
from tokenizers import Tokenizer, models, pre_tokenizers, decoders, AddedToken
from transformers import PreTrainedTokenizerFast
from openvino_tokenizers import convert_tokenizer
import openvino as ov
out = sys.argv[1]
def chars():
    bs = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256)); cs = bs[:]; n = 0
    for b in range(256):
        if b not in bs: bs.append(b); cs.append(256 + n); n += 1
    return {b: chr(c) for b, c in zip(bs, cs)}
t = Tokenizer(models.BPE(vocab={c: b for b, c in chars().items()}, merges=[]))
t.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
t.decoder = decoders.ByteLevel()
t.add_special_tokens([AddedToken("<|end|>", special=True)])
f = PreTrainedTokenizerFast(tokenizer_object=t, eos_token="<|end|>", pad_token="<|end|>")
tok, de = convert_tokenizer(f, with_detokenizer=True)
ov.save_model(tok, out + "/openvino_tokenizer.xml", compress_to_fp16=False)
ov.save_model(de, out + "/openvino_detokenizer.xml", compress_to_fp16=False)
