//go:build !amd64 || noasm

package conv

// planes is code for whole planes, of which there is none here.
type planes struct{}

func (p *planes) tileRows() int { return 1 }

func newPlanes(*DepthwiseShape) *planes { return nil }

func (p *planes) run(_, _, _, _ []float32, _ *Epilogue, _, _, _ int) {}

func pickTaps() tapsFunc { return tapsPortable }

func vectorEvens(_, _ []float32) int { return 0 }
