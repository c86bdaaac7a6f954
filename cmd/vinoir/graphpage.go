package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"strconv"
	"strings"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/explain"
	"github.com/vinoir/vinoir/ir/infer"
)

// pageHTML has the hashes of the style and the script, which a test computes: crypto/sha256 would
// add 176,128 bytes to the command.
//
//go:embed graphpage.html
var pageHTML string

//go:embed graphpage.css
var pageCSS string

//go:embed graphpage.js
var pageJS string

// graphPage is a page that shows a model. It has everything in it: the policy in it forbids
// browsers to load anything, and to run any other script.
type graphPage struct {
	*scene
	rules   infer.Rules
	profile *profile
	machine *peaks

	names   nameCutter
	text    int // bytes of attributes so far
	origins pageOrigins
	weights int // limit of elements for each constant
}

// maxPageText bounds the attributes of all layers in a page.
const maxPageText = 16 << 20

// pageLayer is a layer in a page. Layers are identified by their numbers in the list of all layers.
type pageLayer struct {
	ID      uint64       `json:"id"`
	Name    string       `json:"name"`
	Type    string       `json:"type"`
	Opset   string       `json:"opset"`
	Line    int          `json:"line,omitempty"`
	Kind    int          `json:"kind"`
	Title   string       `json:"title,omitempty"`
	Lines   []string     `json:"lines,omitempty"`
	Box     []float64    `json:"box,omitempty"` // x, y, width and height, if it is drawn
	Into    *int         `json:"into,omitempty"`
	Inputs  [][2]int     `json:"in"` // layer and output
	Outputs []pageOutput `json:"out"`
	// Attributes and Info have names and values: of the data and rt_info elements.
	Attributes [][2]string   `json:"attributes,omitempty"`
	Info       [][2]string   `json:"info,omitempty"`
	Bodies     []pageBody    `json:"bodies,omitempty"`
	Constant   *pageConstant `json:"constant,omitempty"`
}

type pageOutput struct {
	Type  string   `json:"type"`
	Shape string   `json:"shape"`
	Names []string `json:"names,omitempty"`
	Dims  []int    `json:"dims,omitempty"` // origins
	Label string   `json:"label,omitempty"`
	Start float64  `json:"start,omitempty"` // of the edges, relative to the middle of the box
}

// pageBody is a body and its connections.
type pageBody struct {
	Graph     int      `json:"graph"`
	Inputs    []string `json:"inputs,omitempty"`
	Outputs   []string `json:"outputs,omitempty"`
	BackEdges []string `json:"back_edges,omitempty"`
}

type pageConstant struct {
	Offset     *uint64           `json:"offset,omitempty"` // in the .bin; nil if it is not there
	Size       uint64            `json:"size"`
	Values     string            `json:"values,omitempty"` // of a small one
	Statistics *weightStatistics `json:"statistics,omitempty"`
}

// pageEdge is from, output, to and input; then whether it is direct; then the coordinates of its
// points.
type pageEdge []float64

// pageFinding is a finding; Layer is nil if it is not about a layer that is in the page.
type pageFinding struct {
	Layer    *int   `json:"layer,omitempty"`
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
}

// pageOrigin is origin, with numbers of layers.
type pageOrigin struct {
	Layer  int         `json:"layer"`
	Text   string      `json:"text"` // "dim 0 = 3"
	Source string      `json:"source"`
	Causes []pageCause `json:"causes,omitempty"`
}

type pageCause struct {
	Origin int   `json:"origin"`
	Merged bool  `json:"merged,omitempty"`
	Via    []int `json:"via,omitempty"`
}

// pageProfile is profile, with the numbers of the layers. -1 is a layer that the compiler has
// inserted.
type pageProfile struct {
	*profile
	At    []int   `json:"at"`
	Fused [][]int `json:"fused_at"`
	Peaks *peaks  `json:"peaks"`
}

// originKey identifies an origin. Each explanation has origins of its own, which say the same about
// the same part of a tensor, unless it was cut.
type originKey struct {
	layer         *ir.Layer
	output, index int
	aspect        explain.Aspect
	cut           bool
}

// pageOrigins is a list of distinct origins.
type pageOrigins struct {
	numbers map[originKey]int
	list    []*explain.Origin
}

// number returns the index of o, which it adds if it is not in the list.
func (l *pageOrigins) number(o *explain.Origin) int {
	key := originKey{o.Layer, o.Output, o.Index, o.Aspect, o.Source == explain.SourceCut}
	n, ok := l.numbers[key]
	if !ok {
		n = len(l.list)
		l.numbers[key], l.list = n, append(l.list, o)
	}
	return n
}

// write writes the page.
func (p *graphPage) write(ctx context.Context, w *bufio.Writer) error {
	list := jsonList{app: &app{stdout: w}}
	before, rest, _ := strings.Cut(pageHTML, "STYLE")
	list.raw(before + pageCSS)
	before, rest, _ = strings.Cut(rest, "DATA")
	list.raw(before)
	if err := p.writeData(ctx, &list); err != nil {
		return err
	}
	before, rest, _ = strings.Cut(rest, "SCRIPT")
	list.raw(before + pageJS + rest)
	return list.err
}

// writeData writes the model as JSON.
func (p *graphPage) writeData(ctx context.Context, list *jsonList) error {
	constants := 0
	for _, l := range p.layers {
		if l.Constant != nil {
			constants++
		}
	}
	p.weights = max(maxWeights/max(constants, 1), leastWeights)
	p.origins.numbers = make(map[originKey]int)
	dims, err := p.explain(ctx)
	if err != nil {
		return err
	}
	list.raw(`{"model":`)
	p.value(list, p.name)
	list.raw(`,"name":`)
	p.value(list, printable.Cut(p.model.Name, maxName))
	list.raw(`,"version":` + strconv.Itoa(p.model.Version) + `,"layers":[`)
	for _, l := range p.layers {
		layer, err := p.layer(ctx, l, dims)
		if err != nil {
			return err
		}
		p.value(list, layer)
	}
	list.raw(`],"graphs":[`)
	for i, g := range p.graphs {
		if i > 0 {
			list.raw(",")
		}
		list.raw(`{"width":` + svgNumber(g.width) + `,"height":` + svgNumber(g.height) + `,"boxes":[`)
		for _, l := range g.boxes {
			p.value(list, l.number)
		}
		list.raw(`],"edges":[`)
		for k := range g.edges {
			p.value(list, edgeOf(&g.edges[k]))
		}
		list.raw("]}")
	}
	list.raw(`],"findings":[`)
	for i := range p.report.Findings {
		f := &p.report.Findings[i]
		finding := pageFinding{Rule: f.Rule, Severity: f.Severity.String(), Line: f.Line, Message: printable.Cut(f.Message, maxMessage)}
		if l := p.places[f.Layer]; l != nil {
			finding.Layer = &l.number
		}
		p.value(list, finding)
	}
	list.raw(`],"origins":[`)
	for i := 0; i < len(p.origins.list); i++ { // origin can append to the list
		p.value(list, p.origin(p.origins.list[i]))
	}
	list.raw("]")
	if p.profile != nil {
		list.raw(`,"profile":`)
		p.value(list, p.times())
	}
	list.raw("}")
	return list.err
}

// value writes v, in which no tag of HTML can begin.
func (p *graphPage) value(list *jsonList, v any) {
	text, err := marshal(v)
	if list.err == nil {
		list.err = err
	}
	begun := list.begun
	if begun {
		list.raw(",")
	}
	list.raw(string(bytes.ReplaceAll(text, []byte("<"), []byte(`\u003c`))))
	list.begun = true
}

// explain returns the origins of the dims of the outputs of layers. It explains as much as an
// Explainer does.
func (p *graphPage) explain(ctx context.Context) (map[*ir.Layer][][]int, error) {
	dims := make(map[*ir.Layer][][]int)
	if p.model.LacksValues() {
		return dims, nil // what is assumed cannot be explained
	}
	explainer := explain.NewExplainer(p.model, p.rules, p.report.Shapes)
	for _, l := range p.layers {
		if l.into != nil || l.Type == "Result" {
			continue
		}
		for i := range l.outputs {
			if explainer.Spent() {
				return dims, nil
			}
			e, err := explainer.Output(ctx, l.Layer, i)
			if err != nil {
				return nil, err
			}
			numbers := []int{}
			for _, o := range e.Dims {
				numbers = append(numbers, p.origins.number(o))
			}
			dims[l.Layer] = append(dims[l.Layer], numbers)
		}
	}
	return dims, nil
}

func (p *graphPage) origin(o *explain.Origin) pageOrigin {
	d := pageOrigin{Layer: p.number(o.Layer), Text: o.Aspect.String() + " " + strconv.Itoa(o.Index) + " = " + o.Text(), Source: o.Source.String()}
	if o.Aspect == explain.AspectRank || o.Aspect == explain.AspectValues {
		d.Text = o.Aspect.String() + " " + o.Text()
	}
	for i := range o.Causes {
		c := &o.Causes[i]
		cause := pageCause{Origin: p.origins.number(c.Origin), Merged: c.Merged}
		for _, layer := range c.Via {
			cause.Via = append(cause.Via, p.number(layer))
		}
		d.Causes = append(d.Causes, cause)
	}
	return d
}

// number returns the number of a layer; -1 if it is not in the scene.
func (p *graphPage) number(layer *ir.Layer) int {
	if l := p.places[layer]; l != nil {
		return l.number
	}
	return -1
}

func edgeOf(e *sceneEdge) pageEdge {
	edge := pageEdge{float64(e.from.number), float64(e.output), float64(e.to.number), float64(e.input), 0}
	if e.direct {
		edge[4] = 1
	}
	for _, point := range e.points {
		edge = append(edge, point.X, point.Y)
	}
	return edge
}

func (p *graphPage) layer(ctx context.Context, l *sceneLayer, dims map[*ir.Layer][][]int) (*pageLayer, error) {
	d := &pageLayer{
		ID: l.ID, Name: printable.Cut(l.Name, maxName), Type: printable.Cut(l.Type, maxType), Opset: printable.Cut(l.Opset, maxType),
		Line: l.Line, Kind: layerKind(l.Type), Inputs: [][2]int{}, Outputs: []pageOutput{},
	}
	if l.into != nil {
		d.Into = &l.into.number
	} else {
		d.Title, d.Lines = l.title(), l.lines
		d.Box = []float64{l.at.X, l.at.Y, l.size.Width, l.size.Height}
	}
	for i := range l.Inputs {
		d.Inputs = append(d.Inputs, [2]int{p.number(l.Inputs[i].Source), l.Inputs[i].SourceIndex})
	}
	starts := l.starts()
	for i := range l.outputs {
		out := pageOutput{Type: l.outputs[i].Type.String(), Shape: l.outputs[i].Shape.String()}
		if i < len(l.Layer.Outputs) {
			out.Names = p.names.cut(l.Layer.Outputs[i].Names)
		}
		if i < len(dims[l.Layer]) {
			out.Dims = dims[l.Layer][i]
		}
		if l.into == nil && l.Type != "Result" && (i == 0 || l.spread()) {
			out.Label, out.Start = l.label(i), starts[i]
		}
		d.Outputs = append(d.Outputs, out)
	}
	for i := range l.Data {
		d.Attributes = p.attribute(d.Attributes, l.Data[i].Name, l.Data[i].Value)
	}
	if l.RTInfo != nil {
		for _, e := range l.RTInfo.ChildElements() {
			d.Info = p.info(d.Info, e)
		}
	}
	for i := range l.Layer.Bodies {
		d.Bodies = append(d.Bodies, p.body(&l.Layer.Bodies[i], l.bodies[i]))
	}
	if l.Type != "Constant" {
		return d, nil
	}
	d.Constant = &pageConstant{Size: bytesOf(l.Layer)}
	if inBin(l.Layer) {
		d.Constant.Offset = &l.Const.Offset
	}
	if t := l.Constant; t != nil {
		var err error
		if d.Constant.Statistics, err = statisticsOf(ctx, t, p.weights); err != nil {
			return nil, err
		}
		d.Constant.Values = elementsText(t)
		p.model.Discard(t)
	}
	return d, nil
}

// attribute adds an attribute, unless the page has too much text.
func (p *graphPage) attribute(list [][2]string, name, value string) [][2]string {
	pair := [2]string{printable.Cut(name, maxType), printable.Cut(value, maxName)}
	if p.text += len(pair[0]) + len(pair[1]); p.text > maxPageText {
		return list
	}
	return append(list, pair)
}

// info adds an element of rt_info: its name, or its attributes, as OpenVINO writes them.
func (p *graphPage) info(list [][2]string, e *etree.Element) [][2]string {
	name := e.SelectAttrValue("name", e.Tag)
	value := e.SelectAttrValue("value", "")
	if value == "" {
		for _, a := range e.Attr {
			if a.Key != "name" && a.Key != "version" {
				value += a.Key + "=" + printable.Cut(a.Value, maxName) + " "
			}
			if len(value) > maxName {
				break
			}
		}
	}
	return p.attribute(list, name, value)
}

// maxPorts bounds the connections of a body that are listed.
const maxPorts = 200

func (p *graphPage) body(b *ir.Body, graph int) pageBody {
	d := pageBody{Graph: graph}
	port := func(kind string, at *ir.BodyPort) string {
		text := kind + " " + strconv.Itoa(at.External)
		if at.External < 0 {
			text = printable.Cut(at.Purpose, maxType)
		}
		text += ": " + printable.Cut(at.Internal.Name, maxCell)
		if at.Sliced {
			text += ", in parts of " + strconv.FormatInt(at.PartSize, 10) + " along axis " + strconv.FormatInt(at.Axis, 10)
		}
		return text
	}
	for i := range b.Inputs[:min(len(b.Inputs), maxPorts)] {
		d.Inputs = append(d.Inputs, port("input", &b.Inputs[i]))
	}
	for i := range b.Outputs[:min(len(b.Outputs), maxPorts)] {
		d.Outputs = append(d.Outputs, port("output", &b.Outputs[i]))
	}
	for _, e := range b.BackEdges[:min(len(b.BackEdges), maxPorts)] {
		d.BackEdges = append(d.BackEdges, printable.Cut(e.From.Name, maxCell)+" → "+printable.Cut(e.To.Name, maxCell))
	}
	return d
}

// elementsText returns the first elements of a constant as text.
func elementsText(t *ir.Tensor) string {
	const most = 24
	text := ""
	n := min(t.Len(), most)
	switch {
	case t.ElementType() == ir.String:
		for _, s := range t.Strings()[:n] {
			text += strconv.Quote(printable.Cut(s, maxCell)) + " "
		}
	case hasNumbers(t.ElementType()):
		text = strings.Join(numbersOf(t, n), " ") + " "
	}
	if t.Len() > n && text != "" {
		text += "…"
	}
	return text
}

// times returns the profile with the numbers of its layers.
func (p *graphPage) times() *pageProfile {
	named := make(map[fusedNode]int)
	for _, l := range p.graphs[0].layers {
		key := fusedNode{printable.Cut(l.Name, maxName), printable.Cut(l.Type, maxType)}
		if _, ok := named[key]; !ok {
			named[key] = l.number
		}
	}
	at := func(name, layerType string) int {
		if n, ok := named[fusedNode{name, layerType}]; ok {
			return n
		}
		return -1
	}
	d := &pageProfile{profile: p.profile, At: []int{}, Fused: [][]int{}, Peaks: p.machine}
	for _, layer := range p.profile.Layers {
		d.At = append(d.At, at(layer.Name, layer.Type))
		fused := []int{}
		for _, f := range layer.Fused {
			fused = append(fused, at(f.Name, f.Type))
		}
		d.Fused = append(d.Fused, fused)
	}
	return d
}
