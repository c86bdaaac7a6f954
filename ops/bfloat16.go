package ops

import "github.com/vinoir/vinoir/internal/half"

// BFloat16 is the upper half of a float32, the element type bf16, for the Go APIs
// of the families.
type BFloat16 = half.BFloat16

// BFloat16Of returns f rounded to the nearest BFloat16, ties to even.
func BFloat16Of(f float32) BFloat16 { return half.BFloat16Of(f) }
