//go:build !amd64 || noasm

package conv

// pickPack returns nil: there is no code that packs panels.
func pickPack() func(panel, from []float32, rows []int, runs *panelRuns) { return nil }
