package validate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/irtest"
	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
)

// graph writes the layers and edges of a document.
type graph struct{ layers, edges strings.Builder }

// add adds a layer with n inputs, which reads output 0 of the given layers.
func (g *graph) add(id int, layerType, opset, data string, from ...int) {
	fmt.Fprintf(&g.layers, `<layer id="%d" name="" type="%s" version="%s"><data %s/><input>`, id, layerType, opset, data)
	for i, source := range from {
		fmt.Fprintf(&g.layers, `<port id="%d"/>`, i)
		fmt.Fprintf(&g.edges, `<edge from-layer="%d" from-port="9999999" to-layer="%d" to-port="%d"/>`, source, id, i)
	}
	g.layers.WriteString(`</input>`)
	if layerType != "Result" && layerType != "Assign" {
		g.layers.WriteString(`<output><port id="9999999" precision="FP32"/></output>`)
	}
	g.layers.WriteString(`</layer>`)
}

func (g *graph) xml() []byte {
	return []byte(`<net version="11"><layers>` + g.layers.String() + `</layers><edges>` + g.edges.String() + `</edges></net>`)
}

// TestModelIsLinear validates models of growing size whose layers share one large thing.
func TestModelIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("validates large models")
	}
	registry := optest.Registry(t, builtin.Ops())
	for name, build := range map[string]func(g *graph, n int){
		"a chain of many axes": func(g *graph, n int) {
			g.add(0, "Parameter", "opset1", `element_type="f32" shape="`+strings.Repeat("2,", 63)+`2"`)
			for i := range n {
				g.add(i+1, "Add", "opset1", ``, i, 0)
			}
		},
		"readers of a list": func(g *graph, n int) {
			g.add(0, "Const", "opset1", `element_type="i64" shape="1024" offset="0" size="8192"`)
			for i := range n {
				g.add(i+1, "Add", "opset1", ``, 0, 0)
			}
		},
		"products of a matrix": func(g *graph, n int) {
			g.add(0, "Const", "opset1", `element_type="f32" shape="16,16" offset="0" size="1024"`)
			for i := range n {
				g.add(i+1, "MatMul", "opset1", ``, 0, 0)
			}
		},
		"a wide layer": func(g *graph, n int) {
			g.add(0, "Parameter", "opset1", `element_type="f32" shape="2,2"`)
			g.add(1, "Concat", "opset1", `axis="0"`, make([]int, n)...)
		},
		"variables behind a wide layer": func(g *graph, n int) {
			g.add(0, "Parameter", "opset1", `element_type="f32" shape="1"`)
			g.add(1, "Concat", "opset1", `axis="0"`, make([]int, n)...)
			for i := range n / 8 {
				id := fmt.Sprintf(`variable_id="%d"`, i)
				g.add(2*i+2, "ReadValue", "opset3", id, 1)
				g.add(2*i+3, "Assign", "opset3", id, 2*i+2)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			measure := func(n int) time.Duration {
				var g graph
				build(&g, n)
				g.add(10*n, "Result", "opset1", ``, 1)
				xml, bin := g.xml(), make([]byte, 8192)
				start := time.Now()
				m, err := irxml.Read(xml, bin, irxml.ReadOptions{})
				require.NoError(t, err)
				require.Zero(t, irtest.Validate(t, m, registry).Errors())
				return time.Since(start)
			}
			var ratio float64
			for range 6 {
				if ratio = float64(measure(20_000)) / float64(measure(2_000)); ratio < 30 {
					return
				}
			}
			assert.Fail(t, "not linear", "ten times the size takes %.0f times as long", ratio)
		})
	}
}
