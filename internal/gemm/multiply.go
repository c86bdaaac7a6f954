package gemm

import (
	"github.com/vinoir/vinoir/internal/cast"
	"github.com/vinoir/vinoir/internal/gemm/tile"
)

// Multiply multiplies block i of packed panels into rows mLo to mHi-1 and columns nLo to nHi-1 of
// c. a and b are all panels of the block, as PackA and PackB write them, and depth is the depth of
// all blocks. Consecutive rows of c are ldc elements apart. mLo must be a multiple of MR, and nLo
// of NR. Block 0 sets c; the other blocks add to it.
func (k *Kernel[T]) Multiply(c []T, ldc int, a, b []T, depth, i int, mLo, mHi, nLo, nHi int) {
	k.MultiplyThen(c, ldc, a, b, depth, i, mLo, mHi, nLo, nHi, nil)
}

// MultiplyThen is Multiply, and applies e with the last block if e is not nil.
func (k *Kernel[T]) MultiplyThen(c []T, ldc int, a, b []T, depth, i int, mLo, mHi, nLo, nHi int, e *Epilogue[T]) {
	if mLo >= mHi || nLo >= nHi {
		return
	}
	if i < k.Blocks(depth)-1 {
		e = nil
	}
	p := tile.Block[T]{C: c, LDC: ldc, A: a, B: b, Depth: k.Depth(i, depth), Add: i > 0, MLo: mLo, MHi: mHi, NLo: nLo, NHi: nHi, Epilogue: e}
	if f, ok := any(&p).(*tile.Block[float32]); ok {
		k.MultiplyBlock(f)
		return
	}
	tile.MultiplyPortable(&k.Tiling, &p)
}

// MultiplyPacked is MultiplyThen for a matrix b that PackAllB or PackHalves has returned. panel has
// Packed.PanelLen elements, which it overwrites.
func (k *Kernel[T]) MultiplyPacked(c []T, ldc int, a []T, b *Packed[T], depth, i int, mLo, mHi, nLo, nHi int, e *Epilogue[T], panel []T) {
	if b.halves == nil {
		k.MultiplyThen(c, ldc, a, b.Block(i), depth, i, mLo, mHi, nLo, nHi, e)
		return
	}
	if mLo >= mHi || nLo >= nHi {
		return
	}
	f, _ := any(e).(*Epilogue[float32])
	if i < k.Blocks(depth)-1 {
		f = nil
	}
	p := tile.Block[float32]{
		C: cast.Slice[float32](c), LDC: ldc, A: cast.Slice[float32](a), Depth: k.Depth(i, depth), Add: i > 0,
		MLo: mLo, MHi: mHi, NLo: nLo, NHi: nHi, Epilogue: f,
	}
	b.halves.multiply(&k.Tiling, &p, b.halves.data[i*b.kc*b.lines:], cast.Slice[float32](panel))
}

// MultiplyQuads multiplies block i of packed panels of quads into rows mLo to mHi-1 and columns nLo
// to nHi-1 of c, with the arguments of Kernel.MultiplyThen. Sums are exact as long as they fit an
// int32. Between the blocks, c holds them in the place of float32. With Quads.Bytes, a product of
// one block does not use c.
func MultiplyQuads(k *Kernel[float32], c []float32, ldc int, a, b []float32, depth, i int, mLo, mHi, nLo, nHi int, q *Quads) {
	if mLo >= mHi || nLo >= nHi {
		return
	}
	p := tile.Block[float32]{C: c, LDC: ldc, A: a, B: b, Depth: k.Depth(i, depth), Add: i > 0, MLo: mLo, MHi: mHi, NLo: nLo, NHi: nHi}
	k.MultiplyQuadBlock(&p, i == k.Blocks(depth)-1, q)
}
