package sptokenizer

import (
	"maps"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
)

// attribute is a token that files and classes name.
type attribute int

const (
	bos attribute = iota
	eos
	unk
	sep
	pad
	cls
	mask
	attributes // their number
)

// keys are the names of the attributes in files.
var keys = [attributes]string{"bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"}

// class is a tokenizer of transformers.
type class struct {
	// tokens are the default ones; "" if there is none.
	tokens [attributes]string
	// maskStrips means that the mask token takes the spaces in front of it, unless a file has other
	// properties of it.
	maskStrips bool
	// single and pair say what a row is made of: A and B are the texts, E, C and S the tokens eos,
	// cls and sep, b and e the tokens bos and eos if add_bos_token and add_eos_token are set. O is
	// E, unless the text before it ends with that token.
	single, pair string
	// types means that a row has token_type_ids, which are 1 from the second text on.
	types bool
	// addBOS is the default of add_bos_token.
	addBOS bool
	// prefixed means that the class has the settings legacy and add_prefix_space.
	prefixed bool
	// extraIDs means that there are tokens <extra_id_0> and so on.
	extraIDs bool
	// fairseq means that ids are one more than those of the model, and the first ones are fixed.
	fairseq bool
	// normalizes means that texts and pieces are changed as AlbertTokenizer does.
	normalizes bool
	// vocabulary means that vocab.json has the ids of pieces.
	vocabulary bool
	join       joining
}

// joining says how a class joins pieces.
type joining struct {
	// plain means that pieces are written as they are, with spaces. Else the library joins those
	// between special tokens.
	plain bool
	// apart means that all added tokens stand apart, with nothing between them and the texts that
	// the library makes of the pieces. Else those that are not special stand apart, with spaces
	// around them.
	apart bool
	// before writes a space before the text in front of a special token: never, or for a legacy
	// tokenizer if it is not the first token, or always.
	before spaceRule
	// after writes a space after a special token.
	after bool
	// spaces writes a space for U+2581 wherever it stays, and strip removes the white space at both
	// ends.
	spaces, strip bool
}

type spaceRule int

const (
	never spaceRule = iota
	unlessFirst
	always
)

// library is the class of a model that no file gives a class.
var library = class{single: "bAe", pair: "bAebBe", join: joining{apart: true}}

var llama = class{
	tokens: [attributes]string{bos: "<s>", eos: "</s>", unk: "<unk>"},
	single: "bAe", pair: "bAebBe", addBOS: true, prefixed: true, join: joining{before: unlessFirst},
}

// classes are the classes that are supported, by their names without "Fast".
var classes = map[string]*class{
	"LlamaTokenizer": &llama,
	"GemmaTokenizer": {
		tokens: [attributes]string{bos: "<bos>", eos: "<eos>", unk: "<unk>", pad: "<pad>"},
		single: "bAe", pair: "bAebBe", addBOS: true, join: joining{apart: true, spaces: true},
	},
	"T5Tokenizer": {
		tokens: [attributes]string{eos: "</s>", unk: "<unk>", pad: "<pad>"},
		single: "AO", pair: "AOBO", prefixed: true, extraIDs: true, join: joining{before: always, strip: true},
	},
	"XLMRobertaTokenizer": {
		tokens: [attributes]string{bos: "<s>", eos: "</s>", unk: "<unk>", sep: "</s>", pad: "<pad>", cls: "<s>", mask: "<mask>"},
		single: "CAS", pair: "CASSBS", maskStrips: true, fairseq: true, join: joining{plain: true, strip: true},
	},
	"AlbertTokenizer": {
		tokens: [attributes]string{bos: "[CLS]", eos: "[SEP]", unk: "<unk>", sep: "[SEP]", pad: "<pad>", cls: "[CLS]", mask: "[MASK]"},
		single: "CAS", pair: "CASBS", maskStrips: true, types: true, normalizes: true, join: joining{before: always, strip: true},
	},
	"MarianTokenizer": {
		tokens: [attributes]string{eos: "</s>", unk: "<unk>", pad: "<pad>"},
		single: "AE", pair: "ABE", vocabulary: true, join: joining{after: true, spaces: true, strip: true},
	},
}

// classOfModel has the classes of model types, for folders whose tokenizer_config.json names none.
var classOfModel = map[string]string{
	"albert": "AlbertTokenizer", "gemma": "GemmaTokenizer", "gemma2": "GemmaTokenizer", "gemma3": "GemmaTokenizer", "gemma3_text": "GemmaTokenizer",
	"llama": "LlamaTokenizer", "marian": "MarianTokenizer", "mistral": "LlamaTokenizer", "mixtral": "LlamaTokenizer", "mt5": "T5Tokenizer",
	"phi3": "LlamaTokenizer", "t5": "T5Tokenizer", "umt5": "T5Tokenizer", "xlm-roberta": "XLMRobertaTokenizer", "xlm-roberta-xl": "XLMRobertaTokenizer",
}

// classOf returns the class with a name, "" for none.
func classOf(name string) (*class, error) {
	switch name = strings.TrimSuffix(name, "Fast"); name {
	case "":
		return &library, nil
	case "MT5Tokenizer":
		name = "T5Tokenizer"
	}
	c := classes[name]
	if c == nil {
		known := strings.Join(slices.Sorted(maps.Keys(classes)), ", ")
		return nil, faults.Errorf("tokenizer_class is %.100q, which has no tokens without tokenizer.json; expected none, or one of %s", name, known)
	}
	return c, nil
}
