package gatherelements

// indexType is the constraint of the types of indices.
type indexType interface{ int32 | int64 }

// kernel computes one piece. If an index is out of range it returns false, and part of out may
// be written.
type kernel[T any, I indexType] func(p *plan, c piece, out, data []T, indices []I) bool

// kernelOf returns the fastest kernel for p.
func kernelOf[T any, I indexType](p *plan) kernel[T, I] {
	if k := assembly[T, I](p); k != nil {
		return k
	}
	return portable[T, I](p)
}

// portable returns the kernel in Go.
func portable[T any, I indexType](p *plan) kernel[T, I] {
	if p.step == 0 {
		return along[T, I]
	}
	return across[T, I]
}

// gather computes pieces lo to hi-1 of p.
func gather[T any, I indexType](p *plan, run kernel[T, I], out, data []T, indices []I, lo, hi int) error {
	if p.length == 0 && lo < hi {
		return indexError(p, indices)
	}
	for i := lo; i < hi; i++ {
		if !run(p, p.piece(i), out, data, indices) {
			return indexError(p, indices)
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
