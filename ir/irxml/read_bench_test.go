package irxml_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir/irxml"
)

// chainXML returns an IR of n layers: a Parameter, a chain of Adds with a Constant each, and a
// Result.
func chainXML(n int) []byte {
	var b bytes.Buffer
	b.WriteString("<?xml version=\"1.0\"?>\n<net name=\"chain\" version=\"11\">\n\t<layers>\n")
	port := func(id int, precision string) {
		fmt.Fprintf(&b, "\t\t\t\t<port id=\"%d\" precision=%q>\n\t\t\t\t\t<dim>1</dim>\n\t\t\t\t\t<dim>64</dim>\n\t\t\t\t</port>\n", id, precision)
	}
	var edges bytes.Buffer
	b.WriteString("\t\t<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">\n\t\t\t<data shape=\"1,64\" element_type=\"f32\" />\n\t\t\t<output>\n")
	port(0, "FP32")
	b.WriteString("\t\t\t</output>\n\t\t</layer>\n")
	last, lastPort := 0, 0
	for id := 1; id+1 < n-1; id += 2 {
		fmt.Fprintf(&b, "\t\t<layer id=\"%d\" name=\"Constant_%d\" type=\"Const\" version=\"opset1\">\n\t\t\t<data element_type=\"f32\" shape=\"1, 64\" offset=\"0\" size=\"256\" />\n\t\t\t<output>\n", id, id)
		port(0, "FP32")
		fmt.Fprintf(&b, "\t\t\t</output>\n\t\t</layer>\n\t\t<layer id=\"%d\" name=\"/body/Add_%d\" type=\"Add\" version=\"opset1\">\n\t\t\t<data auto_broadcast=\"numpy\" />\n\t\t\t<input>\n", id+1, id+1)
		port(0, "FP32")
		port(1, "FP32")
		b.WriteString("\t\t\t</input>\n\t\t\t<output>\n")
		port(2, "FP32")
		b.WriteString("\t\t\t</output>\n\t\t</layer>\n")
		fmt.Fprintf(&edges, "\t\t<edge from-layer=\"%d\" from-port=\"%d\" to-layer=\"%d\" to-port=\"0\" />\n", last, lastPort, id+1)
		fmt.Fprintf(&edges, "\t\t<edge from-layer=\"%d\" from-port=\"0\" to-layer=\"%d\" to-port=\"1\" />\n", id, id+1)
		last, lastPort = id+1, 2
	}
	fmt.Fprintf(&b, "\t\t<layer id=\"%d\" name=\"y\" type=\"Result\" version=\"opset1\">\n\t\t\t<input>\n", n-1)
	port(0, "FP32")
	b.WriteString("\t\t\t</input>\n\t\t</layer>\n\t</layers>\n\t<edges>\n")
	b.Write(edges.Bytes())
	fmt.Fprintf(&b, "\t\t<edge from-layer=\"%d\" from-port=\"%d\" to-layer=\"%d\" to-port=\"0\" />\n", last, lastPort, n-1)
	b.WriteString("\t</edges>\n\t<rt_info />\n</net>\n")
	return b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	bin := make([]byte, 256)
	for _, n := range []int{2_000, 20_000, 200_000} {
		xml := chainXML(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(len(xml)))
			b.ReportAllocs()
			for b.Loop() {
				_, err := irxml.Read(xml, bin, irxml.ReadOptions{})
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkReadFile(b *testing.B) {
	root := optest.Corpus(b)
	for _, name := range []string{"light_densenet121", "minilm_l6"} {
		path := filepath.Join(root, "zoo", name, "model.xml")
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := irxml.ReadFile(path, irxml.ReadOptions{})
				require.NoError(b, err)
			}
		})
	}
}
