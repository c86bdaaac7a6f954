//go:build !amd64 || noasm

package conv

// runAssembly reports that there is no assembly.
func (d *DepthwiseBytes) runAssembly(_ *bytesPlanes) bool { return false }
