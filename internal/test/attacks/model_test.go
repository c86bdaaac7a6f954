package attacks

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
)

// model writes an IR. Ports declare no dims, so that nothing but the attack is in the file.
type model struct {
	layers, edges strings.Builder
	count         int
	bin           []byte
	zeros         int64 // the .bin has at least this size
}

// port is an output of a layer.
type port struct {
	layer, port int
}

// layer adds a layer. attributes is the text in its data element, and precision that of its
// outputs. It returns the first output.
func (m *model) layer(kind, opset, attributes, precision string, outputs int, inputs ...port) port {
	return m.named(fmt.Sprintf("l%d", m.count), kind, opset, attributes, precision, outputs, "", inputs...)
}

// named is layer with a name, which is escaped already, and elements that follow the outputs.
func (m *model) named(name, kind, opset, attributes, precision string, outputs int, more string, inputs ...port) port {
	id := m.count
	m.count++
	fmt.Fprintf(&m.layers, `<layer id="%d" name="%s" type="%s" version="%s">`, id, name, kind, opset)
	if attributes != "" {
		fmt.Fprintf(&m.layers, `<data %s/>`, attributes)
	}
	if len(inputs) > 0 {
		m.layers.WriteString("<input>")
		for i, from := range inputs {
			fmt.Fprintf(&m.layers, `<port id="%d"/>`, i)
			fmt.Fprintf(&m.edges, `<edge from-layer="%d" from-port="%d" to-layer="%d" to-port="%d"/>`, from.layer, from.port, id, i)
		}
		m.layers.WriteString("</input>")
	}
	if outputs > 0 {
		m.layers.WriteString("<output>")
		for i := range outputs {
			fmt.Fprintf(&m.layers, `<port id="%d" precision="%s"/>`, len(inputs)+i, precision)
		}
		m.layers.WriteString("</output>")
	}
	m.layers.WriteString(more + "</layer>\n")
	return port{id, len(inputs)}
}

// op adds a layer with one float output.
func (m *model) op(kind, opset, attributes string, inputs ...port) port {
	return m.layer(kind, opset, attributes, "FP32", 1, inputs...)
}

// parameter adds an input of the model.
func (m *model) parameter(elementType, shape string) port {
	return m.layer("Parameter", "opset1", fmt.Sprintf(`shape="%s" element_type="%s"`, shape, elementType), precisions[elementType], 1)
}

// result adds an output of the model.
func (m *model) result(from port) { m.layer("Result", "opset1", "", "", 0, from) }

// ints adds a Constant i64 of rank 1.
func (m *model) ints(values ...int64) port {
	return m.constant("i64", fmt.Sprint(len(values)), m.append(values), 8*len(values))
}

// int adds a scalar Constant i64.
func (m *model) int(value int64) port { return m.constant("i64", "", m.append([]int64{value}), 8) }

// floats adds a Constant f32 of rank 1.
func (m *model) floats(values ...float32) port {
	return m.constant("f32", fmt.Sprint(len(values)), m.append(values), 4*len(values))
}

// float adds a scalar Constant f32.
func (m *model) float(value float32) port {
	return m.constant("f32", "", m.append([]float32{value}), 4)
}

// append appends data to the .bin and returns its offset, a multiple of 64.
func (m *model) append(data any) int {
	m.bin = append(m.bin, make([]byte, -len(m.bin)&63)...)
	offset := len(m.bin)
	m.bin, _ = binary.Append(m.bin, binary.LittleEndian, data)
	return offset
}

// constant adds a Constant of size bytes at offset in the .bin. Beyond what append wrote, the .bin
// has zeros.
func (m *model) constant(elementType, shape string, offset, size int) port {
	m.zeros = max(m.zeros, int64(offset+size))
	return m.layer("Const", "opset1", fmt.Sprintf(`element_type="%s" shape="%s" offset="%d" size="%d"`, elementType, shape, offset, size),
		precisions[elementType], 1)
}

// precisions are the names of element types in ports.
var precisions = map[string]string{
	"boolean": "BOOL", "f16": "FP16", "f32": "FP32", "f64": "FP64", "i32": "I32", "i64": "I64", "string": "STRING", "u1": "U1", "u8": "U8",
}

// graph returns the layers and edges as XML: the content of a net or body element.
func (m *model) graph() string {
	return "<layers>" + m.layers.String() + "</layers><edges>" + m.edges.String() + "</edges>"
}

// write writes the XML to path, and the .bin beside it.
func (m *model) write(path string) error {
	xml := `<?xml version="1.0"?>` + "\n" + `<net name="m" version="11">` + m.graph() + "</net>"
	if err := os.WriteFile(path, []byte(xml), 0o600); err != nil {
		return err
	}
	bin := strings.TrimSuffix(path, ".xml") + ".bin"
	if err := os.WriteFile(bin, m.bin, 0o600); err != nil {
		return err
	}
	return os.Truncate(bin, max(m.zeros, int64(len(m.bin))))
}

// list returns n times text, separated by commas.
func list(text string, n int) string {
	return strings.TrimSuffix(strings.Repeat(text+",", n), ",")
}

// repeat returns n times p.
func repeat(p port, n int) []port {
	ports := make([]port, n)
	for i := range ports {
		ports[i] = p
	}
	return ports
}

// grow adds a Broadcast of from, which has one element, to a shape.
func (m *model) grow(from port, shape ...int64) port {
	return m.op("Broadcast", "opset3", `mode="numpy"`, from, m.ints(shape...))
}
