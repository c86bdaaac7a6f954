//go:build noasm || (!amd64 && !arm64)

package winograd

import (
	"github.com/vinoir/vinoir/internal/conv"
)

// kernel selects the functions that a plan uses: always the portable ones.
type kernel struct{}

func pickKernel(int) kernel { return kernel{} }

// lanes returns the output channels of a panel of U.
func (kernel) lanes() int { return 4 }

// tiles returns the largest number of tiles that product accepts.
func (kernel) tiles() int { return 2 }

// channelStep returns the distance between channels in V for blocks of the given number of tiles.
func (kernel) channelStep(tiles, _ int) int { return tiles }

func (kernel) product(tiles, depth int, v []float32, step int, u, m, _ []float32) {
	productPortable(tiles, depth, v, step, u, m)
}

func (w *Plan) transformInput(v, in, _ []float32, b block, first, last int) {
	w.transformInputPortable(v, in, b, first, last)
}

func (w *Plan) transformOutput(y, m, _ []float32, e *conv.Epilogue, b block, p int) {
	w.transformOutputPortable(y, m, e, b, p)
}

func (w *Plan) packPanel(u, weights []float32, g *[18]float32, channels int) {
	w.packPanelPortable(u, weights, g, channels)
}
