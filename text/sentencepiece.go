package text

import (
	"io/fs"
	"path"
	"slices"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/modeldir"
	"github.com/vinoir/vinoir/internal/text/sptokenizer"
)

// pieceFiles are the names of SentencePiece models, as classes of transformers expect them, in the
// order in which they are looked for.
var pieceFiles = []string{"tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "sentencepiece.model", "source.spm"}

// piecesFiles are a SentencePiece model, and what the files beside it say.
type piecesFiles struct {
	name      string // of the model
	files     sptokenizer.Files
	tokenizer *sptokenizer.Tokenizer
	config    hfConfig
	special   Special
	template  string // of chats
}

// readPieces reads a SentencePiece model: file, or else the first one that is in the folder. charge
// is asked for memory.
func readPieces(fsys fs.FS, dir, file string, charge func(int64) error) (*piecesFiles, error) {
	names := pieceFiles
	if file != "" {
		names = []string{file}
	}
	p := &piecesFiles{}
	files := &p.files
	for _, name := range names {
		var err error
		if files.Model, err = modeldir.Read(fsys, path.Join(dir, name), maxFileBytes); err != nil {
			return nil, err
		}
		if p.name = name; files.Model != nil {
			break
		}
	}
	if files.Model == nil {
		return nil, &fs.PathError{Op: "open", Path: path.Join(dir, p.name), Err: fs.ErrNotExist}
	}
	for _, other := range []struct {
		name string
		to   *[]byte
	}{
		{"target.spm", &files.Target}, {"vocab.json", &files.Vocabulary}, {"tokenizer_config.json", &files.TokenizerConfig},
		{"special_tokens_map.json", &files.SpecialTokensMap}, {"added_tokens.json", &files.AddedTokens}, {"config.json", &files.Config},
	} {
		var err error
		if *other.to, err = modeldir.Read(fsys, path.Join(dir, other.name), maxFileBytes); err != nil {
			return nil, err
		}
	}
	err := charge(files.Bytes())
	if err != nil {
		return nil, err
	}
	if p.tokenizer, err = sptokenizer.New(files, charge, nil); err != nil {
		return nil, faults.Errorf("%s: %w", p.name, err)
	}
	if err := modeldir.ReadJSON(fsys, path.Join(dir, "tokenizer_config.json"), &p.config); err != nil {
		return nil, err
	}
	p.template, p.special, err = pieceSpecials(fsys, dir, p.tokenizer)
	return p, err
}

// openPieces opens a SentencePiece model: file, or else the first one that is in the folder.
func (t *Tokenizer) openPieces(fsys fs.FS, dir, file string) error {
	p, err := readPieces(fsys, dir, file, t.charge)
	if err != nil {
		return err
	}
	t.chat, t.special = p.template, p.special
	t.encoder = &encoder{
		tail: pieceTail(p), pair: segmentsOf(p.tokenizer.Pair), maxTokens: t.maxTokens(),
		types: p.tokenizer.Types, direct: &pipeline{model: p.tokenizer, maxBytes: t.maxBytes()},
	}
	if p.config.InputNames != nil {
		t.encoder.types = slices.Contains(p.config.InputNames, "token_type_ids")
	}
	t.encoder.direct.works.New = func() any { return newWork(t.encoder.direct) }
	t.decoder = &decoder{exact: &exactDecoder{model: p.tokenizer, maxBytes: t.maxBytes(), cleanUp: p.config.CleanUp}}
	return nil
}

// pieceSpecials returns the chat template, and the special tokens: those of the tokenizer, or else
// of the files whose ids are for the language model.
func pieceSpecials(fsys fs.FS, dir string, tokenizer *sptokenizer.Tokenizer) (string, Special, error) {
	f, err := readFolder(fsys, dir, nil)
	if err != nil {
		return "", Special{}, err
	}
	var generation config
	if err := modeldir.ReadJSON(fsys, path.Join(dir, "generation_config.json"), &generation); err != nil {
		return "", Special{}, err
	}
	generation.apply(f)
	s := f.special
	for _, token := range []struct {
		own  int32
		id   *int32
		text *string
	}{{tokenizer.BOS, &s.BOSID, &s.BOS}, {tokenizer.EOS, &s.EOSID, &s.EOS}, {tokenizer.Pad, &s.PadID, &s.Pad}} {
		if token.own >= 0 {
			*token.id = token.own
		}
		if *token.text = ""; *token.id >= 0 {
			*token.text = tokenizer.Token(*token.id)
		}
	}
	return f.template, s, nil
}

// pieceTail returns how rows are cut and padded.
func pieceTail(p *piecesFiles) *tail {
	t := &tail{
		segments: segmentsOf(p.tokenizer.Single), limit: unlimited, left: p.config.CutSide == "left", padLeft: p.config.PadSide == "left",
		pad: max(p.special.PadID, 0),
	}
	t.setLength(p.config.MaxLength)
	return t
}
