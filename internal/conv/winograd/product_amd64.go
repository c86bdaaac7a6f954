//go:build amd64 && !noasm

package winograd

import (
	"github.com/vinoir/vinoir/internal/conv"
	"github.com/vinoir/vinoir/internal/cpu"
)

// kernel selects the functions that a plan uses.
type kernel uint8

const (
	portable kernel = iota
	byAVX2
	byAVX512       // panels of two vectors
	byAVX512Narrow // panels of one vector
)

// pickKernel returns the fastest kernel for a number of output channels.
func pickKernel(channels int) kernel {
	switch {
	case cpu.AVX512.Available():
		// The two vectors of a wide panel share the loads of V, but half of the last panel is
		// empty if the number of vectors is odd.
		if vectors := conv.CeilDiv(channels, 16); vectors%2 == 1 && vectors < 6 {
			return byAVX512Narrow
		}
		return byAVX512
	case cpu.FMA.Available():
		return byAVX2
	}
	return portable
}

// avx512 reports whether the functions use AVX-512, and so have masks.
func (k kernel) avx512() bool { return k >= byAVX512 }

// lanes returns the output channels of a panel of U.
func (k kernel) lanes() int { return [...]int{4, 16, 32, 16}[k] }

// vector returns the output channels of a vector.
func (k kernel) vector() int { return [...]int{1, 8, 16, 16}[k] }

// tiles returns the largest number of tiles that product accepts.
func (k kernel) tiles() int { return [...]int{2, 6, 14, 14}[k] }

// channelStep returns the distance between channels in V for blocks of the given numbers of tiles
// and columns. Without masks, the last vector of a row of tiles extends beyond the block.
func (k kernel) channelStep(tiles, columns int) int {
	if k == byAVX2 {
		return tiles + (8-columns%8)%8
	}
	return tiles
}

// writtenLen returns the number of elements of V that the input transform writes for a channel.
func (k kernel) writtenLen(lanes, tiles int) int {
	if k == byAVX2 {
		return lanes
	}
	return tiles
}

// product multiplies tiles with a panel of output channels:
//
//	m[t*lanes + o] = sum over c < depth of v[c*step + t]*u[c*lanes + o]
//
// It prefetches half as many elements of next as it reads of u.
func (k kernel) product(tiles, depth int, v []float32, step int, u, m, next []float32) {
	if k == portable {
		productPortable(tiles, depth, v, step, u, m)
		return
	}
	// The assembly does not check bounds.
	_, _, _ = v[(depth-1)*step+tiles-1], u[depth*k.lanes()-1], m[tiles*k.lanes()-1]
	switch k {
	case byAVX2:
		productAVX2(tiles, depth, &v[0], step, &u[0], &m[0], &next[0])
	case byAVX512:
		productAVX512(tiles, depth, &v[0], step, &u[0], &m[0], &next[0])
	case byAVX512Narrow:
		productAVX512Narrow(tiles, depth, &v[0], step, &u[0], &m[0], &next[0])
	}
}

// productAVX2 calls the function for a number of tiles.
func productAVX2(tiles, depth int, pv *float32, step int, pu, pm, pn *float32) {
	switch tiles {
	case 1:
		productAVX2x1(depth, pv, step, pu, pm, pn)
	case 2:
		productAVX2x2(depth, pv, step, pu, pm, pn)
	case 3:
		productAVX2x3(depth, pv, step, pu, pm, pn)
	case 4:
		productAVX2x4(depth, pv, step, pu, pm, pn)
	case 5:
		productAVX2x5(depth, pv, step, pu, pm, pn)
	case 6:
		productAVX2x6(depth, pv, step, pu, pm, pn)
	}
}

// productAVX512 calls the function for a number of tiles.
func productAVX512(tiles, depth int, pv *float32, step int, pu, pm, pn *float32) {
	switch tiles {
	case 1:
		productAVX512x1(depth, pv, step, pu, pm, pn)
	case 2:
		productAVX512x2(depth, pv, step, pu, pm, pn)
	case 3:
		productAVX512x3(depth, pv, step, pu, pm, pn)
	case 4:
		productAVX512x4(depth, pv, step, pu, pm, pn)
	case 5:
		productAVX512x5(depth, pv, step, pu, pm, pn)
	case 6:
		productAVX512x6(depth, pv, step, pu, pm, pn)
	case 7:
		productAVX512x7(depth, pv, step, pu, pm, pn)
	case 8:
		productAVX512x8(depth, pv, step, pu, pm, pn)
	case 9:
		productAVX512x9(depth, pv, step, pu, pm, pn)
	case 10:
		productAVX512x10(depth, pv, step, pu, pm, pn)
	case 11:
		productAVX512x11(depth, pv, step, pu, pm, pn)
	case 12:
		productAVX512x12(depth, pv, step, pu, pm, pn)
	case 13:
		productAVX512x13(depth, pv, step, pu, pm, pn)
	case 14:
		productAVX512x14(depth, pv, step, pu, pm, pn)
	}
}

// productAVX512Narrow calls the function for a number of tiles.
func productAVX512Narrow(tiles, depth int, pv *float32, step int, pu, pm, pn *float32) {
	switch tiles {
	case 1:
		productAVX512Narrowx1(depth, pv, step, pu, pm, pn)
	case 2:
		productAVX512Narrowx2(depth, pv, step, pu, pm, pn)
	case 3:
		productAVX512Narrowx3(depth, pv, step, pu, pm, pn)
	case 4:
		productAVX512Narrowx4(depth, pv, step, pu, pm, pn)
	case 5:
		productAVX512Narrowx5(depth, pv, step, pu, pm, pn)
	case 6:
		productAVX512Narrowx6(depth, pv, step, pu, pm, pn)
	case 7:
		productAVX512Narrowx7(depth, pv, step, pu, pm, pn)
	case 8:
		productAVX512Narrowx8(depth, pv, step, pu, pm, pn)
	case 9:
		productAVX512Narrowx9(depth, pv, step, pu, pm, pn)
	case 10:
		productAVX512Narrowx10(depth, pv, step, pu, pm, pn)
	case 11:
		productAVX512Narrowx11(depth, pv, step, pu, pm, pn)
	case 12:
		productAVX512Narrowx12(depth, pv, step, pu, pm, pn)
	case 13:
		productAVX512Narrowx13(depth, pv, step, pu, pm, pn)
	case 14:
		productAVX512Narrowx14(depth, pv, step, pu, pm, pn)
	}
}
