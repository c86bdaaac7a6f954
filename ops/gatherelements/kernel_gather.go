package gatherelements

// indexType lists the types of indices.
type indexType interface{ int32 | int64 }

// kernel moves the elements of one piece. It returns false, with part of out
// written, where an index is not allowed.
type kernel[T any, I indexType] func(p *plan, c piece, out, data []T, indices []I) bool

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

// kernelOf returns the kernel of p for elements of type T.
func kernelOf[T any, I indexType](p *plan) kernel[T, I] {
	if p.pitch == 1 && p.stride == 1 {
		return along[T, I]
	}
	return across[T, I]
}

// along gathers along the last axis:
//
//	out[k] = data[indices[k]]
func along[T any, I indexType](p *plan, c piece, out, data []T, indices []I) bool {
	indices = indices[c.base : c.base+c.rows]
	out = out[c.base : c.base+c.rows]
	data = data[c.from : c.from+p.length]
	wrap, length := int64(p.wrap), uint64(len(data))
	for k, v := range indices {
		i := int64(v)
		if i < 0 {
			i += wrap
		}
		if uint64(i) >= length {
			return false
		}
		out[k] = data[i]
	}
	return true
}

// across gathers along another axis:
//
//	out[k, j] = data[indices[k, j], j]
func across[T any, I indexType](p *plan, c piece, out, data []T, indices []I) bool {
	data = data[c.from:]
	wrap, length := int64(p.wrap), uint64(p.length)
	for k := range c.rows {
		base := c.base + k*p.pitch
		row := indices[base : base+c.columns]
		to := out[base : base+c.columns]
		for j, v := range row {
			i := int64(v)
			if i < 0 {
				i += wrap
			}
			if uint64(i) >= length {
				return false
			}
			to[j] = data[int(i)*p.stride+j]
		}
	}
	return true
}
