package strided

import "encoding/binary"

// plane describes the transposition of a plane in squares, with all distances in bytes. There
// are k.n squares along axis k, whose rows in dst are k.dst apart, and l.n squares along axis
// l, whose rows in src are l.src apart. A square is 8 bytes wide, and has as many rows as
// elements fit into 8 bytes.
type plane struct{ k, l axis }

// squares4 transposes squares of 2 by 2 elements of 4 bytes, two adjacent squares of dst at a
// time.
func squares4(dst, src []byte, p plane) {
	const low = 0xffffffff
	n, step := 8*p.k.n, p.l.src
	for l := 0; l+1 < p.l.n; l += 2 {
		row0, row1 := src[2*l*step:][:n], src[(2*l+1)*step:][:n]
		row2, row3 := src[(2*l+2)*step:][:n], src[(2*l+3)*step:][:n]
		d := 8 * l
		for k := 0; k+8 <= n; k += 8 {
			a, b := binary.LittleEndian.Uint64(row0[k:]), binary.LittleEndian.Uint64(row1[k:])
			c, e := binary.LittleEndian.Uint64(row2[k:]), binary.LittleEndian.Uint64(row3[k:])
			to := dst[d:][:16]
			binary.LittleEndian.PutUint64(to, a&low|b<<32)
			binary.LittleEndian.PutUint64(to[8:], c&low|e<<32)
			to = dst[d+p.k.dst:][:16]
			binary.LittleEndian.PutUint64(to, a>>32|b&^low)
			binary.LittleEndian.PutUint64(to[8:], c>>32|e&^low)
			d += 2 * p.k.dst
		}
	}
	if p.l.n%2 == 1 {
		l := p.l.n - 1
		row0, row1 := src[2*l*step:][:n], src[(2*l+1)*step:][:n]
		d := 8 * l
		for k := 0; k+8 <= n; k += 8 {
			a, b := binary.LittleEndian.Uint64(row0[k:]), binary.LittleEndian.Uint64(row1[k:])
			binary.LittleEndian.PutUint64(dst[d:], a&low|b<<32)
			binary.LittleEndian.PutUint64(dst[d+p.k.dst:], a>>32|b&^low)
			d += 2 * p.k.dst
		}
	}
}

// squares2 transposes squares of 4 by 4 elements of 2 bytes. It swaps the halves of 8-byte
// words first, and then the quarters.
func squares2(dst, src []byte, p plane) {
	const low = 0x0000ffff0000ffff
	for l := range p.l.n {
		for k := range p.k.n {
			s := 4*l*p.l.src + 8*k
			a := binary.LittleEndian.Uint64(src[s:])
			b := binary.LittleEndian.Uint64(src[s+p.l.src:])
			c := binary.LittleEndian.Uint64(src[s+2*p.l.src:])
			e := binary.LittleEndian.Uint64(src[s+3*p.l.src:])
			a, c = a&0xffffffff|c<<32, a>>32|c&^0xffffffff
			b, e = b&0xffffffff|e<<32, b>>32|e&^0xffffffff
			d := 4*k*p.k.dst + 8*l
			binary.LittleEndian.PutUint64(dst[d:], a&low|b&low<<16)
			binary.LittleEndian.PutUint64(dst[d+p.k.dst:], a>>16&low|b&^low)
			binary.LittleEndian.PutUint64(dst[d+2*p.k.dst:], c&low|e&low<<16)
			binary.LittleEndian.PutUint64(dst[d+3*p.k.dst:], c>>16&low|e&^low)
		}
	}
}

// squares1 transposes squares of 8 by 8 bytes. It swaps the halves of 8-byte words first, then
// the quarters, and then the bytes.
func squares1(dst, src []byte, p plane) {
	const low4, low2, low1 = 0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff
	for l := range p.l.n {
		for k := range p.k.n {
			s := 8*l*p.l.src + 8*k
			w0 := binary.LittleEndian.Uint64(src[s:])
			w1 := binary.LittleEndian.Uint64(src[s+p.l.src:])
			w2 := binary.LittleEndian.Uint64(src[s+2*p.l.src:])
			w3 := binary.LittleEndian.Uint64(src[s+3*p.l.src:])
			w4 := binary.LittleEndian.Uint64(src[s+4*p.l.src:])
			w5 := binary.LittleEndian.Uint64(src[s+5*p.l.src:])
			w6 := binary.LittleEndian.Uint64(src[s+6*p.l.src:])
			w7 := binary.LittleEndian.Uint64(src[s+7*p.l.src:])

			w0, w4 = w0&low4|w4<<32, w0>>32|w4&^low4
			w1, w5 = w1&low4|w5<<32, w1>>32|w5&^low4
			w2, w6 = w2&low4|w6<<32, w2>>32|w6&^low4
			w3, w7 = w3&low4|w7<<32, w3>>32|w7&^low4

			w0, w2 = w0&low2|w2&low2<<16, w0>>16&low2|w2&^low2
			w1, w3 = w1&low2|w3&low2<<16, w1>>16&low2|w3&^low2
			w4, w6 = w4&low2|w6&low2<<16, w4>>16&low2|w6&^low2
			w5, w7 = w5&low2|w7&low2<<16, w5>>16&low2|w7&^low2

			d := 8*k*p.k.dst + 8*l
			binary.LittleEndian.PutUint64(dst[d:], w0&low1|w1&low1<<8)
			binary.LittleEndian.PutUint64(dst[d+p.k.dst:], w0>>8&low1|w1&^low1)
			binary.LittleEndian.PutUint64(dst[d+2*p.k.dst:], w2&low1|w3&low1<<8)
			binary.LittleEndian.PutUint64(dst[d+3*p.k.dst:], w2>>8&low1|w3&^low1)
			binary.LittleEndian.PutUint64(dst[d+4*p.k.dst:], w4&low1|w5&low1<<8)
			binary.LittleEndian.PutUint64(dst[d+5*p.k.dst:], w4>>8&low1|w5&^low1)
			binary.LittleEndian.PutUint64(dst[d+6*p.k.dst:], w6&low1|w7&low1<<8)
			binary.LittleEndian.PutUint64(dst[d+7*p.k.dst:], w6>>8&low1|w7&^low1)
		}
	}
}
