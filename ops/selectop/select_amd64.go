//go:build !noasm

package selectop

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../select_amd64.s -stubs ../select_stubs_amd64.go -pkg selectop"

// lanes is the number of elements that the assembly selects at once.
const lanes = 8

func hasVectors() bool { return cpu.AVX2.Available() }
