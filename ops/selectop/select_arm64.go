//go:build !noasm

package selectop

import "github.com/vinoir/vinoir/internal/cpu"

// lanes is the number of elements that the assembly selects at once. It is the same as in
// _neon/gen.go.
const lanes = 16

func hasVectors() bool { return cpu.NEON.Available() }
