//go:build !noasm

package implicit

import "github.com/vinoir/vinoir/internal/cpu"

// packer selects the assembly that packs whole panels: there is none, only the one of vectorRun.
type packer uint8

func pickPack(_ int) packer { return 0 }

func (packer) pack(_, _ []float32, _ []int, _ *panelRuns) {}

// mostOfRun is the largest number of columns of packRunNEON.
const mostOfRun = 12

// vectorRun sets panel[p*width + i] to from[rows[p] + i] for i below n. furthest is the largest of
// rows. It returns false if there is no assembly for it.
func vectorRun(panel, from []float32, rows []int, furthest, width, n int) bool {
	if len(rows) == 0 || !cpu.NEON.Available() {
		return false
	}
	// The assembly does not check bounds.
	_, _ = panel[(len(rows)-1)*width+n-1], from[furthest+n-1]
	for at := 0; at < n; at += mostOfRun {
		packRunNEON(&panel[at], &from[at], &rows[0], len(rows), width, min(n-at, mostOfRun))
	}
	return true
}
