package main

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/plugin"
)

// embedCode is what the Go code of an embedded model says. It is written as gofmt formats it:
// go/format would make the command larger by a printer and a parser.
type embedCode struct {
	Package, Source, Model string
	Families               []string
	Inputs, Outputs        []embedPort
	HasBin, Stateful       bool
}

// embedPort is an input or output in Go code.
type embedPort struct {
	// Field is the field with the elements. If the shape is not static, the field FieldShape has
	// it.
	Field  string
	Type   ir.ElementType
	Shape  ir.PartialShape
	Static ir.Shape // nil if Shape is not static
	Name   string   // in the model, quoted
}

// embedPorts returns the ports with fields that differ. kind is the name of those whose names have
// no letters.
func embedPorts(kind string, ports []plugin.Port) []embedPort {
	list := make([]embedPort, len(ports))
	used := make(map[string]int) // the fields, and the last number after each name
	for i, port := range ports {
		// Tensors are named for what they are, layers for where they are: the last words say most.
		name, words := port.Name, 2
		if len(port.Names) > 0 {
			name, words = port.Names[0], maxIdentifier
		}
		list[i] = embedPort{Type: port.Type, Shape: port.Shape, Name: printable.Quote(name, maxType)}
		if static, err := port.Shape.Static(); err == nil {
			list[i].Static = append(ir.Shape{}, static...) // not nil
		}
		name = identifier(lastWords(name, words), kind, i)
		field := name
		for used[field] > 0 || list[i].isShaped() && used[field+"Shape"] > 0 {
			used[name]++
			field = name + "_" + strconv.Itoa(used[name])
		}
		list[i].Field = field
		used[field]++
		if list[i].isShaped() {
			used[field+"Shape"]++
		}
	}
	return list
}

// isShaped reports whether the port has a field for its shape.
func (p *embedPort) isShaped() bool { return p.Static == nil && p.Type != ir.Dynamic }

// lastWords returns the end of a name with at most n of its words.
func lastWords(name string, n int) string {
	rest := name
	for range n {
		rest = strings.TrimRightFunc(rest, isBetweenWords)
		rest = strings.TrimRightFunc(rest, func(r rune) bool { return !isBetweenWords(r) })
	}
	return name[len(rest):]
}

// isBetweenWords reports whether r is no part of a word.
func isBetweenWords(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// maxIdentifier is the number of characters of a name that an identifier keeps.
const maxIdentifier = 40

// identifier returns an exported identifier for port number i of a name: the words of the name,
// each with an upper-case first letter. kind comes before names that do not start with a letter
// that has an upper case.
func identifier(name, kind string, i int) string {
	text, start, n := "", true, 0
	for _, r := range name {
		if isBetweenWords(r) {
			start = true
			continue
		}
		if n++; n > maxIdentifier {
			break
		}
		if start {
			r = unicode.ToUpper(r)
		}
		text += string(r)
		start = false
	}
	if text == "" {
		return kind + strconv.Itoa(i)
	}
	if first, _ := utf8.DecodeRuneInString(text); !unicode.IsUpper(first) {
		return kind + text
	}
	return text
}

// goType returns the Go type of the field for elements of type t.
func goType(t ir.ElementType) string {
	switch t {
	case ir.Dynamic:
		return "*ir.Tensor"
	case ir.Boolean:
		return "[]bool"
	case ir.F16:
		return "[]float16.Float16"
	case ir.BF16:
		return "[]ir.BFloat16"
	case ir.F32:
		return "[]float32"
	case ir.F64:
		return "[]float64"
	case ir.String:
		return "[]string"
	}
	switch bits := strconv.Itoa(t.Size() * 8); {
	case t.Size() == 0 || !t.IsInteger():
		return "[]byte"
	case t.Kind() == ir.KindSigned:
		return "[]int" + bits
	default:
		return "[]uint" + bits
	}
}

// isRaw reports whether the elements of type t are bytes without a Go type of their own.
func isRaw(t ir.ElementType) bool { return goType(t) == "[]byte" }

// length returns an expression of the length of the field of a port with a static shape.
func (p *embedPort) length() string {
	if n, err := ir.ByteSize(p.Type, p.Static); err == nil && isRaw(p.Type) {
		return strconv.Itoa(n)
	}
	if len(p.Static) == 0 {
		return "1"
	}
	return strings.Join(lengths(p.Static), " * ")
}

func lengths(shape ir.Shape) []string {
	list := make([]string, len(shape))
	for i, n := range shape {
		list[i] = strconv.Itoa(n)
	}
	return list
}

// codeWriter collects code.
type codeWriter struct{ strings.Builder }

// add adds text with the first of args in place of $1, and so on.
func (w *codeWriter) add(text string, args ...string) {
	for {
		before, after, found := strings.Cut(text, "$")
		w.WriteString(before)
		if !found {
			return
		}
		w.WriteString(args[after[0]-'1'])
		text = after[1:]
	}
}

// text returns the code.
func (c *embedCode) text() string {
	w := new(codeWriter)
	w.add(`$1$2; DO NOT EDIT.

// Package $3 runs the model $4, which is embedded in it.
//
//	m, err := $3.New($3.Options{})
//	outputs, err := m.Infer(ctx, $3.Inputs{...})
package $3

`, generated, printable.Quote(c.Source, maxType), c.Package, printable.Quote(c.Model, maxType))
	c.addImports(w)
	w.add("//go:embed $1\nvar xml []byte\n\n", embedXML)
	bin := "nil"
	if c.HasBin {
		bin = "bin"
		w.add("//go:embed $1\nvar bin []byte\n\n", embedBin)
	}
	addPorts(w, "Input", c.Inputs)
	addPorts(w, "Output", c.Outputs)
	list := ""
	for _, family := range c.Families {
		list += "\t\t" + layerTypesOf(family) + ",\n"
	}
	w.add(embeddedModel, list, bin)
	c.addInfer(w)
	if c.Stateful {
		w.add(embeddedSession)
	}
	return w.String()
}

func (c *embedCode) addImports(w *codeWriter) {
	w.add("import (\n\t\"context\"\n\t_ \"embed\"\n")
	if len(c.Inputs) > 0 {
		w.add("\t\"fmt\"\n")
	}
	w.add("\t\"slices\"\n\t\"sync\"\n\n")
	packages := append([]string{"github.com/vinoir/vinoir/ir/irxml", "github.com/vinoir/vinoir/plugin"}, c.Families...)
	if len(c.Inputs)+len(c.Outputs) > 0 {
		packages = append(packages, "github.com/vinoir/vinoir/ir")
	}
	if hasType(c.Inputs, ir.F16) || hasType(c.Outputs, ir.F16) {
		packages = append(packages, "github.com/x448/float16")
	}
	slices.Sort(packages)
	for _, name := range packages {
		w.add("\t\"$1\"\n", name)
	}
	w.add(")\n\n")
}

// hasType reports whether a port has the given type.
func hasType(ports []embedPort, t ir.ElementType) bool {
	for i := range ports {
		if ports[i].Type == t {
			return true
		}
	}
	return false
}

// addPorts adds the struct of the inputs or outputs, and constants of their lengths.
func addPorts(w *codeWriter, kind string, ports []embedPort) {
	lengths := ""
	for i := range ports {
		if p := &ports[i]; p.Static != nil && p.Type != ir.Dynamic {
			name := kind + p.Field + "Len"
			lengths += "\t// " + name + " is the length of " + kind + "s." + p.Field + ".\n\t" + name + " = " + p.length() + "\n"
		}
	}
	if lengths != "" {
		w.add("// The lengths of the fields of $1s whose shapes are fixed.\nconst (\n$2)\n\n", kind, lengths)
	}
	lower := strings.ToLower(kind)
	w.add("// $1s has the $2s of the model, in row-major order.\ntype $1s struct {\n", kind, lower)
	for i := range ports {
		p := &ports[i]
		how := ""
		if isRaw(p.Type) {
			how = ", as in ir.TensorOfBytes"
		}
		w.add("\t// $1 is $2 $3, $4: $5$6$7.\n\t$1 $8\n",
			p.Field, lower, strconv.Itoa(i), p.Name, p.Type.String(), p.Shape.String(), how, goType(p.Type))
		if p.isShaped() {
			w.add("\t// $1Shape is the shape of $1.\n\t$1Shape ir.Shape\n", p.Field)
		}
	}
	w.add("}\n\n")
}

// addInfer adds Infer.
func (c *embedCode) addInfer(w *codeWriter) {
	w.add("// Infer computes the outputs, which the caller owns. It reads the slices of inputs without a copy.\n")
	reset := ""
	if c.Stateful {
		w.add("// The variables of the model start from their initial values; a Session keeps them.\n")
		reset = "\tif err := reset(request); err != nil {\n\t\treturn nil, err\n\t}\n"
	}
	w.add(`func (m *Model) Infer(ctx context.Context, inputs Inputs) (*Outputs, error) {
	request := m.requests.Get().(*plugin.InferRequest)
	defer m.requests.Put(request)
$1	return infer(ctx, request, inputs)
}

func infer(ctx context.Context, request *plugin.InferRequest, inputs Inputs) (outputs *Outputs, err error) {
`, reset)
	if len(c.Inputs) > 0 {
		w.add("\tvar in [$1]*ir.Tensor\n", strconv.Itoa(len(c.Inputs)))
		for i := range c.Inputs {
			p := &c.Inputs[i]
			w.add(`	if in[$1], err = $2; err != nil {
		return nil, fmt.Errorf("Inputs.$3: %w", err)
	}
`, strconv.Itoa(i), p.tensor(), p.Field)
		}
		w.add(`	for i, tensor := range in {
		if err := request.SetInput(i, tensor); err != nil {
			return nil, err
		}
	}
`)
	}
	w.add("\tif err := request.Infer(ctx); err != nil {\n\t\treturn nil, err\n\t}\n\toutputs = new(Outputs)\n")
	if len(c.Outputs) > 0 {
		w.add(`	out, err := request.CopyOutputs(ctx)
	if err != nil {
		return nil, err
	}
`)
	}
	for i := range c.Outputs {
		p, index := &c.Outputs[i], strconv.Itoa(i)
		switch {
		case p.Type == ir.Dynamic:
			w.add("\toutputs.$1 = out[$2]\n", p.Field, index)
		case isRaw(p.Type):
			w.add("\toutputs.$1 = out[$2].Bytes()\n", p.Field, index)
		default:
			w.add(`	if outputs.$1, err = ir.DataOf[$2](out[$3]); err != nil {
		return nil, err
	}
`, p.Field, goType(p.Type)[len("[]"):], index)
		}
		if p.isShaped() {
			w.add("\toutputs.$1Shape = out[$2].Shape()\n", p.Field, index)
		}
	}
	w.add("\treturn outputs, nil\n}\n")
}

// tensor returns an expression of the tensor of an input.
func (p *embedPort) tensor() string {
	shape := "inputs." + p.Field + "Shape"
	if p.Static != nil {
		shape = "ir.Shape{" + strings.Join(lengths(p.Static), ", ") + "}"
	}
	function := "TensorOf(ir." + constantOf(p.Type) + ", "
	switch {
	case p.Type == ir.String:
		function = "StringTensor("
	case isRaw(p.Type):
		function = "TensorOfBytes(ir." + constantOf(p.Type) + ", "
	}
	return "ir." + function + shape + ", inputs." + p.Field + ")"
}

// constantOf returns the name of t in package ir.
func constantOf(t ir.ElementType) string {
	if t == ir.Boolean {
		return "Boolean"
	}
	return strings.ToUpper(t.String())
}

// embeddedModel is the code of the type Model and its constructor.
const embeddedModel = `// Model is the compiled model. It is safe for concurrent use.
type Model struct {
	compiled *plugin.CompiledModel
	requests sync.Pool // of *plugin.InferRequest, to reuse their memory
}

// Options are options of New. Zero fields mean the defaults.
type Options struct {
	// CompileOptions are threads, precision, the new shapes of inputs and others.
	plugin.CompileOptions
	// Limits bounds the memory that the model can ask for.
	Limits plugin.Options
}

// New compiles the model.
func New(options Options) (*Model, error) {
	registry, err := plugin.NewRegistry(slices.Concat(
$1	)...)
	if err != nil {
		return nil, err
	}
	model, err := irxml.Read(xml, $2, irxml.ReadOptions{})
	if err != nil {
		return nil, err
	}
	compiled, err := plugin.NewCore(registry, options.Limits).CompileModel(context.Background(), model, options.CompileOptions)
	if err != nil {
		return nil, err
	}
	m := &Model{compiled: compiled}
	m.requests.New = func() any { return compiled.NewInferRequest() }
	return m, nil
}

// Compiled returns the compiled model, to create InferRequests and Queues, for example.
func (m *Model) Compiled() *plugin.CompiledModel { return m.compiled }

`

// embeddedSession is the code for models with variables.
const embeddedSession = `
// Session keeps the variables of the model from one Infer to the next. It is safe for concurrent use; its calls
// run one after the other.
type Session struct {
	mu      sync.Mutex
	request *plugin.InferRequest
}

// NewSession returns a Session whose variables have their initial values.
func (m *Model) NewSession() *Session { return &Session{request: m.compiled.NewInferRequest()} }

// Infer computes the outputs, which the caller owns, from inputs and the variables.
func (s *Session) Infer(ctx context.Context, inputs Inputs) (*Outputs, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return infer(ctx, s.request, inputs)
}

// Reset gives the variables their initial values.
func (s *Session) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return reset(s.request)
}

func reset(request *plugin.InferRequest) error {
	for _, state := range request.QueryState() {
		if err := state.Reset(); err != nil {
			return err
		}
	}
	return nil
}
`
