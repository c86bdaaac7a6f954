//go:build amd64 && !noasm

package cpu

// caches returns L1D and L2 as CPUID reports them: in leaf 4 for Intel, in leaf 0x8000001D
// for AMD. Both have the same format.
func caches() (l1d, l2 int) {
	const intel, amd, extended = 4, 0x8000001D, 1 << 31
	l1d, l2 = defaultL1D, defaultL2
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
			const data, unified = 1, 3
			size := int(ebx>>22+1) * int(ebx>>12&0x3ff+1) * int(ebx&0xfff+1) * int(ecx+1)
			switch {
			case level == 1 && kind == data:
				l1d = size
			case level == 2 && kind == unified:
				l2 = size
			}
		}
	}
	return l1d, l2
}
