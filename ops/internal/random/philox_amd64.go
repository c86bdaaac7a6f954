//go:build !noasm

package random

import "github.com/vinoir/vinoir/internal/cpu"

//go:generate sh -c "cd _asm && go run . -out ../philox_amd64.s -stubs ../stubs_amd64.go -pkg random"

// fillGroups sets the first words to groups from n on with assembly, and returns how many groups.
func (p Philox) fillGroups(words []uint32, n uint64) int {
	// The numbers of groups that the assembly computes together.
	const lanes, wideLanes = 8, 16
	groups, wide := len(words)/4, cpu.AVX512.Available()
	if wide {
		groups &^= wideLanes - 1
	} else {
		groups &^= lanes - 1
	}
	if groups == 0 || !cpu.AVX2.Available() {
		return 0
	}
	var keys [20]uint64
	k0, k1 := uint32(p.Key), uint32(p.Key>>32)
	for i := 0; i < len(keys); i += 2 {
		keys[i], keys[i+1] = uint64(k0), uint64(k1)
		k0, k1 = k0+keyStepLow, k1+keyStepHigh
	}
	if wide {
		fillGroups512(&words[0], groups, n, p.Counter, &keys)
	} else {
		fillGroups2(&words[0], groups, n, p.Counter, &keys)
	}
	return groups
}
