package trietokenizer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/vinoir/vinoir/internal/test/layertest"
	"github.com/vinoir/vinoir/internal/test/texttest"
)

// BenchmarkLayer cuts digits with 65,536 keys.
func BenchmarkLayer(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	keys, ids := []string{}, []int32{}
	for i := range int32(1 << 16) {
		keys, ids = append(keys, fmt.Sprint(i)), append(ids, i)
	}
	var text strings.Builder
	for text.Len() < 1<<20 {
		fmt.Fprint(&text, rng.IntN(1<<40))
	}
	in := append(texttest.RaggedTensors(b, []string{text.String()}), texttest.StringTensors(b, keys...)...)
	layertest.BenchmarkOf(b, "digits", &Ops[0], nil, 3, append(in, texttest.Vector(b, ids...))...)
}
