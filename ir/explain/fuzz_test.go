package explain_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/explain"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
)

// FuzzExplain explains every layer of random documents.
func FuzzExplain(f *testing.F) {
	f.Add([]byte(irtest.ReshapeXML))
	registry := optest.Registry(f, builtin.Ops())
	f.Fuzz(func(t *testing.T, xml []byte) {
		m, err := irxml.Read(xml, irtest.ReshapeBin, irxml.ReadOptions{})
		if err != nil {
			return
		}
		shapes, _ := infer.Propagate(m, registry, nil)
		for _, layer := range m.Order {
			for i := range shapes.Outputs(layer) {
				e, err := explain.Output(m, registry, shapes, layer, i)
				require.NoError(t, err)
				require.NotEmpty(t, e.String())
			}
		}
	})
}
