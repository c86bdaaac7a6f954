package vocab

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/internal/text/wordindex"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
	"github.com/vinoir/vinoir/ops/internal/tokenizing"
)

// once returns the result of make, which reads the strings in inputs i to i+2 of p.
func once(p *ops.Preparation, i int, name string, bytes int64, make func(ragged.Strings) (any, error)) (any, error) {
	return tokenizing.Once(p, i, i+decomposed.StringsLen, 0, bytes, func() (any, error) {
		s, err := decomposed.ConstantStrings(p, i, name)
		if err != nil {
			return nil, err
		}
		return make(s)
	})
}

// decoder is the kernel of VocabDecoder.
type decoder struct {
	rows, columns int
	words         int              // in the vocabulary
	skip          []int64          // unless an input has them
	skips         ops.Area[uint64] // a bit for each word
}

func prepareDecoder(p *ops.Preparation) (*ops.Prepared, error) {
	shape := p.InputShape(ids)
	d := &decoder{rows: shape[0], columns: shape[1], words: tokenizing.Len(p, vocabulary), skip: p.Attributes.(attributes).skip}
	if _, err := once(p, vocabulary, "vocabulary", 0, func(ragged.Strings) (any, error) { return nil, nil }); err != nil {
		return nil, err
	}
	var s ops.Scratch
	d.skips = ops.AreaOf[uint64](&s, (d.words+63)/64)
	return &ops.Prepared{Kernel: d.run, ScratchBytes: s.Bytes()}, nil
}

func (d *decoder) run(r *ops.Run) error {
	d.markSkipped(r)
	switch {
	case d.columns == 0:
		return d.runEmpty(r)
	case r.Inputs[ids].ElementType() == ir.I64:
		return decode(d, r, ir.Data[int64](r.Inputs[ids]))
	}
	return decode(d, r, ir.Data[int32](r.Inputs[ids]))
}

func decode[I int32 | int64](d *decoder, r *ops.Run, list []I) error {
	words, skips := decomposed.Unchecked(r.Inputs[vocabulary:]), d.skips.In(r)
	for i := 2; i < 4; i++ {
		if err := r.SetShape(i, len(list)); err != nil {
			return err
		}
	}
	begins, ends := ir.Data[int32](r.Outputs[2]), ir.Data[int32](r.Outputs[3])
	total, meter := 0, r.Stop.Meter()
	for i, id := range list {
		begins[i] = int32(total)
		if n := uint64(id); n < uint64(d.words) && skips[n/64]>>(n%64)&1 == 0 {
			total += len(words.At(int(n)))
		}
		if ends[i] = int32(total); total > math.MaxInt32 {
			return faults.Errorf("string %d ends beyond byte %d, more than an i32 counts", i, math.MaxInt32)
		}
		if meter.Spent(8) {
			return parallel.ErrStopped
		}
	}
	d.setRows(r, d.columns)
	if err := r.SetShape(4, total); err != nil {
		return err
	}
	chars := r.Outputs[4].Bytes()
	for i, id := range list {
		if n := int(ends[i] - begins[i]); n > 0 {
			parallel.Copy(r.Stop, chars[begins[i]:ends[i]], words.At(int(id)))
			if meter.Spent(8 + n/8) {
				return parallel.ErrStopped
			}
		}
	}
	return nil
}

// markSkipped sets the bits of the words to skip.
func (d *decoder) markSkipped(r *ops.Run) {
	skips := d.skips.In(r)
	clear(skips)
	switch {
	case len(r.Inputs) <= skipped:
		mark(d, skips, d.skip)
	case r.Inputs[skipped].ElementType() == ir.I64:
		mark(d, skips, ir.Data[int64](r.Inputs[skipped]))
	default:
		mark(d, skips, ir.Data[int32](r.Inputs[skipped]))
	}
}

func mark[I int32 | int64](d *decoder, skips []uint64, list []I) {
	for _, id := range list {
		if n := uint64(id); n < uint64(d.words) {
			skips[n/64] |= 1 << (n % 64)
		}
	}
}

// setRows sets the rows, of n strings each.
func (d *decoder) setRows(r *ops.Run, n int) {
	begins, ends := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
	for i := range begins {
		begins[i], ends[i] = int32(i*n), int32(i*n+n)
	}
}

// runEmpty sets one empty string for each row.
func (d *decoder) runEmpty(r *ops.Run) error {
	for i := 2; i < 4; i++ {
		if err := r.SetShape(i, d.rows); err != nil {
			return err
		}
		clear(ir.Data[int32](r.Outputs[i]))
	}
	d.setRows(r, 1)
	return r.SetShape(4, 0)
}

// encoder is the kernel of VocabEncoder.
type encoder struct {
	keys   *wordindex.Index
	encode ops.Part
}

// lookupCost is the cost of a string.
const lookupCost = 60

func prepareEncoder(p *ops.Preparation) (*ops.Prepared, error) {
	n := tokenizing.Len(p, keys)
	if v := tokenizing.Len(p, values); v != n {
		return nil, faults.Errorf("%d keys and %d values", n, v)
	}
	if tokenizing.Len(p, unknown) == 0 {
		return nil, faults.Errorf("the default has no elements")
	}
	made, err := once(p, keys, "keys", wordindex.Bytes(n), func(s ragged.Strings) (any, error) {
		return wordindex.New(s, true, p.Stop)
	})
	if err != nil {
		return nil, err
	}
	e := &encoder{keys: made.(*wordindex.Index)}
	e.encode = encode[int32](e)
	if p.Inputs[values].Type == ir.I64 {
		e.encode = encode[int64](e)
	}
	return &ops.Prepared{Kernel: e.run}, nil
}

func (e *encoder) run(r *ops.Run) error {
	words, err := decomposed.Strings(r, strings, "strings")
	if err != nil {
		return err
	}
	return r.For(words.Len(), ops.Grain(lookupCost), e.encode)
}

func encode[T int32 | int64](e *encoder) ops.Part {
	return func(r *ops.Run, lo, hi int) error {
		words, out := decomposed.Unchecked(r.Inputs[strings:]), ir.Data[T](r.Outputs[0])
		table, other := ir.Data[T](r.Inputs[values]), ir.Data[T](r.Inputs[unknown])[0]
		for i := lo; i < hi; i++ {
			out[i] = other
			if k, ok := e.keys.Find(words.At(i)); ok {
				out[i] = table[k]
			}
		}
		return nil
	}
}
