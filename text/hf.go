package text

import (
	"encoding/json"
	"io/fs"
	"path"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/modeldir"
	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/internal/text/ragged"
)

// tokenizerJSON is the file of a tokenizer that Hugging Face's library writes.
const tokenizerJSON = "tokenizer.json"

// hfConfig has what tokenizer_config.json says beyond config.
type hfConfig struct {
	MaxLength  float64  `json:"model_max_length"`
	PadSide    string   `json:"padding_side"`
	CutSide    string   `json:"truncation_side"`
	InputNames []string `json:"model_input_names"`
	CleanUp    bool     `json:"clean_up_tokenization_spaces"`
	Class      string   `json:"tokenizer_class"`
}

// hfFiles are a tokenizer.json, and what the files beside it say.
type hfFiles struct {
	file      *hf.File
	tokenizer *hf.Tokenizer
	config    hfConfig
	special   Special
	template  string // of chats
}

// readHF reads tokenizer.json and the files beside it. charge is asked for memory.
func readHF(fsys fs.FS, dir string, charge func(int64) error) (*hfFiles, error) {
	data, err := modeldir.Read(fsys, path.Join(dir, tokenizerJSON), maxFileBytes)
	if err != nil {
		return nil, err
	}
	if data == nil {
		return nil, &fs.PathError{Op: "open", Path: path.Join(dir, tokenizerJSON), Err: fs.ErrNotExist}
	}
	if err := charge(4 * int64(len(data))); err != nil { // the file and what Parse makes of it
		return nil, err
	}
	f := &hfFiles{}
	if f.file, err = hf.Parse(data); err != nil {
		return nil, faults.Errorf("%s: %w", path.Join(dir, tokenizerJSON), err)
	}
	if f.tokenizer, err = hf.New(f.file, charge, nil); err != nil {
		return nil, faults.Errorf("%s: %w", path.Join(dir, tokenizerJSON), err)
	}
	if err := modeldir.ReadJSON(fsys, path.Join(dir, "tokenizer_config.json"), &f.config); err != nil {
		return nil, err
	}
	folder, err := readFolder(fsys, dir, nil)
	if err != nil {
		return nil, err
	}
	f.template, f.special = folder.template, folder.special
	for _, token := range []struct {
		id   *int32
		text *string
	}{{&f.special.BOSID, &f.special.BOS}, {&f.special.EOSID, &f.special.EOS}, {&f.special.PadID, &f.special.Pad}} {
		switch {
		case *token.text != "":
			*token.id = f.tokenizer.TokenID(*token.text)
		case *token.id >= 0:
			*token.text = f.tokenizer.Token(*token.id)
		}
	}
	return f, nil
}

// openHF opens tokenizer.json.
func (t *Tokenizer) openHF(fsys fs.FS, dir string) error {
	f, err := readHF(fsys, dir, t.charge)
	if err != nil {
		return err
	}
	t.chat, t.special = f.template, f.special
	t.encoder = &encoder{
		tail: hfTail(f), pair: segmentsOf(f.tokenizer.Pair), maxTokens: t.maxTokens(), types: f.hasTypes(),
		direct: &pipeline{exact: f.tokenizer, maxBytes: t.maxBytes()},
	}
	t.encoder.direct.works.New = func() any { return newWork(t.encoder.direct) }
	t.decoder = &decoder{exact: &exactDecoder{hf: f.tokenizer, maxBytes: t.maxBytes(), cleanUp: f.cleansUp()}}
	return nil
}

// hasTypes reports whether an Encoding has token types.
func (f *hfFiles) hasTypes() bool {
	if f.config.InputNames != nil {
		return slices.Contains(f.config.InputNames, "token_type_ids")
	}
	return slices.ContainsFunc(f.tokenizer.Pair, func(s hf.Segment) bool { return s.TypeID != 0 && s.Text == 0 })
}

// cleansUp reports whether texts of tokens are cleaned up.
func (f *hfFiles) cleansUp() bool { return f.config.CleanUp && f.file.Model.Type != "BPE" }

// segmentsOf returns the segments of a row. A row without a text of its own has none.
func segmentsOf(list []hf.Segment) []segment {
	segments := make([]segment, len(list))
	for i, s := range list {
		segments[i] = segment{tokens: s.IDs, typeID: s.TypeID, text: s.Text, once: s.Once}
	}
	return segments
}

// hfTail returns how rows are cut and padded: as tokenizer.json says, or else as
// tokenizer_config.json.
func hfTail(f *hfFiles) *tail {
	config, file := &f.config, f.file
	t := &tail{
		segments: segmentsOf(f.tokenizer.Single), limit: unlimited, left: config.CutSide == "left", padLeft: config.PadSide == "left",
		pad: max(f.special.PadID, 0),
	}
	length := config.MaxLength
	if cut := file.Truncation; cut != nil {
		t.left = cut.Direction == "Left"
		t.rule = ragged.Truncation(max(slices.Index([]string{"LongestFirst", "OnlyFirst", "OnlySecond"}, cut.Strategy), 0))
		if length <= 0 {
			length = float64(cut.MaxLength)
		}
	}
	t.setLength(length)
	if pad := file.Padding; pad != nil {
		t.pad, t.typePad = pad.PadID, pad.PadTypeID
		if config.PadSide == "" {
			t.padLeft = pad.Direction == "Left"
		}
		var strategy struct{ Fixed int }
		if json.Unmarshal(pad.Strategy, &strategy) == nil {
			t.length = max(strategy.Fixed, 0)
		}
	}
	return t
}

// setLength sets the largest length of a row, special tokens included; none if it is not a length.
func (t *tail) setLength(length float64) {
	if length > 0 && length < unlimited {
		t.limit = max(int(length)-specials(t.segments), 0)
	}
}
