package text

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/text/internal/convert"
)

// ConvertOptions are options for Convert. Zero fields mean what the files say, or else the defaults
// of OpenVINO Tokenizers' converter.
type ConvertOptions struct {
	// NoSpecialTokens switches off the special tokens that the tokenizer adds.
	NoSpecialTokens bool
	// KeepSpecialTokens keeps special tokens in texts of tokens.
	KeepSpecialTokens bool
	// Streaming means that the detokenizer of a SentencePiece model writes each piece as it is,
	// with its spaces.
	Streaming bool
	// CleanUp says whether spaces before punctuation marks are removed from texts of tokens.
	CleanUp *bool
	// InvalidUTF8 says what becomes of bytes of tokens that are not UTF-8: "replace" makes U+FFFD
	// of them, "ignore" leaves them out, "disable" keeps them. "" means "replace".
	InvalidUTF8 string
	// MaxLength is the largest number of tokens of a row, with special ones. Rows are cut to it if
	// Truncation is set, and padded to it if PadToMaxLength is set.
	MaxLength                  int
	Truncation, PadToMaxLength bool
	// PaddingSide and TruncationSide are "left" or "right".
	PaddingSide, TruncationSide string
	// TypeIDs says whether the model has the output token_type_ids.
	TypeIDs *bool
	// IDs is the type of ids that the models have: ir.I64, which zero means, or ir.I32.
	IDs ir.ElementType
	// Limits bounds the memory of a conversion.
	Limits plugin.Options
}

// RefusedError lists the components of a tokenizer that no layer of OpenVINO Tokenizers computes.
// Open does.
type RefusedError = convert.RefusedError

// ErrOption is what errors of ConvertOptions wrap.
var ErrOption = errors.New("a wrong option")

// Converted are the models of a tokenizer.
type Converted struct{ Tokenizer, Detokenizer *ir.Model }

// Convert makes the models of the tokenizer in the folder dir: of tokenizer.json, or else of a
// SentencePiece model, with what tokenizer_config.json and the like say beside it. They are those
// that OpenVINO Tokenizers' converter makes: OpenVINO and OpenVINO GenAI read them. They have the
// ids of the converter's models, which are not those of Hugging Face's library for all texts: Open
// itself reads the files without that loss. The error is a *RefusedError if no layer computes some
// of the components.
func Convert(ctx context.Context, dir string, o ConvertOptions) (*Converted, error) {
	return ConvertFS(ctx, os.DirFS(dir), ".", o)
}

// ConvertFS is Convert for a folder in a file system.
func ConvertFS(ctx context.Context, fsys fs.FS, dir string, o ConvertOptions) (*Converted, error) {
	registry, err := plugin.NewRegistry(Ops()...)
	if err != nil {
		return nil, err
	}
	t := &Tokenizer{limits: o.Limits} // counts the memory
	var models *convert.Models
	name := tokenizerJSON
	files, err := readHF(fsys, dir, t.charge)
	if errors.Is(err, fs.ErrNotExist) {
		models, name, err = o.pieces(ctx, registry, t, fsys, dir)
	} else if err == nil {
		var options *convert.Options
		if options, err = o.options(hfTail(files), &files.config, &files.special, files.template); err == nil {
			options.CleanUp, options.Types = orElse(o.CleanUp, files.cleansUp()), orElse(o.TypeIDs, files.hasTypes())
			models, err = convert.Tokenizer(ctx, registry, files.file, files.tokenizer, options)
		}
	}
	var refused *RefusedError
	if errors.As(err, &refused) {
		err = faults.Errorf("%s: %w", path.Join(dir, name), err)
	}
	if err != nil {
		return nil, err
	}
	return &Converted{models.Tokenizer, models.Detokenizer}, nil
}

// pieces converts the SentencePiece model in a folder, whose name it returns, too.
func (o *ConvertOptions) pieces(ctx context.Context, rules infer.Rules, t *Tokenizer, fsys fs.FS, dir string) (*convert.Models, string, error) {
	p, err := readPieces(fsys, dir, "", t.charge)
	if err != nil {
		return nil, "", err
	}
	options, err := o.options(pieceTail(p), &p.config, &p.special, p.template)
	if err != nil {
		return nil, "", err
	}
	options.CleanUp = orElse(o.CleanUp, p.config.CleanUp)
	// Each model has a copy, which is kept in the form of its fields meanwhile.
	if err := t.charge(4 * int64(len(p.files.Model))); err != nil {
		return nil, "", err
	}
	models, err := convert.Pieces(ctx, rules, p.files.Model, p.tokenizer, options)
	return models, p.name, err
}

// orElse returns what p refers to, or b if it is nil.
func orElse(p *bool, b bool) bool {
	if p == nil {
		return b
	}
	return *p
}

// options returns what the models have. t is how rows are cut and padded without o.
func (o *ConvertOptions) options(t *tail, config *hfConfig, special *Special, template string) (*convert.Options, error) {
	c := &convert.Options{
		NoSpecialTokens: o.NoSpecialTokens, KeepSpecialTokens: o.KeepSpecialTokens, Streaming: o.Streaming,
		MaxLength: o.MaxLength, Truncate: o.Truncation, PadToMax: o.PadToMaxLength, CutLeft: t.left, PadLeft: t.padLeft, Pad: t.pad,
		IDs: o.IDs, BOSID: special.BOSID, EOSID: special.EOSID, PadID: special.PadID, ChatTemplate: template, Class: config.Class,
	}
	if c.MaxLength == 0 && t.limit < unlimited {
		c.MaxLength = t.limit + specials(t.segments)
	}
	if c.IDs == ir.Dynamic {
		c.IDs = ir.I64
	}
	switch {
	case c.IDs != ir.I64 && c.IDs != ir.I32:
		return nil, faults.Errorf("%w: ids of type %v, expected i64 or i32", ErrOption, c.IDs)
	case o.MaxLength < 0:
		return nil, faults.Errorf("%w: a largest length of %d tokens, expected 0 for none or more", ErrOption, o.MaxLength)
	}
	for _, side := range []struct {
		name, value string
		left        *bool
	}{{"padding", o.PaddingSide, &c.PadLeft}, {"truncation", o.TruncationSide, &c.CutLeft}} {
		switch side.value {
		case "":
		case "left", "right":
			*side.left = side.value == "left"
		default:
			return nil, faults.Errorf("%w: the %s side %q, expected left or right", ErrOption, side.name, side.value)
		}
	}
	switch o.InvalidUTF8 {
	case "", "replace":
	case "ignore":
		c.InvalidUTF8 = convert.Ignore
	case "disable":
		c.InvalidUTF8 = convert.Keep
	default:
		return nil, faults.Errorf("%w: %q for invalid UTF-8, expected replace, ignore or disable", ErrOption, o.InvalidUTF8)
	}
	return c, nil
}

// Write writes openvino_tokenizer.xml and openvino_detokenizer.xml, and a .bin beside each, into
// the folder dir. Files of these names are replaced. It returns the paths of the files.
func (c *Converted) Write(ctx context.Context, dir string) ([]string, error) {
	var paths []string
	for _, one := range []struct {
		name  string
		model *ir.Model
	}{{tokenizerXML, c.Tokenizer}, {detokenizerXML, c.Detokenizer}} {
		file := filepath.Join(dir, one.name)
		if err := irxml.WriteFile(ctx, file, one.model, irxml.WriteOptions{}); err != nil {
			return nil, err
		}
		paths = append(paths, file, file[:len(file)-len(".xml")]+".bin")
	}
	return paths, nil
}
