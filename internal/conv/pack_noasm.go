//go:build !amd64 || noasm

package conv

// packer selects the assembly that packs panels: there is none.
type packer uint8

func pickPack(_ int) packer { return 0 }

func (packer) pack(_, _ []float32, _ []int, _ *panelRuns) {}
