"""Makes tokenizers at random, and computes what Hugging Face's library makes of texts.

Run in this folder, with tokenizers 0.23.3 installed, for 12 new tokenizers of 4 texts, where the last
number is the seed of the choices:

    python make.py 12 4 3 > random.jsonl

Training a Unigram model counts in an order that differs from run to run, so that the file can, too.
With larger numbers, it is a longer test. Without numbers, the values of a file are computed anew:

    python make.py < cases.jsonl > new && mv new cases.jsonl
"""
import base64
import json
import random
import sys
import unicodedata

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

SENTENCES = [
    "Hello, world! It's 2024; don't panic.", "the quick brown fox jumps over the lazy dog", "Straße ΣΑΣ ſ café naïve Ångström İstanbul Ёлка",
    "Привет, мир! Как дела?", "日本語のテキスト 中文字符 漢字", "한국어 텍스트 각", "नमस्ते दुनिया किताब", "สวัสดีชาวโลก", "مرحبا بالعالم",
    "func main() { return a+b*c; } // code_x", "ﬁne ① ½ x² Ⅳ  nbsp\u3000ideographic", "👩\u200d👩\u200d👧 🏳️\u200d🌈 😀 e\u0301 a\u0323\u0302",
    "  two  spaces\t tabs\n\nnew lines x\r\ny", "aaaaaaa bbbbb abababab <s> <unk> [MASK] <|end|> <0x41> ##x ▁y",
]
SPECIALS = ["<unk>", "<s>", "[MASK]"]
# Pieces of a charsmap in the form of SentencePiece: the keys and values of precompiled().
MAPPED = {"A": "a", "ﬁ": "fi", "½": "1/2", "\t": " ", "\x07": "", "e\u0301": "é", "한": "han", "İ": "i", "①": "1", "ab": "c"}


def text(r):
    """Returns a text: words of the sentences, their characters, or any characters."""
    kind = r.random()
    if kind < 0.5:
        words = " ".join(SENTENCES).split(" ")
        return " ".join(r.choice(words) for _ in range(r.randint(0, 9)))[r.randint(0, 3):]
    if kind < 0.8:
        chars = "".join(SENTENCES)
        return "".join(r.choice(chars) for _ in range(r.randint(0, 24)))
    if kind < 0.9:
        marks = "eaioAo\u0323\u0301\u0302\u0345\u05b0\u0327\u0f71\u0f72가각\u1100\u1161\u11a8ﬁ½ \u3000İ"
        return "".join(r.choice(marks) for _ in range(r.randint(0, 12)))
    chars = []
    while len(chars) < 12:
        c = r.choice([r.randrange(0x250, 0x3000), r.randrange(0xA000, 0x20000), r.randrange(0x300)])
        if unicodedata.category(chr(c)) not in ("Cs", "Cn"):
            chars.append(chr(c))
    return "".join(chars)


def precompiled(r):
    """Returns a charsmap with some of MAPPED: a double array of one node for each byte."""
    keys = {k: v for k, v in MAPPED.items() if r.random() < 0.7} or {"A": "a"}
    children, values, blob = [{}], [None], b""
    for key in sorted(keys):
        node = 0
        for byte in key.encode():
            if byte not in children[node]:
                children[node][byte] = len(children)
                children.append({})
                values.append(None)
            node = children[node][byte]
        values[node] = len(blob)
        blob += keys[key].encode() + b"\0"
    units, used, bases = {0: 0}, {0}, set()

    def place(node, at):
        labels = sorted(children[node]) if values[node] is None else [0] + sorted(children[node])
        if not labels:
            return
        base = 1
        while base == at or base in bases or any((base ^ label) in used for label in labels) or (at ^ base) >= 1 << 21:
            base += 1
        bases.add(base)
        for label in labels:
            used.add(base ^ label)
        units[at] = units.get(at, 0) | (at ^ base) << 10 | (values[node] is not None) << 8
        for label in labels:
            units[base ^ label] = label
        if values[node] is not None:
            units[base] = 1 << 31 | values[node]
        for byte in sorted(children[node]):
            place(children[node][byte], base ^ byte)

    place(0, 0)
    size = (max(units) | 255) + 1
    array = b"".join(units.get(i, 1 << 31).to_bytes(4, "little") for i in range(size))
    return len(array).to_bytes(4, "little") + array + blob


def pattern(r):
    return r.choice([" ", "--", "▁", "e", Regex(r"\s+"), Regex(r"\w+"), Regex(" {2,}"), Regex("[aeiou]+"), Regex(r"\d"), Regex("x*")])


def normalizer(r):
    return r.choice([
        normalizers.NFC, normalizers.NFD, normalizers.NFKC, normalizers.NFKD, normalizers.Lowercase, normalizers.StripAccents, normalizers.Nmt,
        normalizers.ByteLevel, lambda: normalizers.Strip(r.random() < 0.6, r.random() < 0.6), lambda: normalizers.Prepend(r.choice(["▁", "x ", " "])),
        lambda: normalizers.Replace(pattern(r), r.choice(["", "▁", " ", "_x", "éé"])), lambda: normalizers.Precompiled(precompiled(r)),
        lambda: normalizers.BertNormalizer(r.random() < 0.5, r.random() < 0.5, r.choice([None, True, False]), r.random() < 0.5),
    ])()


BEHAVIORS = ["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]


def pre_tokenizer(r):
    return r.choice([
        lambda: pre_tokenizers.ByteLevel(r.random() < 0.5, use_regex=r.random() < 0.8), pre_tokenizers.BertPreTokenizer, pre_tokenizers.Whitespace,
        pre_tokenizers.WhitespaceSplit, lambda: pre_tokenizers.Punctuation(r.choice(BEHAVIORS)), lambda: pre_tokenizers.Digits(r.random() < 0.5),
        lambda: pre_tokenizers.CharDelimiterSplit(r.choice(" a")), lambda: pre_tokenizers.Split(pattern(r), r.choice(BEHAVIORS), r.random() < 0.3),
        lambda: pre_tokenizers.Metaspace(r.choice("▁_"), r.choice(["always", "first", "first", "never"]), r.random() < 0.7),
        lambda: pre_tokenizers.FixedLength(r.randint(1, 6)),
    ])()


def byte_level(r):
    return processors.ByteLevel(add_prefix_space=r.random() < 0.5, trim_offsets=r.random() < 0.8)


def post_processor(r, special):
    two = [("<s>", special["<s>"]), ("[MASK]", special["[MASK]"])]
    template = lambda: processors.TemplateProcessing(
        single=r.choice(["<s> $A", "<s> $A [MASK]", "$A [MASK] <s>"]), pair=r.choice(["<s> $A [MASK] $B:1 [MASK]:1", "$A $B:1", "<s> $A $B:1"]), special_tokens=two)
    bert = lambda: processors.BertProcessing(two[1], two[0])
    roberta = lambda: processors.RobertaProcessing(two[1], two[0], trim_offsets=r.random() < 0.8, add_prefix_space=r.random() < 0.5)
    return r.choice([
        lambda: None, template, bert, roberta, lambda: byte_level(r), lambda: processors.Sequence([byte_level(r), template()]),
        lambda: processors.Sequence([template(), byte_level(r)]), lambda: processors.Sequence([r.choice([bert, roberta])(), byte_level(r)]),
    ])()


def decoder(r):
    one = lambda: r.choice([
        decoders.ByteLevel, decoders.ByteFallback, decoders.Fuse, lambda: decoders.WordPiece(cleanup=r.random() < 0.5), lambda: decoders.BPEDecoder("</w>"),
        lambda: decoders.Metaspace("▁", r.choice(["always", "first", "never"])), lambda: decoders.Replace(r.choice(["▁", Regex("[ab]+")]), r.choice([" ", ""])),
        lambda: decoders.Strip(r.choice(" ▁"), r.randint(0, 2), r.randint(0, 2)), lambda: decoders.CTC("<s>", "|", r.random() < 0.5),
    ])()
    return r.choice([lambda: None, one, lambda: decoders.Sequence([one() for _ in range(r.randint(1, 3))])])()


def some(r, make, sequence):
    """Returns nothing, one component, or a sequence of them."""
    n = r.choice([0, 1, 1, 2, 3])
    if n == 0:
        return None
    return make(r) if n == 1 else sequence([make(r) for _ in range(n)])


def model(r, kind):
    size = r.randint(40, 200)
    if kind == "bpe":
        fallback = r.random() < 0.4
        extra = ["<0x%02X>" % i for i in range(256) if r.random() < 0.99] if fallback else []
        # With byte_fallback, the library gives tokens of affixes offsets that are not in the text.
        prefix, suffix = (None, None) if fallback else r.choice([(None, None)] * 3 + [("##", None), (None, "</w>"), ("##", "</w>")])
        unknown = r.choice([None, "<unk>"])
        m = models.BPE(unk_token=unknown, fuse_unk=r.random() < 0.5, byte_fallback=fallback, ignore_merges=r.random() < 0.3,
                       continuing_subword_prefix=prefix, end_of_word_suffix=suffix)
        return m, trainers.BpeTrainer(vocab_size=size, special_tokens=SPECIALS + extra, show_progress=False, limit_alphabet=r.randint(30, 250),
                                      continuing_subword_prefix=prefix, end_of_word_suffix=suffix), extra
    if kind == "bytebpe":
        m = models.BPE(unk_token=r.choice([None, "<unk>"]), ignore_merges=r.random() < 0.3)
        return m, trainers.BpeTrainer(vocab_size=300 + size, special_tokens=SPECIALS, show_progress=False, initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet())), []
    if kind == "wordpiece":
        m = models.WordPiece(unk_token="<unk>", max_input_chars_per_word=r.choice([5, 12, 100]))
        return m, trainers.WordPieceTrainer(vocab_size=size, special_tokens=SPECIALS, show_progress=False), []
    if kind == "unigram":
        fallback = r.random() < 0.4
        extra = ["<0x%02X>" % i for i in range(256)] if fallback else []
        return models.Unigram(), trainers.UnigramTrainer(vocab_size=size + len(extra), special_tokens=SPECIALS + extra, unk_token="<unk>", show_progress=False), fallback
    return models.WordLevel(unk_token="<unk>"), trainers.WordLevelTrainer(vocab_size=size, special_tokens=SPECIALS, show_progress=False), []


def tokenizer(r):
    """Returns a tokenizer and the kind of its model."""
    kind = r.choice(["bpe", "bpe", "bytebpe", "wordpiece", "unigram", "wordlevel"])
    m, trainer, extra = model(r, kind)
    t = Tokenizer(m)
    n = some(r, normalizer, normalizers.Sequence)
    if n:
        t.normalizer = n
    p = some(r, pre_tokenizer, pre_tokenizers.Sequence)
    if kind == "bytebpe":
        last = pre_tokenizers.ByteLevel(r.random() < 0.3)
        p = pre_tokenizers.Sequence([p, last]) if p else last
    if p:
        t.pre_tokenizer = p
    t.train_from_iterator(r.sample(SENTENCES, r.randint(3, len(SENTENCES))), trainer)
    if kind == "unigram" and extra:
        j = json.loads(t.to_str())
        j["model"]["byte_fallback"] = True
        t = Tokenizer.from_str(json.dumps(j))
    added = [AddedToken(c, single_word=r.random() < 0.3, lstrip=r.random() < 0.3, rstrip=r.random() < 0.3, normalized=r.random() < 0.5)
             for c in ["[MASK]", "<|end|>", "the", "Ёлка", "x", "é", " world"] if r.random() < 0.3]
    t.add_tokens([a for a in added if r.random() < 0.6])
    t.add_special_tokens([AddedToken(c, normalized=r.random() < 0.2, lstrip=r.random() < 0.2, rstrip=r.random() < 0.2) for c in SPECIALS if r.random() < 0.3])
    post = post_processor(r, {c: t.token_to_id(c) for c in SPECIALS})
    if post:
        t.post_processor = post
    d = decoder(r)
    if d:
        t.decoder = d
    return kind, Tokenizer.from_str(t.to_str())  # which forgets what the file does not say


def in_bytes(s, offsets):
    """Returns ranges of characters of s as ranges of bytes."""
    at = [0]
    for c in s:
        at.append(at[-1] + len(c.encode()))
    return [[at[a], at[b]] for a, b in offsets]


def case(t, first, second, tokens):
    """Returns what t makes of texts, and of tokens, or of those of the first text if that is None."""
    raw = t.encode(first, add_special_tokens=False)
    single, pair = t.encode(first), t.encode(first, second)
    tokens = raw.ids if tokens is None else tokens
    places = []
    left = len(raw.ids)  # tokens of the first text that are still to come
    for offset, special in zip(pair.offsets, pair.special_tokens_mask):
        places += in_bytes(first if left > 0 or special else second, [offset])
        left -= not special
    return {
        "text": first, "second": second, "ids": single.ids, "raw": raw.ids, "pair": pair.ids, "types": pair.type_ids,
        "offsets": in_bytes(first, single.offsets), "raw_offsets": in_bytes(first, raw.offsets), "pair_offsets": places,
        "tokens": tokens, "decoded": [t.decode(tokens), t.decode(tokens, skip_special_tokens=False)],
    }


def write(kind, t, cases):
    """Writes the line of a tokenizer: cases are two texts, and tokens, each. Where the library has no
    token for what is unknown, or panics, there is none."""
    done = []
    for one in cases:
        try:
            done.append(case(t, *one))
        except BaseException as e:
            if not isinstance(e, Exception) and "Panic" not in type(e).__name__:
                raise
    if done:
        print(json.dumps({"kind": kind, "tokenizer": json.loads(t.to_str()), "cases": done}, ensure_ascii=False, separators=(",", ":")))


def main():
    if len(sys.argv) == 1:
        for line in sys.stdin:
            old = json.loads(line)
            write(old["kind"], Tokenizer.from_str(json.dumps(old["tokenizer"])), [(c["text"], c["second"], c["tokens"]) for c in old["cases"]])
        return
    count, texts, seed = (int(a) for a in sys.argv[1:4])
    r = random.Random(seed)
    while count > 0:
        try:
            kind, t = tokenizer(r)
        except BaseException as e:  # a model cannot be trained
            if not isinstance(e, Exception) and "Panic" not in type(e).__name__:
                raise
            continue
        count -= 1
        tokens = lambda: None if r.random() < 0.5 else [r.randrange(t.get_vocab_size()) for _ in range(r.randint(0, 12))]
        write(kind, t, [(text(r), text(r), tokens()) for _ in range(texts)])


main()
