package convert

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/edit"
)

// decoderStep changes the texts of tokens. A fused flow has one string for each row.
type decoderStep func(g graph, f *flow)

// replaceStep is RegexNormalization.
func replaceStep(pattern, content string) decoderStep {
	return (&replacement{pattern: pattern, content: content}).add
}

// fallbackStep is ByteFallback.
func fallbackStep(g graph, f *flow) { g.normalize(f, "ByteFallback", nil) }

// fuseStep is FuzeRagged.
func fuseStep(g graph, f *flow) {
	if f.rows == nil {
		return // it is one string already
	}
	layer := g.extension("FuzeRagged", nil, f.rows[0], f.rows[1], f.strings[0], f.strings[1])
	f.strings, f.rows = []edit.Source{layer, layer.Out(1), f.strings[2]}, nil
}

// charsStep is CharsToBytes.
func charsStep(g graph, f *flow) {
	f.strings, f.rows = outputs(g.extension("CharsToBytes", nil, slices.Concat(f.rows, f.strings)...), 3), nil
}

// repairStep is UTF8Validate.
func repairStep(mode Repair) decoderStep {
	return func(g graph, f *flow) {
		g.normalize(f, "UTF8Validate", []string{"replace_mode", yesNo(mode == Replace)})
	}
}

// cleanUpStep removes spaces before punctuation marks and contractions of English.
func cleanUpStep(g graph, f *flow) {
	replaceStep(`(?| ([\\.\\?\\!,])| ('[ms])| (') | ('[rv]e)| (n't))`, "$1")(g, f)
}

// setDecoders sets the steps from the texts of tokens to that of a row.
func (c *converter) setDecoders() {
	d := c.file.Decoder
	switch {
	case d != nil && d.Type == "Sequence":
		for i, one := range d.Decoders {
			c.addDecoder(one, fmt.Sprintf("decoder.decoders[%d]", i))
		}
	case d != nil && d.Type == "ByteLevel":
		c.addDecoder(d, "decoder")
	case d != nil && d.Type == "CTC":
		c.refuseType(d, "decoder")
	}
	c.decoders = append(c.decoders, fuseStep)
	m := &c.file.Model
	if m.Type != "BPE" { // the words that the decoder has start with a space
		c.decoders = append(c.decoders, replaceStep("^ ", ""))
	}
	if mode := c.options.InvalidUTF8; mode != Keep {
		c.decoders = append(c.decoders, repairStep(mode))
	}
	if m.Suffix != "" {
		c.decoders = append(c.decoders, replaceStep(m.Suffix, " "), replaceStep(" $", ""))
	}
	if m.Prefix != "" {
		c.decoders = append(c.decoders, replaceStep(m.Prefix, ""))
	}
	if c.options.CleanUp {
		c.decoders = append(c.decoders, cleanUpStep)
	}
}

// addDecoder adds the steps of a component in a sequence. Those that only say what the words look
// like are left out, as the decoder's words say it: see decoderWords.
func (c *converter) addDecoder(component *hf.Component, path string) {
	switch component.Type {
	case "Replace":
		if component.Pattern == nil || component.Pattern.String == nil {
			c.refuse(path, "Replace with a Regex")
			return
		}
		c.decoders = append(c.decoders, replaceStep(*component.Pattern.String, contentOf(component)))
	case "Strip":
		c.decoders = append(c.decoders, replaceStep("^"+contentOf(component), ""))
	case "ByteFallback":
		c.decoders = append(c.decoders, fallbackStep)
	case "Fuse":
		c.decoders, c.fused = append(c.decoders, fuseStep), true
	case "ByteLevel":
		switch {
		case c.file.Model.Type == "BPE" && c.byteLevel: // its words are bytes
			c.decoders = append(c.decoders, fuseStep)
		case c.fused:
			c.refuse(path, "ByteLevel behind a component that joins the tokens")
		default:
			c.decoders = append(c.decoders, charsStep)
		}
		c.fused = true
	case "Metaspace", "WordPiece", "BPEDecoder":
	default:
		c.refuseType(component, path)
	}
}

// decoderWords returns the texts of tokens.
func (c *converter) decoderWords(m *model) [][]byte {
	words := make([][]byte, len(c.words))
	switch file := &c.file.Model; {
	case file.Type == "WordLevel":
		for i, word := range c.words {
			words[i] = append([]byte(" "), word...)
		}
	case file.Type == "WordPiece":
		for i, word := range c.words {
			words[i] = wordPieceText(word)
		}
	case c.byteLevel:
		for i, word := range c.words {
			words[i] = word
			if text, ok := hf.ByteWord(word); ok {
				words[i] = text
			}
		}
		for _, token := range c.added {
			for int(token.id) >= len(words) {
				words = append(words, nil)
			}
			words[token.id] = c.wordOf(token)
		}
	case file.Type == "Unigram":
		words = slices.Clone(m.words)
		for i, word := range words {
			words[i] = unigramText(word, file.ByteFallback)
		}
	default:
		words = m.words
	}
	return words
}

// wordPieceText returns the text of a word: with a space, unless it goes on with a word or is a
// punctuation mark.
func wordPieceText(word []byte) []byte {
	if bytes.Contains([]byte(".,!?"), word) {
		return word
	}
	if rest, ok := bytes.CutPrefix(word, []byte("##")); ok {
		return rest
	}
	return append([]byte(" "), word...)
}

// unigramText returns the text of a word, or the byte that it stands for.
func unigramText(word []byte, fallback bool) []byte {
	text := bytes.ReplaceAll(word, []byte("▁"), []byte(" "))
	if fallback && len(text) == 6 && bytes.HasPrefix(text, []byte("<0x")) && text[5] == '>' {
		if c, err := hex.DecodeString(string(text[3:5])); err == nil {
			return c
		}
	}
	return text
}

// back returns the detokenizer.
func (c *converter) back(m *model) (*ir.Model, error) {
	g := newGraph(c.ctx, c.rules, "detokenizer")
	ids := g.ids(c.options.IDs)
	words, err := g.words(c.decoderWords(m))
	if err != nil {
		return nil, err
	}
	inputs := append(append([]edit.Source{ids}, words...), c.skipped(g))
	f := &flow{}
	f.setRagged(g.extension("VocabDecoder", []string{"skip_tokens", ""}, inputs...))
	for _, step := range c.decoders {
		step(g, f)
	}
	g.Result("string_output", g.Layer("StringTensorPack", 15, nil, f.strings...))
	return g.Model()
}

// skipped adds the ids of the special tokens. If texts keep them, a Slice takes none of them: then
// a reader can still switch them off.
func (c *converter) skipped(g graph) edit.Source {
	ids := []int32{}
	for _, token := range c.added {
		if token.Special {
			ids = append(ids, token.id)
		}
	}
	list := g.integers(ids)
	if !c.options.KeepSpecialTokens {
		return list
	}
	zero := g.integers([]int32{0})
	return g.Layer("Slice", 8, nil, list, zero, zero, g.integers([]int32{1}))
}
