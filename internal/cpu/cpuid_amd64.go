//go:build amd64 && !noasm

package cpu

// cpuid executes the instruction CPUID.
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// hasAMXFP16 reports whether CPUID has AMX-FP16.
func hasAMXFP16() bool {
	const leaf, bit = 7, 1 << 21
	if last, _, _, _ := cpuid(0, 0); last < leaf {
		return false
	}
	if subleaves, _, _, _ := cpuid(leaf, 0); subleaves < 1 {
		return false
	}
	eax, _, _, _ := cpuid(leaf, 1)
	return eax&bit != 0
}
