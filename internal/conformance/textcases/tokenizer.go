package textcases

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/internal/conformance/textcorpus"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/text"
)

// folderCase is what a file in a folder says about what the folder has.
type folderCase struct {
	folder string
	check  func(ctx context.Context, r *conformance.Runner, folder string) error
}

func (c folderCase) run(ctx context.Context, r *conformance.Runner) error {
	return c.check(ctx, r, c.folder)
}

// genAI compares tokens and texts with those of GenAI's Tokenizer, which has options.
func genAI(ctx context.Context, r *conformance.Runner, folder string) error {
	return eachOfTokenizer(ctx, r, folder, genAIFile, func(t *text.Tokenizer, c *textcorpus.TokenizerCase) error {
		switch {
		case c.Texts != nil:
			return encode(ctx, t, c)
		case c.Error != "":
			return nil // a pair for which GenAI fails
		}
		options := text.DecodeOptions{KeepSpecialTokens: c.SkipSpecialTokens != nil && !*c.SkipSpecialTokens}
		got, err := t.Decode(ctx, [][]int32{c.IDs}, options)
		if err != nil {
			return faults.Errorf("%v: %w", c.IDs, err)
		}
		return differ(fmt.Sprintf("%v: the text", c.IDs), got[0], string(c.Text))
	})
}

// encode compares the rows of an encoding.
func encode(ctx context.Context, t *text.Tokenizer, c *textcorpus.TokenizerCase) error {
	options := text.EncodeOptions{
		NoSpecialTokens: c.AddSpecialTokens != nil && !*c.AddSpecialTokens, MaxLength: c.MaxLength, Truncation: c.Truncation,
		PadToMaxLength: c.PadToMaxLength, PaddingSide: text.PaddingSide(c.PaddingSide),
	}
	if c.Pairs != nil {
		options.Pairs = textcorpus.Strings(c.Pairs)
	}
	got, err := t.Encode(ctx, textcorpus.Strings(c.Texts), options)
	switch {
	case c.Error != "" && err == nil:
		return faults.Errorf("%q: accepted, GenAI refuses it: %s", c.Texts, c.Error)
	case c.Error != "" && ctx.Err() == nil:
		return nil
	case err != nil:
		return faults.Errorf("%q: %w", c.Texts, err)
	case got.Rows != len(c.InputIDs):
		return faults.Errorf("%q: %d rows, want %d", c.Texts, got.Rows, len(c.InputIDs))
	}
	for i, row := range c.InputIDs {
		if err := faults.Join(
			differIn(fmt.Sprintf("%q: row %d of the tokens", c.Texts, i), got.Row(i), row),
			differIn(fmt.Sprintf("%q: row %d of the mask", c.Texts, i), got.Mask[i*got.Length:(i+1)*got.Length], c.AttentionMask[i]),
		); err != nil {
			return err
		}
	}
	return nil
}

// stream compares the pieces of texts with those of GenAI's TextStreamer.
func stream(ctx context.Context, r *conformance.Runner, folder string) error {
	return eachOfTokenizer(ctx, r, folder, streamFile, func(t *text.Tokenizer, c *textcorpus.TokenizerCase) error {
		s := generate.NewStreamer(t)
		var pieces []string
		add := func(piece []byte, err error) error {
			if len(piece) > 0 {
				pieces = append(pieces, string(piece))
			}
			return err
		}
		for i := range c.IDs {
			if err := add(s.Write(ctx, c.IDs[i:i+1])); err != nil {
				return err
			}
			if err := differ(fmt.Sprintf("%v: the number of pieces after token %d", c.IDs, i), len(pieces), c.ChunksAfterToken[i]); err != nil {
				return err
			}
		}
		if err := add(s.End(ctx)); err != nil {
			return err
		}
		return differIn(fmt.Sprintf("%v: the list of pieces", c.IDs), pieces, textcorpus.Strings(c.Chunks))
	})
}

// eachOfTokenizer calls run with the tokenizer in a folder and each case of a file there. The
// special tokens must be those of the file, if it has them.
func eachOfTokenizer(ctx context.Context, r *conformance.Runner, folder, name string, run func(*text.Tokenizer, *textcorpus.TokenizerCase) error) error {
	file, err := textcorpus.ReadTokenizer(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	t, err := tokenizerOptions(r).Open(folder)
	if err != nil {
		return err
	}
	defer t.Close()
	var all failures
	if name == genAIFile {
		special := t.Special()
		all.add(faults.Join(
			differ("the token for padding", textcorpus.Special{ID: special.PadID, Text: special.Pad}, file.Pad),
			differ("the token for the beginning", textcorpus.Special{ID: special.BOSID, Text: special.BOS}, file.BOS),
			differ("the token for the end", textcorpus.Special{ID: special.EOSID, Text: special.EOS}, file.EOS),
		))
	}
	for i := range file.Cases {
		all.add(run(t, &file.Cases[i]))
		if ctx.Err() != nil {
			break
		}
	}
	return all.err()
}
