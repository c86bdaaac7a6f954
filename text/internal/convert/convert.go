// Package convert writes a tokenizer as two models, a tokenizer and a detokenizer, with the layers
// that OpenVINO Tokenizers' converter writes for it. A component of a tokenizer.json becomes what
// the converter makes of it, even if that is not quite what Hugging Face's library computes: the
// models have the ids of the converter's own ones.
//
// Each stage is in a file: specials.go, normalizer.go, pretokenizer.go, model.go, postprocessor.go
// and decoder.go. The layers are in the order of these. pieces.go is for SentencePiece models.
package convert

import (
	"context"
	"fmt"
	"strings"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
	"github.com/vinoir/vinoir/ir/infer"
)

// Options say what is asked of the models, and what the files beside the tokenizer say.
type Options struct {
	// NoSpecialTokens keeps the post-processor's tokens in the model, but switches them off.
	NoSpecialTokens bool
	// KeepSpecialTokens means that texts of tokens have special tokens.
	KeepSpecialTokens bool
	// Streaming means that the detokenizer of a SentencePiece model writes pieces as they are, with
	// all spaces.
	Streaming bool
	// CleanUp removes spaces before punctuation marks in texts of tokens.
	CleanUp bool
	// InvalidUTF8 says what becomes of texts of tokens that are not UTF-8.
	InvalidUTF8 Repair

	// MaxLength is the largest number of tokens of a row, with special ones; 0 means no limit. Rows
	// are cut to it if Truncate is set, or if the variable "truncation" of the model is true. They
	// are padded to it if PadToMax is set.
	MaxLength          int
	Truncate, PadToMax bool
	// CutLeft and PadLeft say where tokens are cut off, and where Pad is put.
	CutLeft, PadLeft bool
	Pad              int32
	// Types adds the output token_type_ids.
	Types bool
	// IDs is the type of ids outside of the models: i32 or i64.
	IDs ir.ElementType

	// BOSID, EOSID and PadID are special tokens, -1 for one that there is not. ChatTemplate is the
	// text of the chat template, and Class the name of the tokenizer's class, "" if there is none.
	// All of them are written into the rt_info of the models.
	BOSID, EOSID, PadID int32
	ChatTemplate, Class string
}

// Repair says what becomes of bytes that are not UTF-8.
type Repair int

// The values of Repair.
const (
	Replace Repair = iota // each is U+FFFD
	Ignore                // they are left out
	Keep
)

// RefusedError lists the components of a tokenizer that no layer computes.
type RefusedError struct {
	// Components has a line for each component: its JSON path and why it is refused.
	Components []string
}

// Error implements error.
func (e *RefusedError) Error() string {
	return "no layer of OpenVINO Tokenizers computes this, but text.Open does: " + strings.Join(e.Components, "; ")
}

// Models are a tokenizer and its detokenizer.
type Models struct{ Tokenizer, Detokenizer *ir.Model }

// converter makes models.
type converter struct {
	ctx       context.Context
	rules     infer.Rules
	options   *Options
	file      *hf.File
	tokenizer *hf.Tokenizer
	refused   RefusedError

	added       []addedToken
	first       *replacement  // before special tokens are looked for; nil if there is none
	byteLevel   bool          // a pre-tokenizer writes bytes as characters
	normalizers []normalizer  // in their order
	splits      []splitter    // in their order
	words       [][]byte      // by id
	segments    []segment     // of a row
	decoders    []decoderStep // in their order
	fused       bool          // the decoders join the tokens of a row
}

// Tokenizer returns the models of a tokenizer.json, and of the hf.Tokenizer that was made of it.
// The error is a *RefusedError, which lists all components that no layer computes, or that of the
// rules, or of ctx.
func Tokenizer(ctx context.Context, rules infer.Rules, file *hf.File, tokenizer *hf.Tokenizer, o *Options) (*Models, error) {
	c := &converter{ctx: ctx, rules: rules, options: o, file: file, tokenizer: tokenizer}
	c.setAdded()
	c.setWords()
	if file.Normalizer != nil {
		c.addNormalizer(file.Normalizer, "normalizer")
	}
	if file.PreTokenizer != nil {
		c.addPreTokenizer(file.PreTokenizer, "pre_tokenizer")
	}
	c.mergeCharsMaps()
	if len(c.refused.Components) == 0 {
		c.mergeSplits()
	}
	m := c.model()
	c.setSegments()
	c.setDecoders()
	if len(c.refused.Components) > 0 {
		return nil, &c.refused
	}
	forward, err := c.forward(m)
	if err != nil {
		return nil, faults.Errorf("tokenizer: %w", err)
	}
	back, err := c.back(m)
	if err != nil {
		return nil, faults.Errorf("detokenizer: %w", err)
	}
	for _, m := range []*ir.Model{forward, back} {
		c.addInfo(m)
	}
	return &Models{forward, back}, nil
}

// refuse adds a component that no layer computes.
func (c *converter) refuse(path, format string, args ...any) {
	c.refused.Components = append(c.refused.Components, path+": "+fmt.Sprintf(format, args...))
}

// refuseType adds a component whose type no layer computes.
func (c *converter) refuseType(component *hf.Component, path string) {
	c.refuse(path, "type %.100q", component.Type)
}

// forward returns the tokenizer.
func (c *converter) forward(m *model) (*ir.Model, error) {
	g := newGraph(c.ctx, c.rules, "tokenizer")
	f := &flow{}
	f.strings = outputs(g.Layer("StringTensorUnpack", 15, nil, g.Parameter("string_input", ir.String, ir.ShapeOfRank(1))), 3)
	if c.first != nil {
		c.first.add(g, f)
	}
	if len(c.added) > 0 {
		g.addRows(f)
		g.split(f, "SpecialTokensSplit", nil, c.specialsPattern())
		f.skips = []edit.Source{f.strings[2].Out(5)}
	}
	for _, n := range c.normalizers {
		n.add(g, f)
	}
	if f.rows == nil {
		g.addRows(f)
	}
	for _, s := range c.splits {
		s.add(g, f)
	}
	rows, err := m.add(g, f)
	if err != nil {
		return nil, err
	}
	c.addTail(g, rows)
	return g.Model()
}
