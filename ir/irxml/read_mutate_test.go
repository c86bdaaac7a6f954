package irxml_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/ir/irxml"
)

func TestReadMutated(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	loop := withBody("Loop", `<port_map><input external_port_id="0" internal_layer_id="0"/><output external_port_id="3" internal_layer_id="2"/></port_map><back_edges><edge from-layer="2" to-layer="0"/></back_edges><body>`+bodyLayers+"</body>")
	seeds := [][]byte{
		[]byte(smallXML), v10("f16", "FP16"), loop,
		withBody("TensorIterator", "<port_map>"+slicedMap+"</port_map><body>"+bodyLayers+"</body>"),
		preProcessed(t, "f32", "1,3", means(`value="1"`, `value="2"`, `value="3"`)),
		constXML(`element_type="string" shape="2" offset="0" size="16"`),
	}
	bin := append(packStrings("a", "bc"), smallBin...)
	rounds, accepted, total := 1000, 0, 0
	if testing.Short() {
		rounds = 200
	}
	for _, seed := range seeds {
		for range rounds {
			m, err := irxml.Read(irtest.Mutate(seed, random), bin, irxml.ReadOptions{Limits: fuzzLimits})
			checkRead(t, m, err)
			total++
			if err == nil {
				accepted++
			}
		}
	}
	// The test is useful only if it has both accepted and rejected documents.
	require.Greater(t, accepted, total/20)
	require.Less(t, accepted, total*19/20)
}
