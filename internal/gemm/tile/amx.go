package tile

// Tiles of AMX have up to 16 rows of 64 bytes: 16 elements that are quads of bytes or pairs of
// bf16. A micro-kernel holds two by two tiles of c, so that panels have 32 rows and 32 columns. An
// instruction multiplies amxDepth steps of the depth of a block, so the rows of a that it reads
// must be stored row by row: the layout of a panel of a differs from that of all other kernels.

const (
	AMXMR, AMXNR       = 32, 32
	avx512MR, avx512NR = 12, 32
	// amxLines is the largest number of rows of a tile, and of elements of a row.
	amxLines = 16
	// minAMXDepth is the smallest depth of a tile for which AMX pays: with AVX-512, an instruction
	// does 1/8 to 1/16 of the products of whole tiles.
	minAMXDepth = 4
)

// amxDepth returns the depth of the tiles that a block is divided into: the largest one that
// divides it, so that no tile of a or b is partly filled.
func amxDepth(block int) int {
	for d := min(block, amxLines); d > 1; d-- {
		if block%d == 0 {
			return d
		}
	}
	return 1
}

// isAMX reports whether i multiplies tiles of AMX.
func (i ISA) isAMX() bool { return i == AMXQuads || i == AMXPairs || i == AMXF16 }

// Fit makes t the fastest tiling for products of a depth of all blocks, where another one with the
// same blocks is faster. Panels must be packed after that. New kernels are the fastest ones for
// most depths.
func (t *Tiling) Fit(depth int) {
	if t.Pays(depth) {
		return
	}
	switch t.ISA {
	case AMXQuads:
		t.MR, t.ISA = avx512MR, AVX512
	case AMXPairs:
		t.MR, t.ISA = avx512MR, BF16
	}
}

// Pays reports whether tiles of AMX have a depth with which they are faster than AVX-512. It is
// true for kernels without tiles. There is no other kernel for pairs of f16 than that of AMX: where
// it does not pay, products of float32 are faster.
func (t *Tiling) Pays(depth int) bool {
	return !t.ISA.isAMX() || depth == 0 || min(amxDepth(t.Depth(0, depth)), amxDepth(t.Depth(t.Blocks(depth)-1, depth))) >= minAMXDepth
}

// IgnoresFlip reports whether MultiplyQuads ignores Quads.Flip although b has u8, since AMX
// multiplies panels of b as they are in memory. Then the bytes must be those that Flip would make.
func (t *Tiling) IgnoresFlip() bool { return t.ISA == AMXQuads }

// TileA returns the depth of the tiles of AMX that panels of a consist of, for a block; 1 without
// AMX: element p of line l of a panel is at
//
//	p/tile*tile*MR + l*tile + p%tile
func (t *Tiling) TileA(block int) int {
	if t.ISA.isAMX() {
		return amxDepth(block)
	}
	return 1
}
