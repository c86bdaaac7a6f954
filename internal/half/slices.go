package half

//go:generate go run ./_neon -out slices_arm64.s -stubs slices_stubs_arm64.go -pkg half

// F16sToF32s sets dst[i] to the f16 src[i], for each element of src. dst must be at least as
// long as src.
func F16sToF32s(dst []float32, src []uint16) {
	dst = dst[:len(src)]
	n := vectorPrefix(len(src))
	if n > 0 {
		widenF16(&dst[0], &src[0], n)
	}
	for i, h := range src[n:] {
		dst[n+i] = F16ToF32(h)
	}
}

// F32sToF16s sets dst[i] to the f16 nearest to src[i], for each element of src. dst must be
// at least as long as src.
func F32sToF16s(dst []uint16, src []float32) {
	dst = dst[:len(src)]
	n := vectorPrefix(len(src))
	if n > 0 {
		narrowF16(&dst[0], &src[0], n)
	}
	for i, f := range src[n:] {
		dst[n+i] = F32ToF16(f)
	}
}

// BF16sToF32s sets dst[i] to the bf16 src[i], for each element of src. dst must be at least
// as long as src.
func BF16sToF32s(dst []float32, src []BFloat16) {
	dst = dst[:len(src)]
	n := vectorPrefix(len(src))
	if n > 0 {
		widenBF16(&dst[0], (*uint16)(&src[0]), n)
	}
	for i, h := range src[n:] {
		dst[n+i] = h.Float32()
	}
}

// F32sToBF16s sets dst[i] to the bf16 nearest to src[i], for each element of src. dst must be
// at least as long as src.
func F32sToBF16s(dst []BFloat16, src []float32) {
	dst = dst[:len(src)]
	n := vectorPrefix(len(src))
	if n > 0 {
		narrowBF16((*uint16)(&dst[0]), &src[0], n)
	}
	for i, f := range src[n:] {
		dst[n+i] = BFloat16Of(f)
	}
}
