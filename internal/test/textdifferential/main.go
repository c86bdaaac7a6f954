// Textdifferential encodes random texts with vinoir and with OpenVINO Tokenizers, or with
// sentencepiece, and counts those whose tokens differ:
//
//	go run ./internal/test/textdifferential -python PYTHON [flags] FOLDER...
//
// A FOLDER has openvino_tokenizer.xml, and the Python openvino, openvino_tokenizers and numpy. Or a
// FOLDER has a SentencePiece model, as models.py trains them, and the Python sentencepiece and
// numpy, and transformers 4 if a tokenizer_config.json names a class: then the tokens of each text
// are decoded, too, and as many tokens at random.
//
// Texts are valid UTF-8 and mix what people write with random characters: see texts.go. A text that
// differs is encoded again alone, because in a batch OpenVINO can read flags of other texts. The
// first differences are printed, with the tokens of both.
//
// The texts depend on the seed alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"

	"github.com/vinoir/vinoir/text"
)

// options are the flags.
type options struct {
	python   string
	seed     uint64
	n, batch int
	parts    int
	shown    int
	duration time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.python, "python", "python3", "the Python with OpenVINO Tokenizers")
	flag.Uint64Var(&o.seed, "seed", 1, "the seed of the texts")
	flag.IntVar(&o.n, "n", 100_000, "the number of texts for each tokenizer")
	flag.IntVar(&o.batch, "batch", 200, "the number of texts that are encoded at once")
	flag.IntVar(&o.parts, "parts", 24, "the greatest number of parts of a text")
	flag.IntVar(&o.shown, "shown", 10, "the number of differences that are printed for each tokenizer")
	flag.DurationVar(&o.duration, "duration", time.Hour, "the longest time for each tokenizer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx, os.Stdout, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run compares the tokenizers in folders. It returns an error if one has differences.
func (o *options) run(ctx context.Context, w io.Writer, folders []string) error {
	if len(folders) == 0 || o.batch < 1 || o.parts < 1 {
		return errors.New("a FOLDER is needed, and positive numbers")
	}
	all := 0
	for _, folder := range folders {
		differences, err := o.compare(ctx, w, folder)
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		all += differences
	}
	if all > 0 {
		return fmt.Errorf("%d differences", all)
	}
	return nil
}

// compare compares the tokenizer in a folder, and returns the number of differences.
func (o *options) compare(ctx context.Context, w io.Writer, folder string) (int, error) {
	t, err := text.Open(folder)
	if err != nil {
		return 0, err
	}
	defer t.Close()
	path := filepath.Join(folder, "openvino_tokenizer.xml")
	if _, err := os.Stat(path); err != nil {
		p, err := start(ctx, "sentencepiece", o.python, sentencepiece, folder)
		if err != nil {
			return 0, err
		}
		defer p.close()
		return o.pieces(ctx, w, filepath.Base(folder), t, p)
	}
	p, err := start(ctx, "OpenVINO", o.python, openvino, path)
	if err != nil {
		return 0, err
	}
	defer p.close()
	return o.texts(ctx, w, filepath.Base(folder), t, p)
}

// pieces compares a SentencePiece model with a process of pieces.py, and returns the number of
// differences.
func (o *options) pieces(ctx context.Context, w io.Writer, name string, t *text.Tokenizer, p *peer) (int, error) {
	r := rand.New(rand.NewPCG(o.seed, 0))
	started := time.Now()
	texts, tokens, differences := 0, 0, [2]int{}
	for texts < o.n && time.Since(started) < o.duration {
		batch := make([]string, min(o.batch, o.n-texts))
		for i := range batch {
			batch[i] = randomText(r, o.parts)
		}
		if err := p.send(batch); err != nil {
			return differences[0], err
		}
		want, err := p.receive(len(batch))
		if err != nil {
			return differences[0], err
		}
		rows := slices.Clone(want)
		for i, one := range batch {
			got, err := t.AppendEncode(ctx, nil, one, true)
			if err != nil {
				return differences[0], err
			}
			tokens += len(got)
			if !slices.Equal(got, want[i]) {
				if differences[0]++; differences[0] <= o.shown {
					fmt.Fprintf(w, "%+q\n  vinoir        %v\n  sentencepiece %v\n", one, got, want[i])
				}
			}
			rows = append(rows, shuffled(r, want))
		}
		if err := p.sendRows(rows); err != nil {
			return differences[0], err
		}
		wantTexts, err := p.receiveTexts(len(rows))
		if err != nil {
			return differences[0], err
		}
		gotTexts, err := t.Decode(ctx, rows, text.DecodeOptions{})
		if err != nil {
			return differences[0], err
		}
		for i, got := range gotTexts {
			if got != wantTexts[i] {
				if differences[1]++; differences[1] <= o.shown {
					fmt.Fprintf(w, "%v\n  vinoir        %+q\n  sentencepiece %+q\n", rows[i], got, wantTexts[i])
				}
			}
		}
		texts += len(batch)
	}
	fmt.Fprintf(w, "%s: %d texts with %d tokens, %d differ; of %d rows of tokens, %d differ\n",
		name, texts, tokens, differences[0], 2*texts, differences[1])
	return differences[0] + differences[1], nil
}

// shuffled returns tokens from all rows in any order.
func shuffled(r *rand.Rand, rows [][]int32) []int32 {
	tokens := make([]int32, 0, 16)
	for range r.IntN(cap(tokens)) {
		if row := rows[r.IntN(len(rows))]; len(row) > 0 {
			tokens = append(tokens, row[r.IntN(len(row))])
		}
	}
	return tokens
}

// texts compares a tokenizer with that of a process, and returns the number of differences.
func (o *options) texts(ctx context.Context, w io.Writer, name string, t *text.Tokenizer, p *peer) (int, error) {
	r := rand.New(rand.NewPCG(o.seed, 0))
	started := time.Now()
	texts, tokens, differences, apart := 0, 0, 0, 0
	for texts < o.n && time.Since(started) < o.duration {
		batch := make([]string, min(o.batch, o.n-texts))
		for i := range batch {
			batch[i] = randomText(r, o.parts)
		}
		if err := p.send(batch); err != nil {
			return differences, err
		}
		got, err := t.Encode(ctx, batch, text.EncodeOptions{})
		if err != nil {
			return differences, err
		}
		want, err := p.receive(len(batch))
		if err != nil {
			return differences, err
		}
		for i := range batch {
			row := masked(got, i)
			tokens += len(row)
			if slices.Equal(row, want[i]) {
				continue
			}
			if err := p.send(batch[i : i+1]); err != nil {
				return differences, err
			}
			alone, err := p.receive(1)
			if err != nil {
				return differences, err
			}
			if slices.Equal(row, alone[0]) {
				apart++
				continue
			}
			if differences++; differences <= o.shown {
				fmt.Fprintf(w, "%+q\n  vinoir   %v\n  OpenVINO %v\n", batch[i], row, alone[0])
			}
		}
		texts += len(batch)
	}
	fmt.Fprintf(w, "%s: %d texts with %d tokens, %d differ; %d more of OpenVINO's differ in a batch only\n", name, texts, tokens, differences, apart)
	return differences, nil
}

// masked returns row i of an encoding without padding.
func masked(e *text.Encoding, i int) []int32 {
	mask := e.Mask[i*e.Length : (i+1)*e.Length]
	var row []int32
	for j, id := range e.Row(i) {
		if mask[j] != 0 {
			row = append(row, id)
		}
	}
	return row
}
