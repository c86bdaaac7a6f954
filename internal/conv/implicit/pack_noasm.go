//go:build noasm || (!amd64 && !arm64)

package implicit

// packer selects the assembly that packs panels: there is none.
type packer uint8

func pickPack(_ int) packer { return 0 }

func (packer) pack(_, _ []float32, _ []int, _ *panelRuns) {}

// vectorRun returns false: there is no assembly for single runs.
func vectorRun(_, _ []float32, _ []int, _, _, _ int) bool { return false }
