// Command _neon generates the NEON assembly of package convert.
package main

import (
	"fmt"

	"github.com/vinoir/vinoir/internal/neon"
)

// lanes is the number of elements that are converted at once. It must equal lanes in
// kernel_arm64.go.
const lanes = 16

func main() {
	neon.Main(func(file *neon.File) {
		loop(file, "rowF32ToI32", "dst *int32, src *float32", 4, func(f *neon.Func) body {
			lowest, limit := f.Constant(1<<31), f.Constant(0x4f000000) // 2^31 as a float32
			return func(src []neon.Vec) []neon.Vec {
				for _, v := range src {
					inRange := f.Vec()
					f.Emit("facgt", inRange, limit, v) // not NaN either, which fcvtzs makes 0
					f.Emit("fcvtzs", v, v)
					f.Emit("bif", v.B16(), lowest.B16(), inRange.B16())
				}
				return src
			}
		})
		loop(file, "rowI32ToF32", "dst *float32, src *int32", 4, func(f *neon.Func) body {
			return func(src []neon.Vec) []neon.Vec { return each(f, "scvtf", src) }
		})
		loop(file, "rowU8ToF32", "dst *float32, src *uint8", 1, func(f *neon.Func) body {
			return func(src []neon.Vec) []neon.Vec { return each(f, "ucvtf", extend(f, "ushll", src[0])) }
		})
		loop(file, "rowI8ToF32", "dst *float32, src *int8", 1, func(f *neon.Func) body {
			return func(src []neon.Vec) []neon.Vec { return each(f, "scvtf", extend(f, "sshll", src[0])) }
		})
		loop(file, "rowBooleanToF32", "dst *float32, src *uint8", 1, func(f *neon.Func) body {
			one := f.Constant(0x01010101)
			return func(src []neon.Vec) []neon.Vec {
				f.Emit("umin", src[0].B16(), src[0].B16(), one.B16()) // every byte but 0 is true
				return each(f, "ucvtf", extend(f, "ushll", src[0]))
			}
		})
		loop(file, "rowF32ToU8", "dst *uint8, src *float32", 4, func(f *neon.Func) body {
			limit := f.Constant(0x4f000000)
			return func(src []neon.Vec) []neon.Vec {
				for _, v := range src {
					inRange := f.Vec()
					f.Emit("facgt", inRange, limit, v)
					f.Emit("fcvtzs", v, v)
					// the low byte of the lowest i32 is 0
					f.Emit("and", v.B16(), v.B16(), inRange.B16())
				}
				f.Emit("uzp1", src[0].H8(), src[0].H8(), src[1].H8())
				f.Emit("uzp1", src[2].H8(), src[2].H8(), src[3].H8())
				f.Emit("uzp1", src[0].B16(), src[0].B16(), src[2].B16())
				return src[:1]
			}
		})
		loop(file, "rowI64ToI32", "dst *int32, src *int64", 8, func(f *neon.Func) body {
			return func(src []neon.Vec) []neon.Vec {
				for i := range 4 {
					f.Emit("uzp1", src[2*i], src[2*i], src[2*i+1])
				}
				return []neon.Vec{src[0], src[2], src[4], src[6]}
			}
		})
		for _, from := range []struct{ name, parameters, extend string }{
			{"rowI32ToI64", "dst *int64, src *int32", "sshll"}, {"rowU32ToI64", "dst *int64, src *uint32", "ushll"},
		} {
			loop(file, from.name, from.parameters, 4, func(f *neon.Func) body {
				return func(src []neon.Vec) []neon.Vec {
					dst := f.Vecs(2 * len(src))
					for i, v := range src {
						f.Emit(from.extend, dst[2*i].D2(), v.S2(), 0)
						f.Emit(from.extend+"2", dst[2*i+1].D2(), v, 0)
					}
					return dst
				}
			})
		}
	})
}

// body generates the conversion of lanes elements, from registers that it may change.
type body func(src []neon.Vec) (dst []neon.Vec)

// loop generates a conversion of n elements of size bytes. before sets up registers ahead of the
// loop.
func loop(file *neon.File, name, parameters string, size int, before func(f *neon.Func) body) {
	f := file.Func(fmt.Sprintf("func %s(%s, n int)", name, parameters),
		fmt.Sprintf("%s converts n elements: dst[i] = src[i]. n must be a positive multiple of %d.", name, lanes))
	dst, src, n := f.Arg("dst"), f.Arg("src"), f.Arg("n")
	convert := before(f)
	f.Label("loop")
	from := f.Vecs(size)
	transfer(f, "ld", from, src)
	transfer(f, "st", convert(from), dst)
	f.Emit("subs", n, n, lanes)
	f.Branch("bne", "loop")
	f.Return()
}

// transfer generates loads or stores of v, "ld" or "st", and advances the pointer.
func transfer(f *neon.Func, name string, v []neon.Vec, at neon.Reg) {
	for i := 0; i+1 < len(v); i += 2 {
		f.Emit(name+"p", v[i].Q(), v[i+1].Q(), neon.At(at).Post(32))
	}
	if len(v) == 1 {
		f.Emit(name+"r", v[0].Q(), neon.At(at).Post(16))
	}
}

// extend generates the bytes of v as integers of 32 bits: with ushll or sshll.
func extend(f *neon.Func, name string, v neon.Vec) []neon.Vec {
	halves, words := f.Vecs(2), f.Vecs(4)
	f.Emit(name, halves[0].H8(), v.B8(), 0)
	f.Emit(name+"2", halves[1].H8(), v.B16(), 0)
	for i, h := range halves {
		f.Emit(name, words[2*i], h.H4(), 0)
		f.Emit(name+"2", words[2*i+1], h.H8(), 0)
	}
	return words
}

// each generates an instruction for each of v, and returns v.
func each(f *neon.Func, name string, v []neon.Vec) []neon.Vec {
	for _, x := range v {
		f.Emit(name, x, x)
	}
	return v
}
