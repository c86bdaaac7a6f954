package irxml_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/ir/irxml"
)

// nastyValues are values that mutate sets in attributes and texts.
var nastyValues = []string{
	"", "0", "1", "2", "-1", "-2", "7", "999999999", "2147483648", "4294967296", "9223372036854775807",
	"9223372036854775808", "18446744073709551615", "1,0", "4611686018427387904,4", "4294967296,4294967296", "65536,65536", "?", "...",
	"u1", "u3", "u6", "i4", "f16", "f64", "boolean", "string", "dynamic", "Parameter", "Result", "Const", "Assign", "ReadValue", "Loop",
	"TensorIterator", "If", "x", `a\,b,`, "FP16", "I64", "BOOL",
}

// mutate makes a few changes to a document and keeps it well-formed. Random changes of bytes
// would rarely be well-formed XML.
func mutate(root *etree.Element, random *rand.Rand) {
	var all []*etree.Element
	for stack := []*etree.Element{root}; len(stack) > 0; {
		e := stack[len(stack)-1]
		stack = append(stack[:len(stack)-1], e.ChildElements()...)
		all = append(all, e)
	}
	for range 1 + random.IntN(3) {
		e := all[random.IntN(len(all))]
		parent := e.Parent()
		switch random.IntN(8) {
		case 0, 1, 2:
			if len(e.Attr) > 0 {
				e.Attr[random.IntN(len(e.Attr))].Value = nastyValues[random.IntN(len(nastyValues))]
			}
		case 3:
			if len(e.Attr) > 0 {
				e.RemoveAttr(e.Attr[random.IntN(len(e.Attr))].Key)
			}
		case 4:
			if parent != nil && e != root {
				parent.RemoveChild(e)
			}
		case 5:
			if parent != nil && e != root {
				parent.AddChild(e.Copy())
			}
		case 6: // copy the value of an attribute to another one
			other := all[random.IntN(len(all))]
			if len(e.Attr) > 0 && len(other.Attr) > 0 {
				e.Attr[random.IntN(len(e.Attr))].Value = other.Attr[random.IntN(len(other.Attr))].Value
			}
		case 7:
			e.SetText(nastyValues[random.IntN(len(nastyValues))])
		}
	}
}

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
		doc := etree.NewDocument()
		require.NoError(t, doc.ReadFromString(string(seed)))
		for range rounds {
			changed := doc.Copy()
			mutate(changed.Root(), random)
			var xml strings.Builder
			_, err := changed.WriteTo(&xml)
			require.NoError(t, err)
			m, err := irxml.Read([]byte(xml.String()), bin, irxml.ReadOptions{Limits: fuzzLimits})
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
