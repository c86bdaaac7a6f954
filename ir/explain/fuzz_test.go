package explain_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/internal/test/limittest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/explain"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
)

// FuzzExplain explains every layer of random documents.
func FuzzExplain(f *testing.F) {
	limits := limittest.Limits{Bytes: 32 << 20, Time: 5 * time.Second}
	f.Add([]byte(irtest.ReshapeXML))
	registry := optest.Registry(f, builtin.Ops())
	f.Fuzz(func(t *testing.T, xml []byte) {
		m, err := irxml.Read(xml, irtest.ReshapeBin, irxml.ReadOptions{})
		if err != nil {
			return
		}
		shapes, _ := infer.Propagate(t.Context(), m, registry, nil)
		for _, layer := range m.Order {
			for i := range shapes.Outputs(layer) {
				limittest.Run(t, limits, func(ctx context.Context) {
					e, err := explain.Output(ctx, m, registry, shapes, layer, i)
					require.NoError(t, err)
					require.NotEmpty(t, e.String())
				})
			}
		}
	})
}
