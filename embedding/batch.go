package embedding

import (
	"context"
	"math/bits"
	"slices"
	"sort"
	"sync"
	"sync/atomic"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/text"
)

// windowTexts is the number of texts whose tokens are in memory at the same time, and encodedTexts
// that of those which are turned into tokens at once.
const windowTexts, encodedTexts = 8192, 64

// row is the tokens of a text, without padding.
type row struct {
	text       int
	ids, types []int32 // types can be nil
}

// batch is rows that are computed together. Each is padded to length tokens, on the left if left is
// set.
type batch struct {
	rows   []row
	length int
	left   bool
}

// job is what a call computes.
type job struct {
	*model
	Length
	n int // texts
	// text returns text number i, and the second text of a pair, if pairs is set.
	text  func(i int) (first, second string)
	pairs bool
	// receive gets the output of each text, in any order, and from several goroutines.
	receive func(i int, out *output) error
}

// run computes all texts, a window of them at a time.
func (j *job) run(ctx context.Context) error {
	if j.PaddingSide == "" {
		j.PaddingSide = j.defaults.PaddingSide
	}
	if j.MaxLength == 0 {
		j.MaxLength = j.defaults.MaxLength
	}
	if j.PadToMaxLength && j.MaxLength == 0 {
		return faults.Errorf("PadToMaxLength is set, but neither MaxLength is nor does the tokenizer state one")
	}
	window := windowTexts
	if j.isUniform() {
		window = max(j.n, 1)
	}
	for first := 0; first < j.n; first += window {
		rows, err := j.encode(ctx, first, min(first+window, j.n))
		if err != nil {
			return err
		}
		if err := j.compute(ctx, j.batches(rows)); err != nil {
			return err
		}
	}
	return nil
}

// isUniform reports whether all rows of a call have the same length.
func (j *job) isUniform() bool { return j.PadToMaxLength || j.PaddingSide == text.PaddingLeft }

// encode returns the tokens of the texts from first to last-1, longest first. Texts of about the
// same length are encoded together, as Encode pads them.
func (j *job) encode(ctx context.Context, first, last int) ([]row, error) {
	order, sizes := make([]int, last-first), make([]int, last-first)
	for k := range order {
		a, b := j.text(first + k)
		order[k], sizes[k] = first+k, len(a)+len(b)
	}
	sort.SliceStable(order, func(i, j int) bool { return sizes[order[i]-first] > sizes[order[j]-first] })
	options := text.EncodeOptions{MaxLength: j.MaxLength, Truncation: j.MaxLength > 0}
	rows, texts := make([]row, 0, len(order)), make([]string, 0, encodedTexts)
	for part := range slices.Chunk(order, encodedTexts) {
		texts, options.Pairs = texts[:0], options.Pairs[:0]
		for _, i := range part {
			a, b := j.text(i)
			if texts = append(texts, a); j.pairs {
				options.Pairs = append(options.Pairs, b)
			}
		}
		encoding, err := j.tokenizer.Encode(ctx, texts, options)
		if err != nil {
			return nil, err
		}
		for k, i := range part {
			rows = append(rows, rowOf(encoding, k, i))
		}
	}
	sort.SliceStable(rows, func(i, j int) bool { return len(rows[i].ids) > len(rows[j].ids) })
	return rows, nil
}

// rowOf returns row k of an encoding, without padding, for text number i.
func rowOf(e *text.Encoding, k, i int) row {
	mask := e.Mask[k*e.Length : (k+1)*e.Length]
	first, last := max(slices.Index(mask, 1), 0), len(mask)
	for last > first && mask[last-1] == 0 {
		last--
	}
	r := row{text: i, ids: e.Row(k)[first:last]}
	if e.TypeIDs != nil {
		r.types = e.TypeIDs[k*e.Length : (k+1)*e.Length][first:last]
	}
	return r
}

// fewTokens is the number of tokens up to which a batch has rows that are shorter by more than
// rounding: below it, reading the weights can take longer than computing.
const fewTokens = 128

// batches divides rows, the longest first. The number of rows of a batch is a power of two, and
// lengths are rounded, so that there are few shapes: for each, the model prepares kernels.
func (j *job) batches(rows []row) []batch {
	var batches []batch
	length := 0
	if j.PadToMaxLength {
		length = j.MaxLength
	}
	for len(rows) > 0 {
		longest := max(len(rows[0].ids), 1)
		if !j.isUniform() {
			length = j.round(longest)
		} else if length == 0 {
			length = longest
		}
		n := 1
		for n < len(rows) && (n+1)*length <= j.batchTokens && (j.isUniform() || belongs(len(rows[n].ids), n, length)) {
			n++
		}
		n = 1 << (bits.Len(uint(n)) - 1)
		if !j.isUniform() && j.MaxLength == 0 {
			length = longest
		}
		batches = append(batches, batch{rows: rows[:n], length: max(length, longest), left: j.PaddingSide == text.PaddingLeft})
		rows = rows[n:]
	}
	return batches
}

// round rounds a number of tokens up to one of few: with an error of less than a sixteenth, and not
// beyond the largest length.
func (j *job) round(n int) int {
	step := 1 << max(bits.Len(uint(n))-5, 0)
	rounded := (n + step - 1) &^ (step - 1)
	if j.MaxLength > 0 {
		rounded = max(min(rounded, j.MaxLength), n)
	}
	return rounded
}

// belongs reports whether a text of n tokens is added to a batch of rows rows.
func belongs(n, rows, length int) bool {
	least := length - length/32
	if rows*length < fewTokens {
		least = length - length/8
	}
	return n >= least
}

// compute computes batches, as many at once as the model has streams.
func (j *job) compute(ctx context.Context, batches []batch) error {
	workers := min(j.compiled.OptimalRequests(), len(batches))
	if workers <= 1 {
		return j.work(ctx, batches, new(atomic.Int64))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			if err := j.work(ctx, batches, &next); err != nil {
				cancel(err)
			}
		})
	}
	wait.Wait()
	return context.Cause(ctx)
}

// work computes the next batches, until there are none.
func (j *job) work(ctx context.Context, batches []batch, next *atomic.Int64) error {
	s := j.sessions.Get().(*session)
	defer j.sessions.Put(s)
	for {
		i := int(next.Add(1)) - 1
		if i >= len(batches) {
			return nil
		}
		if err := s.run(ctx, &batches[i], j.receive); err != nil {
			return err
		}
	}
}
