package dynamicquantizelstm

import (
	"fmt"
	"slices"

	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm"
	"github.com/vinoir/vinoir/internal/lowbit"
	"github.com/vinoir/vinoir/internal/memory"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/internal/recurrence"
)

// matrix is W or R of a direction. Where there are instructions for integers of 8 bits, products
// are theirs. Elsewhere they are of float32, which holds the integers, and their sums up to 2^24.
type matrix struct {
	*packed
	scale []float32 // one, or one for each column
	zero  []float32 // of each column, of the codes as i8; nil if all are 0

	multiplyBy, scaleBy func(out, a, b []float32)
}

// packed are the weights of a direction, as i8.
type packed struct {
	depth, columns int
	bytes          *gemm.Bytes // or
	codes          *lowbit.Matrix
	sums, ones     []float32 // of each column, for bytes: the sum of the codes, and 1
}

// newMatrix packs the weights at an input for a direction.
func newMatrix(p *ops.Preparation, port, d int) (*matrix, error) {
	weights, scale, zero := p.Inputs[port].Tensor, p.Inputs[port+1].Tensor, p.Inputs[port+2].Tensor
	c, err := packCodes(p, weights, d)
	if err != nil {
		return nil, err
	}
	m := &matrix{packed: c, multiplyBy: recurrence.Multiplier(), scaleBy: recurrence.Scaler()}
	directions := weights.Shape()[0]
	each := scale.Len() / directions
	key := fmt.Sprint("factors ", directions, " ", d)
	kept, err := p.Once(scale, key, memory.Size[float32](each), func() (any, error) {
		return slices.Clone(ir.Data[float32](scale)[d*each:][:each]), nil
	})
	if err != nil {
		return nil, err
	}
	m.scale = kept.([]float32)
	if kept, err = p.Once(zero, fmt.Sprint(key, " ", c.columns), memory.Size[float32](c.columns), func() (any, error) {
		return zerosOf(zero, directions, d, c.columns), nil
	}); err != nil {
		return nil, err
	}
	m.zero = kept.([]float32)
	return m, nil
}

// zerosOf returns the zero points of a direction, moved as signed moves codes: one for each column,
// or nil if all are 0.
func zerosOf(t *ir.Tensor, directions, d, columns int) []float32 {
	each := t.Len() / directions
	zeros := signed(t.ElementType(), t.Bytes()[d*each:][:each])
	if !slices.ContainsFunc(zeros, func(v int8) bool { return v != 0 }) {
		return nil
	}
	list := make([]float32, columns)
	for j := range list {
		list[j] = float32(zeros[j%each])
	}
	return list
}

// signed returns integers of 8 bits as i8. Those of u8 become smaller by 128.
func signed(t ir.ElementType, data []byte) []int8 {
	list := cast.Slice[int8](slices.Clone(data))
	if t == ir.U8 {
		for i := range list {
			list[i] ^= -128
		}
	}
	return list
}

// packCodes packs the weights of a direction.
func packCodes(p *ops.Preparation, t *ir.Tensor, d int) (*packed, error) {
	c := &packed{depth: t.Shape()[1], columns: t.Shape()[2]}
	l := lowbit.NewLayout(lowbit.Format{Bits: 8, Signed: true}, c.columns, c.depth, 1)
	size := l.CodesBytes() + memory.Size[[2]float32](c.columns+blockColumns)
	kept, err := p.Once(t, fmt.Sprint("codes ", d, " ", c.depth, " ", c.columns), size, func() (any, error) {
		release, err := p.Borrow(memory.Size[int8](c.paddedDepth(), c.columns))
		if err != nil {
			return nil, err
		}
		defer release()
		n := c.depth * c.columns
		data := signed(t.ElementType(), t.Bytes()[d*n:][:n])
		if c.isBytes() {
			c.packBytes(p, data)
			return c, p.Stop.Err()
		}
		list := l.Pack(p.Stop, &lowbit.Source{Bytes: cast.Memory(data), Bits: 8, RowStride: c.columns, ColStride: 1})
		c.codes = lowbit.New(list, lowbit.Same(1), lowbit.Same(l.Offset()))
		return c, p.Stop.Err()
	})
	if err != nil {
		return nil, err
	}
	return kept.(*packed), nil
}

// packBytes packs i8 for instructions that multiply integers.
func (c *packed) packBytes(p *ops.Preparation, data []int8) {
	padded := c.paddedDepth()
	data = append(data, make([]int8, (padded-c.depth)*c.columns)...)
	c.bytes = gemm.PackBytes(p.Stop, gemm.Matrix[int8]{Data: data, RowStride: c.columns, ColStride: 1}, c.columns, padded)
	c.sums, c.ones = memory.Of[float32](c.bytes.Panels()*gemm.BytesColumns), memory.Of[float32](c.bytes.Panels()*gemm.BytesColumns)
	for i := range c.ones {
		c.ones[i] = 1
	}
	for at := 0; at < len(data); at += c.columns {
		for j, v := range data[at:][:c.columns] {
			c.sums[j] += float32(v)
		}
	}
}

// isBytes reports whether the products are those of integers.
func (c *packed) isBytes() bool {
	return gemm.BytesPay() && !gemm.HasWords() && gemm.IsBytes(c.paddedDepth())
}

// paddedDepth returns the depth as bytes have it, which is a multiple of 4.
func (c *packed) paddedDepth() int { return (c.depth + 3) &^ 3 }

// strides returns the lengths of a row of codes and of floats. Rows that are multiplied as floats
// have no codes.
func (c *packed) strides() (codes, floats int) {
	if c.bytes != nil {
		return c.paddedDepth(), c.depth
	}
	return 0, c.codes.Padded()
}

// String describes the products.
func (c *packed) String() string {
	if c.bytes != nil {
		return "gemm of bytes"
	}
	return "codes " + c.codes.String()
}
