package text

import (
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/vinoir/vinoir/internal/modeldir"
	"github.com/vinoir/vinoir/internal/text/sptokenizer"
)

// pieceFiles are the names of SentencePiece models, as classes of transformers expect them, in the
// order in which they are looked for.
var pieceFiles = []string{"tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "sentencepiece.model", "source.spm"}

// openPieces opens a SentencePiece model: file, or else the first one that is in the folder.
func (t *Tokenizer) openPieces(fsys fs.FS, dir, file string) error {
	names := pieceFiles
	if file != "" {
		names = []string{file}
	}
	var files sptokenizer.Files
	for _, name := range names {
		var err error
		if files.Model, err = modeldir.Read(fsys, path.Join(dir, name), maxFileBytes); err != nil {
			return err
		}
		if file = name; files.Model != nil {
			break
		}
	}
	if files.Model == nil {
		return &fs.PathError{Op: "open", Path: path.Join(dir, file), Err: fs.ErrNotExist}
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
			return err
		}
	}
	if err := t.charge(files.Bytes()); err != nil {
		return err
	}
	tokenizer, err := sptokenizer.New(&files, t.charge, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	config := hfConfig{}
	if err := modeldir.ReadJSON(fsys, path.Join(dir, "tokenizer_config.json"), &config); err != nil {
		return err
	}
	if t.chat, t.special, err = t.pieceSpecials(fsys, dir, tokenizer); err != nil {
		return err
	}
	t.encoder = &encoder{
		tail: pieceTail(&config, tokenizer, &t.special), pair: segmentsOf(tokenizer.Pair), maxTokens: t.maxTokens(),
		types: tokenizer.Types, direct: &pipeline{model: tokenizer, maxBytes: t.maxBytes()},
	}
	if config.InputNames != nil {
		t.encoder.types = slices.Contains(config.InputNames, "token_type_ids")
	}
	t.encoder.direct.works.New = func() any { return newWork(t.encoder.direct) }
	t.decoder = &decoder{exact: &exactDecoder{model: tokenizer, maxBytes: t.maxBytes(), cleanUp: config.CleanUp}}
	return nil
}

// pieceSpecials returns the chat template, and the special tokens: those of the tokenizer, or else
// of the files whose ids are for the language model.
func (t *Tokenizer) pieceSpecials(fsys fs.FS, dir string, tokenizer *sptokenizer.Tokenizer) (string, Special, error) {
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
func pieceTail(config *hfConfig, tokenizer *sptokenizer.Tokenizer, special *Special) *tail {
	t := &tail{
		segments: segmentsOf(tokenizer.Single), limit: unlimited, left: config.CutSide == "left", padLeft: config.PadSide == "left",
		pad: max(special.PadID, 0),
	}
	t.setLength(config.MaxLength)
	return t
}
