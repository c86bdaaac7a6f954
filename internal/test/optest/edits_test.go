package optest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/beevik/etree"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/test/optest"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// TestEdits changes dims, precisions, attributes and edges of all cases. If a change affects a
// shape or a type, validation must report it at the right layer.
func TestEdits(t *testing.T) {
	editAll(t, filepath.Join(optest.Root(t), "testdata", "ir"), 8)
}

func TestCorpus_edits(t *testing.T) {
	editAll(t, filepath.Join(optest.Corpus(t), "zoo"), 100)
}

// editAll makes a number of random changes, edits, to each model below dir, one at a time.
func editAll(t *testing.T, dir string, edits int) {
	registry, err := plugin.NewRegistry(builtin.Ops()...)
	require.NoError(t, err)
	var found atomic.Int32
	t.Run("models", func(t *testing.T) {
		for _, c := range optest.Cases(t, nil, dir) {
			if filepath.Base(filepath.Dir(c.Folder)) == "bad" || strings.Contains(c.Name, ".reshape/") {
				continue
			}
			t.Run(c.Name, func(t *testing.T) {
				t.Parallel()
				found.Add(editCase(t, c.Folder, registry, edits))
			})
		}
	})
	t.Logf("%d edits changed a shape or type", found.Load())
	require.Positive(t, found.Load())
}

// editCase returns the number of changes of a model that affect a shape or a type.
func editCase(t *testing.T, folder string, registry *plugin.Registry, edits int) (found int32) {
	e, err := newEditor(folder, registry)
	require.NoError(t, err)
	if e == nil {
		return 0
	}
	for seed := range uint64(edits) {
		e.rng = rand.New(rand.NewPCG(seed, 3))
		change, err := e.try()
		if assert.NoError(t, err, "seed %d: %s", seed, change) && change != "" {
			found++
		}
	}
	return found
}

// editor makes random changes of one model and checks the findings.
type editor struct {
	registry *plugin.Registry
	doc      *etree.Document
	bin      []byte
	before   map[layerKey][]string // texts of the output ports before the change
	rng      *rand.Rand
}

// layerKey identifies a layer before and after a change.
type layerKey struct {
	id   uint64
	name string
}

// keyOf returns the key of layer, or of the outermost layer whose body it is in.
func keyOf(layer *ir.Layer) layerKey {
	for layer.Owner != nil {
		layer = layer.Owner
	}
	return layerKey{layer.ID, layer.Name}
}

// newEditor returns nil for a model that already has findings.
func newEditor(folder string, registry *plugin.Registry) (*editor, error) {
	e := &editor{registry: registry}
	xml, err := os.ReadFile(filepath.Join(folder, "model.xml"))
	if err != nil {
		return nil, err
	}
	e.doc = etree.NewDocument()
	if err := e.doc.ReadFromBytes(xml); err != nil {
		return nil, err
	}
	if e.bin, err = os.ReadFile(filepath.Join(folder, "model.bin")); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	m, err := irxml.Read(xml, e.bin, irxml.ReadOptions{})
	if err != nil {
		return nil, err
	}
	report, err := validate.Model(context.Background(), m, registry, nil)
	if err != nil {
		return nil, err
	}
	e.before = portTexts(m, report.Shapes)
	if len(differences(report)) > 0 {
		return nil, nil
	}
	return e, nil
}

// portTexts returns the types and dims of the output ports of m as they are written in a file.
func portTexts(m *ir.Model, shapes *infer.Shapes) map[layerKey][]string {
	texts := make(map[layerKey][]string)
	for _, layer := range m.Order {
		for _, fact := range shapes.Outputs(layer) {
			text := fact.Type.String()
			if fact.Shape.RankKnown() {
				for _, d := range fact.Shape.Dims() {
					if d.IsStatic() {
						text += fmt.Sprintf(" %d", d.Min)
					} else {
						text += " -1"
					}
				}
			}
			texts[keyOf(layer)] = append(texts[keyOf(layer)], text)
		}
	}
	return texts
}

// differences returns the findings about shapes and types.
func differences(report *validate.Report) []validate.Finding {
	return slices.DeleteFunc(slices.Clone(report.Findings), func(f validate.Finding) bool { return f.Rule == validate.RuleTolerated })
}

// texts returns the texts of findings.
func texts(findings []validate.Finding) []string {
	list := make([]string, len(findings))
	for i := range findings {
		list[i] = findings[i].String()
	}
	return list
}

// try makes one change. It returns a description of the change, or "" if the change affects no
// shape or type, and an error if the findings are wrong.
func (e *editor) try() (string, error) {
	doc := e.doc.Copy()
	kinds := []func(*etree.Document) (string, layerKey){e.editDim, e.editPrecision, e.editAttribute, e.editEdge}
	kind := e.rng.IntN(len(kinds))
	change, edited := kinds[kind](doc)
	if change == "" {
		return "", nil
	}
	xml, err := doc.WriteToBytes()
	if err != nil {
		return change, err
	}
	m, err := irxml.Read(xml, e.bin, irxml.ReadOptions{})
	if err != nil {
		var format *ir.FormatError
		if !errors.As(err, &format) || format.Layer == nil {
			return change, fmt.Errorf("the model is refused without naming a layer: %w", err)
		}
		return change, nil
	}
	report, err := validate.Model(context.Background(), m, e.registry, nil)
	if err != nil {
		return change, err
	}
	findings := differences(report)
	if ports := kind < 2; ports {
		if len(findings) != 1 || keyOf(findings[0].Layer) != edited {
			return change, fmt.Errorf("not one finding, at the port: %v", texts(findings))
		}
		return change, nil
	}
	changed, err := e.check(m, report, findings, edited)
	if !changed {
		return "", err
	}
	return change, err
}

// check compares the findings with the shapes before and after a change. The layers whose
// shapes changed must be in the findings, and layers that do not depend on the edited one must
// not be.
func (e *editor) check(m *ir.Model, report *validate.Report, findings []validate.Finding, edited layerKey) (changed bool, err error) {
	named, reached := make(map[*ir.Layer]bool), make(map[layerKey]bool)
	for i := range findings {
		if findings[i].Layer == nil {
			return true, fmt.Errorf("a finding names no layer: %v", &findings[i])
		}
		named[findings[i].Layer] = true
		reached[keyOf(findings[i].Layer)] = true
	}
	downstream := map[layerKey]bool{edited: true}
	after := portTexts(m, report.Shapes)
	for _, layer := range m.Order {
		key := keyOf(layer)
		for _, in := range layer.Inputs {
			if downstream[keyOf(in.Source)] {
				downstream[key] = true
			}
		}
		if layer.Line > 0 && !slices.Equal(e.before[key], after[key]) {
			changed = true
			// If a layer cannot be inferred, shapes after it may be less precise without a finding.
			if !named[layer] && report.Errors() == 0 {
				return true, fmt.Errorf("%v is %q now, was %q, and not named by %v", layer, after[key], e.before[key], texts(findings))
			}
		}
		if reached[key] && !downstream[key] {
			return true, fmt.Errorf("%v is named and has nothing to do with it: %v", layer, texts(findings))
		}
	}
	return changed || len(findings) > 0, nil
}

// layers returns the layers outside of bodies.
func layers(doc *etree.Document) []*etree.Element { return doc.FindElements("/net/layers/layer") }

// pick returns a random element of list.
func (e *editor) pick(list []*etree.Element) *etree.Element {
	if len(list) == 0 {
		return nil
	}
	return list[e.rng.IntN(len(list))]
}

// keyOfElement returns the key of a layer element.
func keyOfElement(layer *etree.Element) layerKey {
	id, _ := strconv.ParseUint(layer.SelectAttrValue("id", ""), 10, 64)
	return layerKey{id, layer.SelectAttrValue("name", "")}
}

// editDim changes one length of one port.
func (e *editor) editDim(doc *etree.Document) (string, layerKey) {
	dim := e.pick(doc.FindElements("/net/layers/layer/*/port/dim"))
	if dim == nil {
		return "", layerKey{}
	}
	old := dim.Text()
	n, _ := strconv.Atoi(old)
	dim.SetText(strconv.Itoa(n + 1 + e.rng.IntN(3)*(n+1)))
	layer := dim.Parent().Parent().Parent()
	return fmt.Sprintf("dim %s of port %s is %s", old, dim.Parent().SelectAttrValue("id", ""), dim.Text()), keyOfElement(layer)
}

// editPrecision changes the precision of one port.
func (e *editor) editPrecision(doc *etree.Document) (string, layerKey) {
	port := e.pick(doc.FindElements("/net/layers/layer/*/port[@precision]"))
	if port == nil {
		return "", layerKey{}
	}
	attr := port.SelectAttr("precision")
	old := attr.Value
	attr.Value = map[bool]string{true: "U16", false: "F8E5M2"}[e.rng.IntN(2) == 0]
	if old == attr.Value {
		return "", layerKey{}
	}
	return fmt.Sprintf("precision %s of port %s is %s", old, port.SelectAttrValue("id", ""), attr.Value), keyOfElement(port.Parent().Parent())
}

// editAttribute changes a number, a word or a type in the data of one layer.
func (e *editor) editAttribute(doc *etree.Document) (string, layerKey) {
	data := e.pick(doc.FindElements("/net/layers/layer/data"))
	if data == nil || len(data.Attr) == 0 {
		return "", layerKey{}
	}
	attr := &data.Attr[e.rng.IntN(len(data.Attr))]
	old := attr.Value
	items := strings.Split(old, ",")
	i := e.rng.IntN(len(items))
	item := strings.TrimSpace(items[i])
	switch n, err := strconv.Atoi(item); {
	case err == nil:
		items[i] = strconv.Itoa(n + 1 - 2*e.rng.IntN(2))
	case item == "true":
		items[i] = "false"
	case item == "false":
		items[i] = "true"
	default:
		if _, err := ir.ParseElementType(item); err != nil {
			return "", layerKey{}
		}
		items[i] = "u16"
	}
	attr.Value = strings.Join(items, ",")
	return fmt.Sprintf("%s %q of %s is %q", attr.Key, old, data.Parent().SelectAttrValue("name", ""), attr.Value), keyOfElement(data.Parent())
}

// editEdge changes the start of an edge to that of another edge.
func (e *editor) editEdge(doc *etree.Document) (string, layerKey) {
	edges := doc.FindElements("/net/edges/edge")
	edge, other := e.pick(edges), e.pick(edges)
	if edge == nil {
		return "", layerKey{}
	}
	for _, name := range []string{"from-layer", "from-port"} {
		edge.SelectAttr(name).Value = other.SelectAttrValue(name, "")
	}
	to := edge.SelectAttrValue("to-layer", "")
	for _, layer := range layers(doc) {
		if layer.SelectAttrValue("id", "") == to {
			return fmt.Sprintf("edge to port %s of layer %s starts at layer %s", edge.SelectAttrValue("to-port", ""), to, other.SelectAttrValue("from-layer", "")), keyOfElement(layer)
		}
	}
	return "", layerKey{}
}
