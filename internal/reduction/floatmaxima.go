package reduction

// FloatMaxima is the plan that finds the maxima of windows of planes of float32 that are two
// columns apart, by assembly, which keeps them in registers. It is safe for concurrent use.
type FloatMaxima struct {
	y, x  Window
	steps []floatStep // of a row of outputs
}

// floatStep are the outputs of a row that the assembly computes at once, from two vectors of the
// input. _asm/windows.go depends on its layout.
type floatStep struct {
	// bytes from the start of a row of the input to the first vector; may be negative; and those of
	// the outputs
	at, out int
	// which elements of the vectors are in the row, and which outputs are written
	first, second, stored uint16
	_                     uint16
}

// maxFloatKernel is the largest length of a row of a window: the windows of most outputs of a
// vector are then in two vectors of the input.
const maxFloatKernel = 8

// NewFloatMaxima returns a plan; nil if there is no assembly for the processor or for the windows.
func NewFloatMaxima(y, x Window) *FloatMaxima {
	const lanes = 16
	if !hasFloatMaxima() || x.Stride != 2 || x.Kernel > maxFloatKernel || x.Kernel > 1 && x.Dilation != 1 || min(x.Kernel, y.Kernel, x.Input, y.Input, x.Output, y.Output) == 0 ||
		float64(y.Output)*float64(y.Kernel)*float64(x.Output+lanes) > maxPlane {
		return nil
	}
	if y.Kernel == 1 {
		y.Dilation = 1 // it says nothing, and may be as large as an int
	}
	atOnce := (2*lanes-x.Kernel)/2 + 1
	p := &FloatMaxima{y: y, x: x, steps: make([]floatStep, 0, x.Output/atOnce+1)}
	for first := 0; first < x.Output; first += atOnce {
		n := min(atOnce, x.Output-first)
		s := floatStep{at: 4 * (first*x.Stride - x.PadBegin), out: 4 * n, stored: uint16(1<<n - 1)}
		for i := range 2 * lanes {
			// Elements that no window contains would only be read.
			if at := first*x.Stride - x.PadBegin + i; at < 0 || at >= x.Input || i >= (n-1)*x.Stride+x.Kernel {
				continue
			}
			if i < lanes {
				s.first |= 1 << i
			} else {
				s.second |= 1 << (i - lanes)
			}
		}
		p.steps = append(p.steps, s)
	}
	return p
}

// FloatMaximaTableBytes returns the size of the table of NewFloatMaxima, at most.
func FloatMaximaTableBytes(x Window) int64 {
	if x.Stride != 2 || x.Output > maxPlane {
		return 0
	}
	return 24 * int64(x.Output/(16-maxFloatKernel/2)+1)
}

// Rows sets n rows of out, from row first of the plane in on, to the maxima of the windows of in,
// or to -Inf for windows without elements. If n is all rows of a plane, it does so for as many
// planes as there are in out; in has as many. It returns false if an element is NaN; out is then
// unspecified. A call computes at most PlanesAtOnce planes, so that the caller can be stopped.
func (p *FloatMaxima) Rows(out, in []float32, first, n int) bool {
	planes := 1
	if n == p.y.Output {
		planes = len(out) / (n * p.x.Output)
	}
	// the assembly does no bounds checks
	_, _ = out[planes*n*p.x.Output-1], in[planes*p.y.Input*p.x.Input-1]
	return p.run(out, in, first, n, planes)
}

// PlanesAtOnce returns the largest number of planes for a call of Rows, which then takes about a
// tenth of a millisecond, unless a plane takes longer.
func (p *FloatMaxima) PlanesAtOnce() int { return 1<<14/(p.y.Output*p.y.Kernel*len(p.steps)) + 1 }
