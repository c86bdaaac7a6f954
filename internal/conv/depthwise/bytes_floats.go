package depthwise

import "github.com/vinoir/vinoir/internal/cast"

// packFloats sets packed to the filters of a number of channels, then to the sum of the elements of
// each.
func packFloats(packed []float32, filters []int8, channels int) {
	size, sums := len(filters)/channels, packed[len(filters):]
	for i, w := range filters {
		packed[i] = float32(w)
		sums[i/size] += float32(w)
	}
}

// runFloats computes planes by float32.
func (d *Bytes) runFloats(p *bytesPlanes) {
	size, all := d.y.Kernel*d.x.Kernel, cast.Slice[float32](p.all.Filters)
	sums := all[d.channels*size:]
	scratch := p.scratch
	take := func(n int) []float32 {
		part := scratch[:n]
		scratch = scratch[n:]
		return part
	}
	// The elements outside of the input are zeros for a Plan, so that zero is subtracted from all
	// of them.
	starts, in, out := take(p.count), take(len(p.in)), take(p.count*d.y.Output*d.x.Output)
	outside := p.all.Outside
	if len(outside) > 1 {
		outside = outside[p.first/d.multiplier:][:p.count]
	}
	for i := range starts {
		starts[i] = float32(outside[i%len(outside)]) * sums[p.first+i]
	}
	n := len(in) / len(outside)
	for i, zero := range outside {
		bytesToFloats(in[i*n:][:n], p.in[i*n:][:n], zero)
	}
	p.all.starts.Bias = starts
	d.floats.Run(p.stop, out, in, all[p.first*size:], &p.all.starts, scratch, 0, p.count*d.floats.bands)
	p.finish(out)
}

// bytesToFloats sets to[i] to from[i] - zero.
func bytesToFloats(to []float32, from []uint8, zero uint8) {
	for i := bytesToFloatsVectors(to, from, zero); i < len(from); i++ {
		to[i] = float32(from[i]) - float32(zero)
	}
}

// finish scales the sums of the planes and writes the results.
func (p *bytesPlanes) finish(sums []float32) {
	if p.finishVectors(sums) {
		return
	}
	n := len(sums) / p.count
	for i, sum := range sums {
		p.set(i, i/n, sum)
	}
}
