//go:build !linux

package memory

// adviseHuge does nothing.
func adviseHuge([]byte) {}
