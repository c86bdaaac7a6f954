"""Trains random SentencePiece models, for pieces.py.

The arguments are a folder, the first seed, the number of models, and names of classes of
transformers; "" is none. Each model becomes a folder with the number of its seed: a model with
random options, and for a class a tokenizer_config.json with random settings and added tokens.
"""
import io, json, os, random, sys
import sentencepiece

folder, first, count, classes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
words = "the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many".split()
scripts = ["абвгдежзиклмнопрстуфхцчшщыэюя", "αβγδεζηθικλμνξοπρστυφχψω", "中文日本語字典漢学生人大小山川", "한국어글자사람", "ひらがなカタカナ", "العربية", "àéîõüñçßøå", "😀👍🏽🎉", "ﬁﬂ½²Å", "ｆｕｌｌ"]


def sentence(r):
    parts = []
    for _ in range(r.randint(1, 20)):
        k = r.random()
        if k < 0.6:
            parts.append(r.choice(words))
        elif k < 0.75:
            script = r.choice(scripts)
            parts.append("".join(r.choice(script) for _ in range(r.randint(1, 6))))
        elif k < 0.85:
            parts.append(str(r.randint(0, 99999)))
        elif k < 0.95:
            parts.append(r.choice(words) + r.choice(".,;:!?-_'\"()") + r.choice(["", r.choice(words)]))
        else:
            parts.append(r.choice(["  ", "\t", "<s>", "<tool>", "x==y", "http://a.b"]))
    return " ".join(parts)


def train(r):
    kind = r.choice(["unigram", "bpe", "char", "word"]) if r.random() < 0.5 else r.choice(["unigram", "bpe"])
    options = dict(model_type=kind, vocab_size=r.randint(300, 1200), hard_vocab_limit=False, character_coverage=r.choice([0.98, 0.9995, 1.0]))
    if kind == "bpe":
        options["vocab_size"] = r.randint(700, 1200)
        del options["hard_vocab_limit"]
    flags = dict(byte_fallback=0.4, treat_whitespace_as_suffix=0.2, split_digits=0.3, allow_whitespace_only_pieces=0.3, vocabulary_output_piece_score=0.5)
    for name, p in flags.items():
        options[name] = r.random() < p
    for name, p in dict(add_dummy_prefix=0.7, remove_extra_whitespaces=0.6, split_by_whitespace=0.85, split_by_unicode_script=0.8, split_by_number=0.8).items():
        options[name] = r.random() < p
    if r.random() < 0.4:
        options["user_defined_symbols"] = r.sample(["<tool>", "<|x|>", "the", "▁", "▁▁", "http", "\t", "é", "日本", "<0x41>"], r.randint(1, 4))
    if r.random() < 0.3:
        options["control_symbols"] = r.sample(["<ctrl>", "<sep>", "<lang>"], r.randint(1, 2))
    options["normalization_rule_name"] = r.choice(["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"])
    if r.random() < 0.15:
        path = f"{folder}/rules.tsv"
        with open(path, "w") as f:
            for a, b in [("a", "b"), ("é", "e"), ("th", "T"), ("日", "日本"), ("😀", ":)"), (" ", " "), ("x", "")]:
                if r.random() < 0.7:
                    f.write(" ".join(f"{ord(c):x}" for c in a) + "\t" + " ".join(f"{ord(c):x}" for c in b) + "\n")
        del options["normalization_rule_name"]
        options["normalization_rule_tsv"] = path
    if r.random() < 0.3:
        options["pad_id"] = 3
    if r.random() < 0.1:
        options.update(bos_id=-1)
    out = io.BytesIO()
    texts = iter([sentence(r) for _ in range(1500)])
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=texts, model_writer=out, minloglevel=3, num_threads=1, **options)
    return out.getvalue()


def altered(r, model):
    """Makes some pieces unused, and some scores equal."""
    from sentencepiece import sentencepiece_model_pb2 as pb

    m = pb.ModelProto.FromString(model)
    for piece in m.pieces:
        if piece.type == 1 and len(piece.piece) > 1 and r.random() < 0.05:
            piece.type = 5
        elif piece.type == 1 and r.random() < 0.1:
            piece.score = round(piece.score)
    return m.SerializeToString()


files = {
    "LlamaTokenizer": "tokenizer.model", "GemmaTokenizer": "tokenizer.model", "T5Tokenizer": "spiece.model", "AlbertTokenizer": "spiece.model",
    "XLMRobertaTokenizer": "sentencepiece.bpe.model", "MarianTokenizer": "source.spm",
}


def token(r, text, special, **kind):
    if r.random() < 0.4:
        return text
    return dict(content=text, lstrip=r.random() < 0.3, rstrip=r.random() < 0.3, single_word=r.random() < 0.2, normalized=r.random() < 0.5, special=special, **kind)


def configuration(r, name, model):
    """Returns the files beside a model."""
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    pieces = [processor.id_to_piece(i) for i in range(len(processor))]
    config, kind = {"tokenizer_class": name}, {"__type": "AddedToken"}
    for key, values in dict(
        legacy=[True, False, False, None], add_prefix_space=[True, False], add_bos_token=[True, False], add_eos_token=[True, False],
        do_lower_case=[True, False], keep_accents=[True, False], remove_space=[True, False], extra_ids=[0, 3, 100], model_max_length=[1e30, 20],
    ).items():
        if r.random() < 0.5:
            config[key] = r.choice(values)
    if r.random() < 0.3:
        config["additional_special_tokens"] = [token(r, text, True, **kind) for text in r.sample(["<|im_start|>", "<|im_end|>", "<tool>", "[SEP]", "the"], 2)]
    found = {}
    if r.random() < 0.3:
        config["mask_token"] = token(r, "<mask>", True, **kind)
    if r.random() < 0.3:
        config["pad_token"] = token(r, r.choice(["<pad>", "<|endoftext|>"]), True, **kind)
    if r.random() < 0.3:
        texts = r.sample(["<|im_start|>", "camelCase", "www.", "日本", "n't", " a", "<0x41>", "ing", "[MASK]", "</w>"], 4)
        for i, text in enumerate(texts):
            index = pieces.index(text) if text in pieces else len(pieces) + 200 + i
            config.setdefault("added_tokens_decoder", {})[str(index)] = dict(
                content=text, lstrip=r.random() < 0.3, rstrip=r.random() < 0.3, single_word=r.random() < 0.3, normalized=r.random() < 0.5, special=r.random() < 0.5
            )
    else:
        if r.random() < 0.4:
            found["special_tokens_map.json"] = {"unk_token": token(r, "<unk>", True), "additional_special_tokens": [token(r, "1234", True)]}
        if r.random() < 0.4:
            found["added_tokens.json"] = {text: len(pieces) + 300 + i for i, text in enumerate(r.sample(["snake_case", "##ing", "==", "12", " "], 2))}
    found["tokenizer_config.json"] = config
    if name == "MarianTokenizer":
        words = ["</s>", "<unk>"] + [p for p in pieces if p not in ("<s>", "</s>", "<unk>") and r.random() < 0.9] + ["<pad>", ">>de<<", "<|endoftext|>"]
        found["vocab.json"] = {word: i for i, word in enumerate(words)}
    return found


for seed in range(first, first + count):
    r = random.Random(seed)
    while True:
        try:
            model = train(r)
            break
        except (RuntimeError, OSError, ValueError):
            continue
    if r.random() < 0.2:
        model = altered(r, model)
    path = f"{folder}/{seed}"
    os.makedirs(path, exist_ok=True)
    name = r.choice(classes)
    with open(f"{path}/{files.get(name, 'tokenizer.model')}", "wb") as f:
        f.write(model)
    if name == "MarianTokenizer":
        with open(f"{path}/target.spm", "wb") as f:
            f.write(model)
    for file, content in (configuration(r, name, model) if name else {}).items():
        with open(f"{path}/{file}", "w") as f:
            json.dump(content, f)
