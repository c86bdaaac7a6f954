package gatherelements

import "github.com/vinoir/vinoir/internal/cast"

// indexType is the constraint of the types of indices.
type indexType interface{ int32 | int64 }

// kernel computes one piece, in the memory of tensors. If an index is out of range it returns
// false, and part of out may be written.
type kernel func(p *plan, c piece, out, data, indices []byte) bool

// loop is kernel for elements of type T and indices of type I.
type loop[T any, I indexType] func(p *plan, c piece, out, data []T, indices []I) bool

// kernelFor returns the fastest kernel for elements of size bytes; nil if there is none.
func kernelFor[I indexType](p *plan, size int) kernel {
	switch size {
	case 1:
		return kernelOf[uint8, I](p)
	case 2:
		return kernelOf[uint16, I](p)
	case 4:
		return kernelOf[uint32, I](p)
	case 8:
		return kernelOf[uint64, I](p)
	case 16:
		return portable[complex128, I](p)
	}
	return nil
}

// kernelOf returns the fastest kernel for elements of the size of T.
func kernelOf[T uint8 | uint16 | uint32 | uint64, I indexType](p *plan) kernel {
	if k := assembly[T, I](p); k != nil {
		return k
	}
	return portable[T, I](p)
}

// portable returns the kernel in Go.
func portable[T any, I indexType](p *plan) kernel {
	f := loopOf[T, I](p)
	return func(p *plan, c piece, out, data, indices []byte) bool {
		return f(p, c, cast.Bytes[T](out), cast.Bytes[T](data), cast.Bytes[I](indices))
	}
}

// loopOf returns the loop for p. It is not inlined: copies of its closure would take 4.1 KiB.
//
//go:noinline
func loopOf[T any, I indexType](p *plan) loop[T, I] {
	if p.step == 0 {
		return along[T, I]
	}
	return across[T, I]
}

// gather computes pieces lo to hi-1 of p. wide means that indices are int64; they are int32
// otherwise.
func gather(p *plan, run kernel, out, data, indices []byte, wide bool, lo, hi int) error {
	// Without elements along the axis, no index is valid, and there may be no memory.
	for i := lo; i < hi; i++ {
		if p.length == 0 || !run(p, p.piece(i), out, data, indices) {
			if wide {
				return indexError(p, cast.Bytes[int64](indices))
			}
			return indexError(p, cast.Bytes[int32](indices))
		}
	}
	return nil
}

// along gathers rows along the axis:
//
//	out[r*pitch + j] = data[r*advance + indices[r*pitch + j]]
func along[T any, I indexType](p *plan, c piece, out, data []T, indices []I) bool {
	wrap := uint64(p.wrap)
	for range c.rows {
		row := indices[c.base : c.base+c.columns]
		to := out[c.base : c.base+c.columns]
		from := data[c.from : c.from+p.length]
		for j, v := range row {
			i := uint64(v)
			if i < uint64(len(from)) {
				to[j] = from[i]
				continue
			}
			// As an unsigned number, a negative index is greater than every length. Adding wrap
			// overflows to the index from the front. The sum is less than length only for valid
			// indices.
			if i += wrap; i >= uint64(len(from)) {
				return false
			}
			to[j] = from[i]
		}
		c.base += p.pitch
		c.from += p.advance
	}
	return true
}

// across gathers rows across the axis:
//
//	out[r*pitch + j] = data[indices[r*pitch + j]*stride + j]
func across[T any, I indexType](p *plan, c piece, out, data []T, indices []I) bool {
	wrap, length := uint64(p.wrap), uint64(p.length)
	data = data[c.from:]
	for range c.rows {
		row := indices[c.base : c.base+c.columns]
		to := out[c.base : c.base+c.columns]
		for j, v := range row {
			i := uint64(v)
			if i >= length {
				if i += wrap; i >= length {
					return false
				}
			}
			to[j] = data[int(i)*p.stride+j]
		}
		c.base += p.pitch
	}
	return true
}
