package lines

import "encoding/binary"

// Interleave sets to[i*n + j] to from[rows[j]*stride + i], where n is the number of rows.
func Interleave(to, from []float32, rows []int, stride int) {
	done := 0
	if len(rows) == 2 {
		done = 2 * interleaveVectors(to, from[rows[0]*stride:], from[rows[1]*stride:])
	}
	interleaveRest(to, from, rows, stride, done)
}

// InterleaveBytes is Interleave for bytes.
func InterleaveBytes(to, from []uint8, rows []int, stride int) {
	done := 0
	if len(rows) == 2 {
		a, b := from[rows[0]*stride:], from[rows[1]*stride:]
		for done = 2 * interleaveByteVectors(to, a, b); done+8 <= len(to); done += 8 {
			pairs := spreadBytes(binary.LittleEndian.Uint32(a[done/2:])) | spreadBytes(binary.LittleEndian.Uint32(b[done/2:]))<<8
			binary.LittleEndian.PutUint64(to[done:], pairs)
		}
	}
	interleaveRest(to, from, rows, stride, done)
}

// spreadBytes returns the four bytes of x with a zero behind each.
func spreadBytes(x uint32) uint64 {
	v := uint64(x)
	v = (v | v<<16) & 0x0000ffff0000ffff
	return (v | v<<8) & 0x00ff00ff00ff00ff
}

// interleaveRest is Interleave for the elements of to from position done on.
func interleaveRest[T float32 | uint8](to, from []T, rows []int, stride, done int) {
	n := len(rows)
	if n == 1 {
		copy(to, from[rows[0]*stride:])
		return
	}
	for j, row := range rows {
		at := row*stride + done/n
		for i := done + j; i < len(to); i += n {
			to[i] = from[at]
			at++
		}
	}
}
