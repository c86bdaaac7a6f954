package conformance_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/ops/parameter"
	"github.com/vinoir/vinoir/ops/result"
)

// same is a layer type that returns its input, unless that has the string "panic" or "refuse". It
// counts as a tokenizer whose ids are the lengths of the strings.
func same(t *testing.T) *conformance.Runner {
	t.Helper()
	list := append(append([]ops.Op{}, parameter.Ops...), result.Ops...)
	list = append(list, ops.Op{
		Type: "Same", Namespace: "extension", Inputs: ops.Exactly(1), Traits: ops.Traits{Stateful: true},
		Infer: func(in *ops.Inference) error {
			in.Outputs[0].Type, in.Outputs[0].Shape = in.Inputs[0].Type, in.Inputs[0].Shape
			return nil
		},
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				for _, s := range r.Inputs[0].Strings() {
					switch s {
					case "panic":
						panic(s)
					case "refuse":
						return fmt.Errorf("refused")
					}
				}
				r.Copy(r.Outputs[0], r.Inputs[0])
				return nil
			}}, nil
		},
	}, ops.Op{
		Type: "Lengths", Namespace: "extension", Inputs: ops.Exactly(1),
		Infer: func(in *ops.Inference) error {
			for i := range in.Outputs {
				in.Outputs[i].Type, in.Outputs[i].Shape = ir.I64, ir.ShapeOf(ir.Dim(1), in.Inputs[0].Shape.At(0))
			}
			return nil
		},
		Prepare: func(*ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				for i, s := range r.Inputs[0].Strings() {
					ir.Data[int64](r.Outputs[0])[i] = int64(len(s))
					ir.Data[int64](r.Outputs[1])[i] = 1
				}
				return nil
			}}, nil
		},
	}, ops.Op{
		Type: "Texts", Namespace: "extension", Inputs: ops.Exactly(1),
		Infer: func(in *ops.Inference) error {
			in.Outputs[0].Type, in.Outputs[0].Shape = ir.String, ir.ShapeOf(in.Inputs[0].Shape.At(0))
			return nil
		},
		Prepare: func(p *ops.Preparation) (*ops.Prepared, error) {
			return &ops.Prepared{Kernel: func(r *ops.Run) error {
				for i := range r.Outputs[0].Strings() {
					r.Outputs[0].Strings()[i] = strings.Repeat("x", r.Inputs[0].Shape()[1])
				}
				return nil
			}}, nil
		},
	})
	r, err := conformance.NewRunner(list...)
	require.NoError(t, err)
	return r
}

// graph returns the XML of a model with one layer, of the given numbers of outputs.
func graph(layerType, elementType, shape string, names ...string) string {
	outputs, results, edges := "", "", ""
	in := map[string]string{"f32": "FP32", "f64": "FP64", "boolean": "BOOL"}[elementType]
	if in == "" {
		in = strings.ToUpper(elementType)
	}
	out := map[string]string{"Same": in, "Lengths": "I64", "Texts": "STRING"}[layerType]
	for i, name := range names {
		outputs += fmt.Sprintf(`<port id="%d" precision="%s" names="%s"/>`, 1+i, out, name)
		results += fmt.Sprintf(`<layer id="%d" name="%s" type="Result" version="opset1"><input><port id="0" precision="%s"/></input></layer>`, 2+i, name, out)
		edges += fmt.Sprintf(`<edge from-layer="1" from-port="%d" to-layer="%d" to-port="0"/>`, 1+i, 2+i)
	}
	return `<net name="m" version="11"><layers><layer id="0" name="x" type="Parameter" version="opset1"><data shape="` + shape + `" element_type="` + elementType + `"/><output><port id="0" precision="` + in + `"/></output></layer>` +
		`<layer id="1" name="op" type="` + layerType + `" version="extension"><input><port id="0" precision="` + in + `"/></input><output>` + outputs + `</output></layer>` + results +
		`</layers><edges><edge from-layer="0" from-port="0" to-layer="1" to-port="0"/>` + edges + `</edges></net>`
}

func TestRunner_Run_text(t *testing.T) {
	strs := func(s string) string { return `{"t":"string","s":[1],"d":[` + s + `]}` }
	run := func(in, out string) string { return `{"in":[` + strs(in) + `],"out":[` + strs(out) + `]}` }
	for name, c := range map[string]struct {
		elementType, json string
		want              conformance.Outcome
		message           string
	}{
		"right":              {"string", `{"runs":[` + run(`"a"`, `"a"`) + `,` + run(`{"hex":"ff00"}`, `{"hex":"ff00"}`) + `]}`, conformance.Passed, ""},
		"wrong":              {"string", `{"runs":[` + run(`"a"`, `"a"`) + `,` + run(`"a"`, `"b"`) + `]}`, conformance.Failed, `run 1: output 0: 1 of 1 elements of string[1] differ, the first at 0: "a", want "b"`},
		"undefined":          {"string", `{"note":"undefined: x","runs":[` + run(`"a"`, `"b"`) + `]}`, conformance.Passed, ""},
		"undefined panics":   {"string", `{"note":"undefined: x","runs":[` + run(`"panic"`, `"b"`) + `]}`, conformance.Crashed, "panic"},
		"OpenVINO crashes":   {"string", `{"runs":[{"in":[` + strs(`"refuse"`) + `],"crash":"SIGSEGV"}]}`, conformance.Passed, ""},
		"refused":            {"string", `{"runs":[` + run(`"refuse"`, `"refuse"`) + `]}`, conformance.Failed, "run 0: "},
		"error":              {"string", `{"runs":[{"in":[` + strs(`"refuse"`) + `],"error":"no"}]}`, conformance.Passed, ""},
		"no error":           {"string", `{"runs":[{"in":[` + strs(`"a"`) + `],"error":"no"}]}`, conformance.Failed, "run 0: accepted, OpenVINO refuses it: no"},
		"type":               {"string", `{"runs":[{"in":[` + strs(`"a"`) + `],"out":[{"t":"i32","s":[1],"d":[1]}]}]}`, conformance.Failed, "element type is string, want i32"},
		"unknown type":       {"string", `{"runs":[{"in":[{"t":"string8","s":[1],"d":[1]}],"out":[]}]}`, conformance.Failed, "cannot be read: input 0"},
		"number of elements": {"string", `{"runs":[{"in":[{"t":"string","s":[2],"d":["a"]}],"out":[]}]}`, conformance.Failed, "1 elements for shape [2]"},
		"element":            {"string", `{"runs":[{"in":[{"t":"string","s":[1],"d":[1]}],"out":[]}]}`, conformance.Failed, "element 0"},
		"bytes":              {"u8", `{"runs":[{"in":[{"t":"u8","s":[2],"hex":"01ff"}],"out":[{"t":"u8","s":[2],"hex":"01ff"}]}]}`, conformance.Passed, ""},
		"odd hex":            {"u8", `{"runs":[{"in":[{"t":"u8","s":[2],"hex":"01f"}],"out":[]}]}`, conformance.Failed, "hex"},
		"f32": {"f32", `{"what \"NaN":0,"runs":[{"in":[{"t":"f32","s":[4],"d":[NaN,-Infinity,Infinity,1.5]}],"out":[{"t":"f32","s":[4],"d":[NaN,-Infinity,Infinity,1.5]}]}]}`,
			conformance.Passed, ""},

		"bad and refused":    {"string", `{"expect":"error","in":[` + strs(`"refuse"`) + `]}`, conformance.Passed, ""},
		"bad and accepted":   {"string", `{"expect":"error","what":"a","in":[` + strs(`"a"`) + `]}`, conformance.Failed, "accepted, to be refused: a"},
		"bad and late":       {"string", `{"expect":"error","stage":"read","in":[` + strs(`"refuse"`) + `]}`, conformance.Failed, "to be refused at stage read"},
		"bad and early":      {"string", `{"expect":"error","stage":"infer","in":[` + strs(`"refuse"`) + `]}`, conformance.Passed, ""},
		"bad and any":        {"string", `{"expect":"any","in":[` + strs(`"a"`) + `]}`, conformance.Passed, ""},
		"bad and panics":     {"string", `{"expect":"any","in":[` + strs(`"panic"`) + `]}`, conformance.Crashed, "panic"},
		"bad and unknown":    {"string", `{"expect":"maybe","in":[` + strs(`"a"`) + `]}`, conformance.Failed, "maybe"},
		"bad and unreadable": {"string", `{"expect":"error","in":[{"t":"x"}]}`, conformance.Failed, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "text", "ops", "case")
			require.NoError(t, os.MkdirAll(folder, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "model.xml"), []byte(graph("Same", c.elementType, "?", "y")), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "case.json"), []byte(c.json), 0o644))
			cases := find(t, folder)
			require.Len(t, cases, 1)
			got := same(t).Run(context.Background(), cases[0])
			assert.Equal(t, "text.ops/case", got.Case)
			assert.Equal(t, c.want, got.Outcome, got.Message)
			assert.Contains(t, got.Message, c.message)
		})
	}
}

// TestRunner_Run_numbers has each type of a number.
func TestRunner_Run_numbers(t *testing.T) {
	for _, elementType := range []string{"i8", "i16", "i32", "i64", "u16", "u32", "u64", "f64", "boolean", "u4"} {
		folder := filepath.Join(t.TempDir(), "ops", "case")
		require.NoError(t, os.MkdirAll(folder, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "model.xml"), []byte(graph("Same", elementType, "?", "y")), 0o644))
		tensor := `{"t":"` + elementType + `","s":[2],"d":[0,1]}`
		require.NoError(t, os.WriteFile(filepath.Join(folder, "case.json"), []byte(`{"runs":[{"in":[`+tensor+`],"out":[`+tensor+`]}]}`), 0o644))
		got := same(t).Run(context.Background(), find(t, folder)[0])
		if elementType == "u4" {
			assert.Contains(t, got.Message, "type u4 is in no case")
			continue
		}
		assert.Equal(t, conformance.Passed, got.Outcome, got.Message)
	}
}

func TestRunner_Run_tokenizer(t *testing.T) {
	for name, c := range map[string]struct {
		folder, encode, decode string
		want                   [2]string // the message of decode and of encode, "" if it passes
	}{
		"right": {"case", `{"cases":[{"text":"abc","ids":[3]},{"text":{"hex":"ff"},"ids":[1]}]}`, `{"cases":[{"ids":[1,2],"text":"xx"},{"batch":[[1],[2]],"texts":["x","x"]}]}`, [2]string{}},
		"wrong": {"case", `{"cases":[{"text":"abc","ids":[3]},{"text":"abcd","ids":[5]}]}`, `{"cases":[{"ids":[1,2],"text":"y"}]}`,
			[2]string{`openvino_detokenizer.xml: 1 of 1 cases fail, the first: case 0: [1 2]: "xx", want "y"`, `openvino_tokenizer.xml: 1 of 2 cases fail, the first: case 1: "abcd": input_ids is [1,1] [4], want [5]`}},
		"old":          {"2024.1.0.0_bert", `{"written_by":"2024.1.0.0","cases":[{"text":"abc","ids":[5],"own_release":[3],"decoded":"x"}]}`, "", [2]string{}},
		"old and else": {"2024.5.0.0_bert", `{"written_by":"2024.5.0.0","cases":[{"text":"abc","ids":[3],"own_release":[5],"decoded":"y"}]}`, "", [2]string{"", `[3]: "x", want "y"`}},
		"no JSON":      {"case", "{", "{", [2]string{"decode.json: ", "encode.json: "}},
	} {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "text", "tokenizers", c.folder)
			require.NoError(t, os.MkdirAll(folder, 0o755))
			write := func(name, text string) {
				if text != "" {
					require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
				}
			}
			write("openvino_tokenizer.xml", graph("Lengths", "string", "?", "input_ids", "attention_mask"))
			write("openvino_detokenizer.xml", graph("Texts", "i64", "?,?", "string_output"))
			write("encode.json", c.encode)
			write("decode.json", c.decode)
			for _, found := range find(t, folder) {
				want := c.want[0]
				if strings.HasSuffix(found.Name, "/encode") {
					want = c.want[1]
				}
				got := same(t).Run(context.Background(), found)
				assert.Equal(t, want == "", got.Outcome == conformance.Passed, got.Message)
				assert.Contains(t, got.Message, want)
			}
		})
	}
}
