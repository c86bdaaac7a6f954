// Package cpu reports which instruction sets assembly kernels may use, and the sizes of the
// caches. Code asks whenever it selects a kernel, so that a test can disable an instruction set
// and select again.
package cpu

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/cpu"
)

// Feature is an instruction set, or a group of them that kernels use together.
type Feature struct {
	name string
	has  bool
	// asks the system for permission, when the feature is first used; nil if it needs none
	ask func() bool
	off atomic.Int32 // how often Disable was called without its restore
}

// The instruction sets that kernels use.
var (
	AVX2 = &Feature{name: "AVX2", has: cpu.X86.HasAVX2}
	// FMA includes AVX2.
	FMA = &Feature{name: "FMA", has: cpu.X86.HasAVX2 && cpu.X86.HasFMA}
	// AVXVNNI are the dot products of bytes that processors without AVX-512 have. It includes FMA.
	AVXVNNI = &Feature{name: "AVXVNNI", has: FMA.has && cpu.X86.HasAVXVNNI}
	// AVX512 is AVX-512 F, DQ, BW and VL, as Skylake servers have them. It includes FMA, and
	// BMI2, with which kernels make masks.
	AVX512 = &Feature{name: "AVX512", has: cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ &&
		cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2}
	// AVX512VNNI includes AVX512.
	AVX512VNNI = &Feature{name: "AVX512VNNI", has: AVX512.has && cpu.X86.HasAVX512VNNI}
	// AVX512BF16 includes AVX512.
	AVX512BF16 = &Feature{name: "AVX512BF16", has: AVX512.has && cpu.X86.HasAVX512BF16}
	// AMX are the products of tiles of bytes and of bf16. It includes AVX512VNNI and AVX512BF16.
	AMX = &Feature{name: "AMX", ask: sync.OnceValue(permitTiles), has: AVX512VNNI.has && AVX512BF16.has && cpu.X86.HasAMXTile &&
		cpu.X86.HasAMXInt8 && cpu.X86.HasAMXBF16}
	// AMXFP16 are the products of tiles of f16. It includes AMX.
	AMXFP16 = &Feature{name: "AMXFP16", ask: AMX.Available, has: AMX.has && hasAMXFP16()}
	// AVX512VPOPCNTDQ includes AVX512.
	AVX512VPOPCNTDQ = &Feature{name: "AVX512VPOPCNTDQ", has: AVX512.has && cpu.X86.HasAVX512VPOPCNTDQ}
	// NEON is available on every arm64 processor.
	NEON = &Feature{name: "NEON", has: runtime.GOARCH == "arm64"}
	// DotProd are the dot products of bytes, FEAT_DotProd, which is in all processors since
	// Armv8.4. It includes NEON.
	DotProd = &Feature{name: "DotProd", has: cpu.ARM64.HasASIMDDP}
	// I8MM are the products of matrices of bytes, FEAT_I8MM. It includes DotProd.
	I8MM = &Feature{name: "I8MM", has: cpu.ARM64.HasASIMDDP && cpu.ARM64.HasI8MM}
	// FP16 is arithmetic with float16 in vectors, FEAT_FP16. It includes NEON.
	FP16 = &Feature{name: "FP16", has: cpu.ARM64.HasASIMDHP}
)

// Features returns all features.
func Features() []*Feature {
	return []*Feature{AVX2, FMA, AVXVNNI, AVX512, AVX512VNNI, AVX512BF16, AMX, AMXFP16, AVX512VPOPCNTDQ, NEON, DotProd, I8MM, FP16}
}

// Available reports whether kernels may use f.
func (f *Feature) Available() bool {
	return f.has && f.off.Load() == 0 && (f.ask == nil || f.ask())
}

// String returns the name of f.
func (f *Feature) String() string { return f.name }

// Disable makes f unavailable until restore is called. Tests use it to test the code for
// processors without f. Kernels that are already selected are not affected. Features that
// include f stay available.
func (f *Feature) Disable() (restore func()) { return Disable(f) }

// Distinct returns those of sets that leave different features available, if each is disabled
// alone: of sets that leave the same ones, the first. A test that runs without each set does not
// run twice with the same kernels. nil is the set of no feature.
func Distinct(sets [][]*Feature) (distinct [][]*Feature) {
	seen := map[uint64]bool{}
	for _, off := range sets {
		left := uint64(0) // a bit for each feature
		for i, f := range Features() {
			if f.Available() && !slices.Contains(off, f) {
				left |= 1 << i
			}
		}
		if !seen[left] {
			seen[left] = true
			distinct = append(distinct, off)
		}
	}
	return distinct
}

// Disable makes several features unavailable until restore is called.
func Disable(features ...*Feature) (restore func()) {
	for _, f := range features {
		f.off.Add(1)
	}
	return func() {
		for _, f := range features {
			f.off.Add(-1)
		}
	}
}
