// Command _neon generates the NEON assembly of package half.
package main

import "github.com/vinoir/vinoir/internal/neon"

func main() {
	neon.Main(func(file *neon.File) {
		widen(file, "widenF16", "f16", func(f *neon.Func, h, low, high neon.Vec) {
			f.Emit("fcvtl", low, h.H4())
			f.Emit("fcvtl2", high, h.H8())
		})
		widen(file, "widenBF16", "bf16", func(f *neon.Func, h, low, high neon.Vec) {
			f.Emit("ushll", low, h.H4(), 0)
			f.Emit("ushll2", high, h.H8(), 0)
			f.Emit("shl", low, low, 16)
			f.Emit("shl", high, high, 16)
		})
		narrow(file, "narrowF16", "f16", func(f *neon.Func) func(h, low, high neon.Vec) {
			return func(h, low, high neon.Vec) {
				f.Emit("fcvtn", h.H4(), low)
				f.Emit("fcvtn2", h.H8(), high)
			}
		})
		narrow(file, "narrowBF16", "bf16", func(f *neon.Func) func(h, low, high neon.Vec) {
			odd, half, quiet := f.Constant(1<<16), f.Constant(0x7fff), f.Constant(0x400000)
			return func(h, low, high neon.Vec) {
				for _, v := range []neon.Vec{low, high} {
					number, rounded := f.Vec(), f.Vec()
					f.Emit("fcmeq", number, v, v)    // not NaN
					f.Emit("cmtst", rounded, v, odd) // -1 if the lowest bit that stays is 1
					f.Emit("sub", rounded, half, rounded)
					f.Emit("add", rounded, rounded, v)
					f.Emit("orr", v.B16(), v.B16(), quiet.B16())
					f.Emit("bit", v.B16(), rounded.B16(), number.B16())
				}
				f.Emit("uzp2", h.H8(), low.H8(), high.H8())
			}
		})
	})
}

// widen generates a conversion to float32.
func widen(file *neon.File, name, from string, convert func(f *neon.Func, h, low, high neon.Vec)) {
	f := file.Func("func "+name+"(dst *float32, src *uint16, n int)",
		name+" sets dst[i] to the "+from+" src[i] for each i < n. n must be a positive multiple of 8.")
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	f.Label("loop")
	h, low, high := f.Vec(), f.Vec(), f.Vec()
	f.Emit("ldr", h.Q(), neon.At(src).Post(16))
	convert(f, h, low, high)
	f.Emit("stp", low.Q(), high.Q(), neon.At(dst).Post(32))
	f.Emit("subs", n, n, 8)
	f.Branch("bne", "loop")
	f.Return()
}

// narrow generates a conversion from float32.
func narrow(file *neon.File, name, to string, constants func(f *neon.Func) func(h, low, high neon.Vec)) {
	f := file.Func("func "+name+"(dst *uint16, src *float32, n int)",
		name+" sets dst[i] to the "+to+" nearest to src[i] for each i < n. n must be a positive multiple of 8.")
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	convert := constants(f)
	f.Label("loop")
	h, low, high := f.Vec(), f.Vec(), f.Vec()
	f.Emit("ldp", low.Q(), high.Q(), neon.At(src).Post(32))
	convert(h, low, high)
	f.Emit("str", h.Q(), neon.At(dst).Post(16))
	f.Emit("subs", n, n, 8)
	f.Branch("bne", "loop")
	f.Return()
}
