//go:build amd64 && !noasm

package cpu

// secondLevel returns L2 as CPUID reports it: in leaf 4 for Intel, in leaf 0x8000001D for AMD. Both
// have the same format.
func secondLevel() int {
	const intel, amd, extended = 4, 0x8000001D, 1 << 31
	l2 := defaultL2
	for _, leaf := range []uint32{intel, amd} {
		if last, _, _, _ := cpuid(leaf&extended, 0); last < leaf {
			continue
		}
		for i := range uint32(16) {
			eax, ebx, ecx, _ := cpuid(leaf, i)
			kind, level := eax&31, eax>>5&7
			if kind == 0 {
				break
			}
			const unified = 3
			if level == 2 && kind == unified {
				l2 = int(ebx>>22+1) * int(ebx>>12&0x3ff+1) * int(ebx&0xfff+1) * int(ecx+1)
			}
		}
	}
	return l2
}
