// Package cpu says which instruction sets the assembly kernels may use. A kernel
// asks once, when it is picked, so that a test can take a set away and pick again.
package cpu

import (
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/cpu"
)

// Feature is an instruction set, or several that kernels use together.
type Feature struct {
	name string
	has  bool
	off  atomic.Int32 // how many times it is disabled
}

// The instruction sets that kernels ask for.
var (
	AVX2 = &Feature{name: "AVX2", has: cpu.X86.HasAVX2}
	FMA  = &Feature{name: "FMA", has: cpu.X86.HasAVX2 && cpu.X86.HasFMA}
	// AVX512 is the foundation with DQ, BW and VL, as Skylake's servers have it, and
	// BMI2, which makes masks.
	AVX512 = &Feature{name: "AVX512", has: cpu.X86.HasAVX512F && cpu.X86.HasAVX512DQ &&
		cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL && cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI2}
	AVX512VNNI = &Feature{name: "AVX512VNNI", has: AVX512.has && cpu.X86.HasAVX512VNNI}
	// NEON is what every processor of arm64 has.
	NEON = &Feature{name: "NEON", has: runtime.GOARCH == "arm64"}
)

// Features returns all of them.
func Features() []*Feature { return []*Feature{AVX2, FMA, AVX512, AVX512VNNI, NEON} }

// Available reports whether kernels may use f.
func (f *Feature) Available() bool { return f.has && f.off.Load() == 0 }

// String returns the name of f.
func (f *Feature) String() string { return f.name }

// Disable takes f away, for a test of what runs without it, until restore is
// called. Kernels that were picked before keep it.
func (f *Feature) Disable() (restore func()) {
	f.off.Add(1)
	return func() { f.off.Add(-1) }
}
