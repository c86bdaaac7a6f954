//go:build !amd64 || noasm

package conv

// planes is code for whole planes, of which there is none here.
type planes struct{}

func newPlanes(*DepthwiseShape) *planes { return nil }

func (p *planes) run(_, _, _, _ []float32, _ *Epilogue, _, _, _ int) {}

func pickTaps() func(out, in []float32, offsets []int, weights []float32, bias float32) {
	return tapsPortable
}
