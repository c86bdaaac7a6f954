package paged

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/half"
	"github.com/vinoir/vinoir/internal/levels"
	"github.com/vinoir/vinoir/ir"
)

// Layer describes the keys and values of an attention: the number of heads, and the numbers that a
// key and a value of a head have.
type Layer struct {
	Heads, KeyWidth, ValueWidth int
}

// Run is a part of a step: Rows rows that continue one text at position First. Blocks are those of
// the text, up to the last of these rows at least; those that no row sees can be none.
type Run struct {
	Blocks      []int32
	First, Rows int
}

// Store is the memory of blocks, and what the layers of its Op need to know of a step.
//
// A block holds, for each layer, the keys of each head, and then the values of each head; those of
// a head follow each other. It is allocated when it is first used.
type Store struct {
	layers     []Layer
	keys       []int // offset of the keys of each layer in a block, in bytes
	values     []int
	kept       ir.ElementType
	blockBytes int
	memory     [][]byte

	runs []Run
	rows int
	// starts[i] is the first row of run i, and tiles are parts of runs that are computed together.
	starts []int
	tiles  []tile
}

// tile is a part of a run.
type tile struct {
	run, row, rows int // row is counted from the beginning of the step
}

// tileRows is the greatest number of rows of a tile.
const tileRows = 32

// NewStore returns a Store of as many blocks as fit in the given number of bytes. The numbers of
// keys and values are kept as F32, F16, BF16, or as U8 with levels.EncodeRows.
func NewStore(layers []Layer, kept ir.ElementType, bytes int64) (*Store, error) {
	s := &Store{layers: layers, kept: kept}
	for i, l := range layers {
		s.keys = append(s.keys, s.blockBytes)
		s.blockBytes += l.Heads * s.headBytes(l.KeyWidth)
		s.values = append(s.values, s.blockBytes)
		s.blockBytes += l.Heads * s.headBytes(l.ValueWidth)
		if l.Heads <= 0 || l.KeyWidth <= 0 || l.ValueWidth <= 0 || s.blockBytes <= 0 {
			return nil, faults.Errorf("attention %d has %d heads of %d and %d numbers", i, l.Heads, l.KeyWidth, l.ValueWidth)
		}
	}
	if s.blockBytes == 0 {
		return nil, faults.Errorf("there is no attention")
	}
	n := bytes / int64(s.blockBytes)
	if n < 1 {
		return nil, faults.Errorf("%d bytes are less than the %d bytes of %d tokens", bytes, s.blockBytes, BlockTokens)
	}
	s.memory = make([][]byte, min(n, maxBlocks))
	return s, nil
}

// maxBlocks bounds the number of blocks, whose bookkeeping takes memory too.
const maxBlocks = 1 << 20

// Blocks returns the number of blocks.
func (s *Store) Blocks() int { return len(s.memory) }

// BlockBytes returns the size of a block.
func (s *Store) BlockBytes() int { return s.blockBytes }

// rowBytes returns the size of n numbers of a key or value.
func (s *Store) rowBytes(n int) int {
	switch s.kept {
	case ir.U8:
		return n + levels.RowExtra
	case ir.F32:
		return 4 * n
	}
	return 2 * n // f16 and bf16
}

// headBytes returns the size of the keys or values of a head in a block.
func (s *Store) headBytes(n int) int {
	const line = 64
	return (BlockTokens*s.rowBytes(n) + line - 1) / line * line
}

// Begin says what the rows of the next step are. Rows behind those of runs are ignored. Nobody
// else may be writing to blocks of runs from First on.
func (s *Store) Begin(runs []Run) {
	s.runs, s.starts, s.tiles, s.rows = runs, s.starts[:0], s.tiles[:0], 0
	for i := range runs {
		r := &runs[i]
		for _, b := range r.Blocks {
			if b != none && s.memory[b] == nil {
				s.memory[b] = ir.AlignedBytes(s.blockBytes)
			}
		}
		s.starts = append(s.starts, s.rows)
		for lo := 0; lo < r.Rows; lo += tileRows {
			s.tiles = append(s.tiles, tile{run: i, row: s.rows + lo, rows: min(tileRows, r.Rows-lo)})
		}
		s.rows += r.Rows
	}
}

// Copy copies block from to block to.
func (s *Store) Copy(to, from int32) {
	if s.memory[to] == nil {
		s.memory[to] = ir.AlignedBytes(s.blockBytes)
	}
	copy(s.memory[to], s.memory[from])
}

// write stores n numbers in memory of a row.
func (s *Store) write(to []byte, numbers []float32) {
	switch s.kept {
	case ir.F32:
		copy(cast.Bytes[float32](to), numbers)
	case ir.F16:
		half.F32sToF16s(cast.Bytes[uint16](to)[:len(numbers)], numbers)
	case ir.BF16:
		half.F32sToBF16s(cast.Bytes[half.BFloat16](to)[:len(numbers)], numbers)
	default:
		levels.EncodeRows(to, numbers, len(numbers))
	}
}

// read returns rows of n numbers: the memory itself if it has f32, or else dst.
func (s *Store) read(dst []float32, from []byte, rows, n int) []float32 {
	switch dst = dst[:rows*n]; s.kept {
	case ir.F32:
		return cast.Bytes[float32](from)[:rows*n]
	case ir.F16:
		half.F16sToF32s(dst, cast.Bytes[uint16](from)[:rows*n])
	case ir.BF16:
		half.BF16sToF32s(dst, cast.Bytes[half.BFloat16](from)[:rows*n])
	default:
		levels.DecodeRows(dst, from, n)
	}
	return dst
}
