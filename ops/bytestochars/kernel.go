package bytestochars

import (
	"math"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/parallel"
	"github.com/vinoir/vinoir/internal/text/ragged"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/decomposed"
)

// table maps bytes to characters of one or two bytes of UTF-8, and back.
type table struct {
	chars  [256][2]byte // the second byte is 0 if there is one
	length [256]uint8
	// bytes has 1 + the byte of a character of two bytes, by the last three bits of its first byte
	// and the last six of its second one; 0 if the table has no such character. All characters of
	// two bytes are below U+0200, so that their first bytes are 0xc2 to 0xc7.
	bytes [8][64]uint16
}

func newTable() *table {
	t, next := new(table), rune(256)
	for b := range 256 {
		r := rune(b)
		if r <= ' ' || r >= 0x7f && r <= 0xa0 || r == 0xad {
			r, next = next, next+1
		}
		chars := []byte(string(r))
		t.length[b] = uint8(copy(t.chars[b][:], chars))
		if len(chars) == 2 {
			t.bytes[chars[0]&7][chars[1]&63] = uint16(b) + 1
		}
	}
	return t
}

// find returns the byte of a character that starts with the bytes a and b. ok is false if the table
// has no such character of two bytes.
func (t *table) find(a, b byte) (found byte, ok bool) {
	if a&^7 != 0xc0 || b&^63 != 0x80 {
		return 0, false
	}
	n := t.bytes[a&7][b&63]
	return byte(n - 1), n != 0
}

// kernel has the strings of each row.
type kernel struct{ table *table }

func prepareChars(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: (&kernel{newTable()}).toChars}, nil
}

func prepareBytes(*ops.Preparation) (*ops.Prepared, error) {
	return &ops.Prepared{Kernel: (&kernel{newTable()}).toBytes}, nil
}

// inputsOf returns the strings and rows, whose ranges it checks.
func inputsOf(r *ops.Run) (words ragged.Strings, of ragged.Rows, err error) {
	if words, err = decomposed.Strings(r, begins, "strings"); err == nil {
		of, err = decomposed.Rows(r, rows, words.Len(), "rows")
	}
	return words, of, err
}

// toChars maps bytes to characters. It goes through the strings twice: the first time, it counts.
func (k *kernel) toChars(r *ops.Run) error {
	words, of, err := inputsOf(r)
	if err != nil {
		return err
	}
	var skip []bool
	if len(r.Inputs) > skips {
		skip = ir.Data[bool](r.Inputs[skips])
		if len(skip) != words.Len() {
			return faults.Errorf("%d strings and %d skips", words.Len(), len(skip))
		}
	}
	begins, ends := ir.Data[int32](r.Outputs[2]), ir.Data[int32](r.Outputs[3])
	clear(begins)
	clear(ends)
	most := min(2*len(words.Chars), math.MaxInt32)
	total, meter := 0, r.Stop.Meter()
	for row, begin := range of.Begins {
		for i := begin; i < of.Ends[row]; i++ {
			word := words.At(int(i))
			begins[i] = int32(total)
			if total += len(word); skip == nil || !skip[i] {
				for _, b := range word {
					total += int(k.table.length[b]) - 1
				}
			}
			if ends[i] = int32(total); total > most {
				return faults.Errorf("string %d: more than %d bytes", i, most)
			}
			if meter.Spent(16 + len(word)) {
				return parallel.ErrStopped
			}
		}
	}
	r.Copy(r.Outputs[0], r.Inputs[0])
	r.Copy(r.Outputs[1], r.Inputs[1])
	if skip != nil && len(r.Outputs) > skips {
		r.Copy(r.Outputs[skips], r.Inputs[skips])
	}
	if err := r.SetShape(4, total); err != nil {
		return err
	}
	to, at := r.Outputs[4].Bytes(), 0
	for row, begin := range of.Begins {
		for i := begin; i < of.Ends[row]; i++ {
			word := words.At(int(i))
			if meter.Spent(16 + 2*len(word)) {
				return parallel.ErrStopped
			}
			if skip != nil && skip[i] {
				at += copy(to[at:], word)
				continue
			}
			for _, b := range word {
				at += copy(to[at:], k.table.chars[b][:k.table.length[b]])
			}
		}
	}
	return nil
}

// toBytes maps characters to bytes. It goes through the strings twice: the first time, it counts.
func (k *kernel) toBytes(r *ops.Run) error {
	words, of, err := inputsOf(r)
	if err != nil {
		return err
	}
	begins, ends := ir.Data[int32](r.Outputs[0]), ir.Data[int32](r.Outputs[1])
	most := min(len(words.Chars), math.MaxInt32)
	total, meter := 0, r.Stop.Meter()
	for row, begin := range of.Begins {
		begins[row] = int32(total)
		for i := begin; i < of.Ends[row]; i++ {
			word := words.At(int(i))
			total += len(word)
			for at := 1; at < len(word); at++ {
				if _, ok := k.table.find(word[at-1], word[at]); ok {
					total--
				}
			}
			if total > most {
				return faults.Errorf("row %d: more than %d bytes", row, most)
			}
			if meter.Spent(16 + 2*len(word)) {
				return parallel.ErrStopped
			}
		}
		ends[row] = int32(total)
	}
	if err := r.SetShape(2, total); err != nil {
		return err
	}
	to, n := r.Outputs[2].Bytes(), 0
	for row, begin := range of.Begins {
		for i := begin; i < of.Ends[row]; i++ {
			word := words.At(int(i))
			if meter.Spent(16 + 2*len(word)) {
				return parallel.ErrStopped
			}
			for at := 0; at < len(word); at++ {
				b := word[at]
				if at+1 < len(word) {
					if found, ok := k.table.find(b, word[at+1]); ok {
						b = found
						at++
					}
				}
				to[n] = b
				n++
			}
		}
	}
	return nil
}
