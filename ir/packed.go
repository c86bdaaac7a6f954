package ir

// Packed returns the bits of element i of a tensor of a sub-byte type, as the low bits of the
// result.
func (t *Tensor) Packed(i int) uint8 {
	switch t.elementType {
	case U1: // the first element is the most significant bit
		return t.data[i/8] >> (7 - i%8) & 1
	case U2: // the first element is in the low bits
		return t.data[i/4] >> (2 * (i % 4)) & 3
	case U3: // two bytes of low bit pairs, one byte of high bits; first element in the highest bits
		group, k := t.data[i/8*3:], i%8
		return group[k/4]>>(6-2*(k%4))&3 | group[2]>>(7-k)&1<<2
	case U6:
		// two bytes of low nibbles, one byte of high bit pairs; first element in the highest bits
		group, k := t.data[i/4*3:], i%4
		return group[k/2]>>(4-4*(k%2))&15 | group[2]>>(6-2*k)&3<<4
	default: // u4, i4, nf4, f4e2m1: low nibble first
		return t.data[i/2] >> (4 * (i % 2)) & 15
	}
}

// SetPacked sets the bits of element i of a tensor of a sub-byte type to the low bits of v.
func (t *Tensor) SetPacked(i int, v uint8) {
	switch t.elementType {
	case U1:
		setBits(&t.data[i/8], 7-i%8, 1, v)
	case U2:
		setBits(&t.data[i/4], 2*(i%4), 3, v)
	case U3:
		group, k := t.data[i/8*3:], i%8
		setBits(&group[k/4], 6-2*(k%4), 3, v)
		setBits(&group[2], 7-k, 1, v>>2)
	case U6:
		group, k := t.data[i/4*3:], i%4
		setBits(&group[k/2], 4-4*(k%2), 15, v)
		setBits(&group[2], 6-2*k, 3, v>>4)
	default:
		setBits(&t.data[i/2], 4*(i%2), 15, v)
	}
}

// setBits replaces the bits mask<<shift of b by those of v.
func setBits(b *byte, shift int, mask, v uint8) {
	*b = *b&^(mask<<shift) | v&mask<<shift
}

// RowBytes returns the size in bytes of a row of n elements of t. The result is false if rows
// do not start at whole bytes, because neighbouring rows of a sub-byte type share bytes or
// groups of bytes. It is also false for String and Dynamic.
func (t ElementType) RowBytes(n int) (int, bool) {
	group, size := 1, t.Size()
	switch {
	case t == U3:
		group, size = 8, 3
	case t == U6:
		group, size = 4, 3
	case size == 0 && t.Bits() > 0:
		group, size = 8/t.Bits(), 1
	}
	return n / group * size, size > 0 && n%group == 0
}
