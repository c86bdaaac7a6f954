package main

import (
	"cmp"
	"context"
	"maps"
	"math"
	"path"
	"slices"
	"sort"

	"github.com/beevik/etree"
	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/ops"
	"github.com/vinoir/vinoir/plugin"
)

// modelInfo is what info prints.
type modelInfo struct {
	Model   string `json:"model"`
	Name    string `json:"name"`
	Version int    `json:"version"` // of the IR, or that in which convert writes the model
	// OpenVINO is the version of OpenVINO that wrote the file, "" if the file does not say.
	OpenVINO string `json:"openvino"`
	// Framework has what the file says about where the model comes from. For an ONNX model, format
	// is "onnx", and the metadata of the file follows what made it.
	Framework map[string]string `json:"framework,omitempty"`
	Inputs    []portInfo        `json:"inputs"`
	Outputs   []portInfo        `json:"outputs"`
	// Variables are what the model keeps from one inference to the next.
	Variables []variableInfo `json:"variables,omitempty"`
	// Layers counts the layers that the outputs need, by type, including the layers in bodies.
	Layers map[string]int `json:"layers"`
	// Opsets counts the same layers by opset.
	Opsets map[string]int `json:"opsets"`
	// Weights counts the constants by element type.
	Weights map[string]*weightInfo `json:"weights"`
	// Parameters counts the elements of all constants, and BinUsed the bytes of the .bin, or of an
	// ONNX model, that they are in. Bytes that several constants share count once. BinBytes is the
	// length of the .bin, -1 without it.
	Parameters uint64 `json:"parameters"`
	BinUsed    uint64 `json:"bin_used"`
	BinBytes   int64  `json:"bin_bytes"`
	// Plan is what an inference takes, with --plan.
	Plan *planInfo `json:"plan,omitempty"`
	// Memory is what the model and an inference take, with --memory.
	Memory *memoryInfo `json:"memory,omitempty"`
	// Families are the packages with the layer types.
	Families []string `json:"families"`
	// Unsupported counts the layers that vinoir cannot run, by type and opset.
	Unsupported map[string]int `json:"unsupported"`
}

// planInfo is what an inference takes: see plugin.Cost.
type planInfo struct {
	Flops float64 `json:"flops"`
	Bytes int64   `json:"bytes"`
}

// memoryInfo is what a model and an inference take, in bytes: see plugin.Memory. File is
// modelInfo.BinUsed, and Peak the sum of File, Kept and Arena.
type memoryInfo struct {
	File    uint64 `json:"file"`
	Kept    int64  `json:"kept"`
	Arena   int64  `json:"arena"`
	Scratch int64  `json:"scratch"`
	Peak    uint64 `json:"peak"`
}

type portInfo struct {
	Name  string   `json:"name"`
	Names []string `json:"names"`
	Type  string   `json:"type"`
	Shape string   `json:"shape"`
	// Assumed means that Shape follows from dims in the file, because the .bin was not read.
	Assumed bool `json:"assumed,omitempty"`
}

// variableInfo is a variable. Name is its variable_id.
type variableInfo struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Shape string `json:"shape"`
}

type weightInfo struct {
	Constants int    `json:"constants"`
	Bytes     uint64 `json:"bytes"`
}

func (a *app) infoCommand() *cobra.Command {
	var flags modelFlags
	var plan, memory, goCode bool
	cmd := &cobra.Command{
		Use:   "info MODEL",
		Short: "Print the inputs, outputs, layers, weights and opsets of a model",
		Args:  oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(flags.shapes) > 0 && !plan && !memory {
				return usagef("--shape goes with --plan and --memory: the other lines are about the file")
			}
			m, err := a.read(cmd.Context(), &flags, args[0])
			if err != nil {
				return err
			}
			defer m.Close()
			info, err := a.inspect(cmd.Context(), m)
			if err != nil {
				return err
			}
			info.Model = nameOf(args[0])
			if plan || memory {
				cost, needs, err := a.plan(cmd.Context(), m, &flags)
				if err != nil {
					return err
				}
				if plan {
					info.Plan = &planInfo{cost.Flops, cost.Bytes}
				}
				if memory {
					peak := saturated(info.BinUsed, uint64(needs.Kept+needs.Arena))
					info.Memory = &memoryInfo{info.BinUsed, needs.Kept, needs.Arena, needs.Scratch, peak}
				}
			}
			if a.json {
				return a.printJSON(info)
			}
			if goCode {
				info.printGo(a)
				return nil
			}
			info.print(a)
			return nil
		},
	}
	flags.add(cmd)
	flags.addNoBin(cmd)
	cmd.Flags().BoolVar(&plan, "plan", false, "compile the model, and print the operations and the memory of an inference")
	cmd.Flags().BoolVar(&memory, "memory", false, "compile the model, and print the memory that it and an inference take")
	cmd.Flags().BoolVar(&goCode, "go", false, "print only Go code that registers the layer types of the model, for a small program")
	flags.addShape(cmd)
	flags.memory.add(cmd)
	return cmd
}

// compile compiles m with the shapes and the memory limit of flags.
func (a *app) compile(ctx context.Context, m *ir.Model, flags *modelFlags) (*plugin.CompiledModel, error) {
	limits, err := flags.memory.options()
	if err != nil {
		return nil, err
	}
	shapes, err := flags.reshape(m)
	if err != nil {
		return nil, err
	}
	return plugin.NewCore(a.registry, limits).CompileModel(ctx, m, plugin.CompileOptions{Reshape: shapes})
}

// plan returns what m and an inference take.
func (a *app) plan(ctx context.Context, m *ir.Model, flags *modelFlags) (cost plugin.Cost, needs plugin.Memory, err error) {
	compiled, err := a.compile(ctx, m, flags)
	if err != nil {
		return cost, needs, err
	}
	defer compiled.Close()
	cost, ok := compiled.Cost()
	if !ok {
		return cost, needs, usagef("the shapes of the inputs are not static: give them with --shape")
	}
	needs, _ = compiled.Memory()
	return cost, needs, nil
}

// portInfos returns what info prints of ports.
func portInfos(ports []plugin.Port) []portInfo {
	infos := make([]portInfo, len(ports))
	var names nameCutter
	for i, p := range ports {
		infos[i] = portInfo{printable.Cut(p.Name, maxName), names.cut(p.Names), p.Type.String(), p.Shape.String(), false}
	}
	return infos
}

func (a *app) inspect(ctx context.Context, m *ir.Model) (*modelInfo, error) {
	info := &modelInfo{
		Name: printable.Cut(m.Name, maxName), Version: m.Version,
		Families: []string{}, Layers: map[string]int{}, Opsets: map[string]int{}, Weights: map[string]*weightInfo{}, Unsupported: map[string]int{},
	}
	// If a layer cannot be inferred, its shapes are those in the file.
	shapes, err := infer.PropagateWith(ctx, m, a.registry, infer.Options{AssumeDeclared: true})
	if shapes == nil {
		return nil, err
	}
	inputs, outputs := plugin.Ports(m, shapes)
	info.Inputs, info.Outputs = portInfos(inputs), portInfos(outputs)
	info.Variables = variablesOf(m, shapes)
	var constants []*ir.Layer
	for i, result := range m.Results {
		info.Outputs[i].Assumed = shapes.Tentative(result)
	}
	for layer := range m.AllLayers() {
		info.add(layer)
		info.Families = addFamily(info.Families, ops.Extension(layer.Type, layer.Opset))
		if layer.Type == "Constant" {
			constants = append(constants, layer)
			info.Parameters = saturated(info.Parameters, elementsOf(layer))
		}
	}
	for t := range info.Layers {
		info.Families = addFamily(info.Families, ops.Family(t))
	}
	slices.Sort(info.Families)
	info.BinUsed, info.BinBytes = usedBytes(constants), m.BinSize
	if m.RTInfo != nil {
		if written := m.RTInfo.SelectElement("Runtime_version"); written != nil {
			info.OpenVINO = printable.Cut(written.SelectAttrValue("value", ""), maxName)
		}
		info.Framework = frameworkOf(m.RTInfo)
	}
	unsupported, err := a.core.QueryModel(ctx, m)
	if err != nil {
		return nil, err
	}
	if unsupported != nil {
		for _, at := range unsupported.Layers {
			info.Unsupported[printable.Cut(at.Layer.Type, maxType)+" ("+printable.Cut(at.Layer.Opset, maxType)+")"]++
		}
	}
	return info, nil
}

// variablesOf returns the variables that layers of m, also in bodies, read.
func variablesOf(m *ir.Model, shapes *infer.Shapes) []variableInfo {
	var variables []variableInfo
	known := make(map[string]bool)
	for layer, shapes := range shapes.AllLayers(m) {
		id := ir.AttributesOf(layer).String("variable_id", "")
		if layer.Type != "ReadValue" || known[id] {
			continue
		}
		known[id] = true
		value := shapes.Outputs(layer)[0]
		variables = append(variables, variableInfo{printable.Cut(id, maxName), value.Type.String(), value.Shape.String()})
	}
	return variables
}

// frameworkOf returns the entries of the element framework of an rt_info, which are where the model
// comes from; nil if there are none.
func frameworkOf(info *etree.Element) map[string]string {
	framework := info.SelectElement("framework")
	if framework == nil {
		return nil
	}
	entries := make(map[string]string)
	for _, e := range framework.ChildElements() {
		if value := e.SelectAttrValue("value", ""); value != "" && len(entries) < maxFramework {
			entries[printable.Cut(e.Tag, maxName)] = printable.Cut(value, maxName)
		}
	}
	return entries
}

// maxFramework is the number of entries of a framework that info prints.
const maxFramework = 100

// addFamily adds the path of a package to families, unless it is there or "".
func addFamily(families []string, family string) []string {
	if family != "" && !slices.Contains(families, family) {
		return append(families, family)
	}
	return families
}

func (info *modelInfo) add(layer *ir.Layer) {
	info.Layers[printable.Cut(layer.Type, maxType)]++
	info.Opsets[printable.Cut(layer.Opset, maxType)]++
	if layer.Type != "Constant" {
		return
	}
	t := ir.AttributesOf(layer).ElementType("element_type", ir.Dynamic).String()
	if info.Weights[t] == nil {
		info.Weights[t] = &weightInfo{}
	}
	info.Weights[t].Constants++
	info.Weights[t].Bytes += bytesOf(layer)
}

// printGo prints the imports and the expression of a registry with the families of the model.
func (info *modelInfo) printGo(a *app) {
	a.printf("import (\n\t\"slices\"\n\n")
	for _, family := range info.Families {
		a.printf("\t%q\n", family)
	}
	a.printf("\t\"github.com/vinoir/vinoir/plugin\"\n)\n\n")
	a.printf("// These are the families of the layers in the model. The optimizations of plugin insert layers of\n" +
		"// activation, attention, convert, eltwise, mvn, normalizel2, reshape, transpose, unary and variable too,\n" +
		"// if these are listed and it makes a model faster.\n")
	a.printf("registry, err := plugin.NewRegistry(slices.Concat(\n")
	for _, family := range info.Families {
		a.printf("\t%s,\n", layerTypesOf(family))
	}
	a.printf(")...)\n")
}

// saturated returns a + b, or the largest number if that is larger: without the .bin, nothing
// bounds the sizes in a file.
func saturated(a, b uint64) uint64 {
	if a+b < a {
		return math.MaxUint64
	}
	return a + b
}

func (info *modelInfo) print(a *app) {
	if info.Framework["format"] == "onnx" {
		a.printf("%s: %q, an ONNX model\n", info.Model, info.Name)
	} else {
		a.printf("%s: %q, IR version %d\n", info.Model, info.Name, info.Version)
	}
	if info.OpenVINO != "" {
		a.printf("written by OpenVINO %s\n", info.OpenVINO)
	}
	if len(info.Framework) > 0 {
		a.printf("framework:\n")
	}
	for _, key := range slices.Sorted(maps.Keys(info.Framework)) {
		a.printf("  %s: %s\n", key, info.Framework[key])
	}
	printPorts(a, "inputs", info.Inputs)
	printPorts(a, "outputs", info.Outputs)
	if len(info.Variables) > 0 {
		a.printf("variables, which vinoir.Session keeps from one inference to the next:\n")
	}
	for _, v := range info.Variables {
		a.printf("  %q %s%s\n", v.Name, v.Type, v.Shape)
	}
	printCounts(a, "layers", info.Layers)
	printCounts(a, "opsets", info.Opsets)
	a.printf("weights:\n")
	for _, t := range slices.Sorted(maps.Keys(info.Weights)) {
		w := info.Weights[t]
		a.printf("  %s: %d constants, %d bytes\n", t, w.Constants, w.Bytes)
	}
	a.printf("parameters: %d in %d bytes", info.Parameters, info.BinUsed)
	if info.Framework["format"] != "onnx" {
		a.printf(" of the .bin")
	}
	if info.BinBytes >= 0 {
		a.printf(", which has %d", info.BinBytes)
	}
	a.printf("\n")
	if info.Plan != nil {
		a.printf("an inference: %.4g floating-point operations, %d bytes of memory beside the weights\n", info.Plan.Flops, info.Plan.Bytes)
	}
	if m := info.Memory; m != nil {
		a.printf("memory in bytes: %d together\n", m.Peak)
		a.printf("  %d weights in the file\n", m.File)
		a.printf("  %d packed weights, computed constants and tables\n", m.Kept)
		a.printf("  %d arena of an inference, with up to %d of scratch memory for a layer\n", m.Arena, m.Scratch)
	}
	if len(info.Unsupported) > 0 {
		printCounts(a, "unsupported", info.Unsupported)
	}
}

func printPorts(a *app, title string, ports []portInfo) {
	a.printf("%s:\n", title)
	for i, p := range ports {
		note := ""
		if p.Assumed {
			note = " (from the dims in the file)"
		}
		a.printf("  %d %q %q %s%s%s\n", i, p.Name, p.Names, p.Type, p.Shape, note)
	}
}

// printCounts prints counts, the largest first.
func printCounts(a *app, title string, counts map[string]int) {
	a.printf("%s:\n", title)
	keys := slices.Collect(maps.Keys(counts))
	sort.Slice(keys, func(i, j int) bool {
		x, y := keys[i], keys[j]
		return cmp.Or(counts[y]-counts[x], cmp.Compare(x, y)) < 0
	})
	for _, key := range keys {
		a.printf("  %5d %s\n", counts[key], key)
	}
}

// layerTypesOf returns the Go expression of the layer types that the package at a path has.
func layerTypesOf(family string) string {
	name := path.Base(family)
	if name == "extension" || name == "onnxextension" {
		return name + ".Ops()" // which lists several families
	}
	return name + ".Ops"
}
