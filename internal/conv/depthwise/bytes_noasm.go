//go:build noasm || (!amd64 && !arm64)

package depthwise

// runAssembly reports that there is no assembly.
func (d *Bytes) runAssembly(_ *bytesPlanes) bool { return false }

func floatsPay() bool { return false }

func bytesToFloatsVectors(_ []float32, _ []uint8, _ uint8) int { return 0 }

func (p *bytesPlanes) finishVectors(_ []float32) bool { return false }

// readsOutside returns false: the elements outside of the input are those of one plane.
func (d *Bytes) readsOutside() bool { return false }
