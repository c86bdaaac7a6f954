//go:build !(linux && amd64)

package cpu

// permitTiles returns false: tiles of AMX are used on Linux only.
func permitTiles() bool { return false }
