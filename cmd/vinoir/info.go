package main

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/infer"
	"github.com/vinoir/vinoir/plugin"
)

// modelInfo is what info prints.
type modelInfo struct {
	Model   string     `json:"model"`
	Name    string     `json:"name"`
	Version int        `json:"version"` // of the IR
	Inputs  []portInfo `json:"inputs"`
	Outputs []portInfo `json:"outputs"`
	// Layers counts the layers that the outputs need, by type, including the layers in bodies.
	Layers map[string]int `json:"layers"`
	// Opsets counts the same layers by opset.
	Opsets map[string]int `json:"opsets"`
	// Weights counts the constants by element type.
	Weights map[string]*weightInfo `json:"weights"`
	// Unsupported counts the layers that vinoir cannot run, by type and opset.
	Unsupported map[string]int `json:"unsupported"`
}

type portInfo struct {
	Name  string   `json:"name"`
	Names []string `json:"names"`
	Type  string   `json:"type"`
	Shape string   `json:"shape"`
}

type weightInfo struct {
	Constants int    `json:"constants"`
	Bytes     uint64 `json:"bytes"`
}

func (a *app) infoCommand() *cobra.Command {
	var flags modelFlags
	cmd := &cobra.Command{
		Use:   "info MODEL.xml",
		Short: "Print the inputs, outputs, layers, weights and opsets of a model",
		Args:  oneModel,
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := a.read(&flags, args[0])
			if err != nil {
				return err
			}
			defer m.Close()
			info, err := a.inspect(cmd.Context(), m)
			if err != nil {
				return err
			}
			info.Model = nameOf(args[0])
			if a.json {
				return a.printJSON(info)
			}
			info.print(a)
			return nil
		},
	}
	flags.add(cmd)
	flags.addNoBin(cmd)
	return cmd
}

// portInfos returns what info prints of ports.
func portInfos(ports []plugin.Port) []portInfo {
	infos := make([]portInfo, len(ports))
	var names nameCutter
	for i, p := range ports {
		infos[i] = portInfo{printable.Cut(p.Name, maxName), names.cut(p.Names), p.Type.String(), p.Shape.String()}
	}
	return infos
}

func (a *app) inspect(ctx context.Context, m *ir.Model) (*modelInfo, error) {
	info := &modelInfo{
		Name: printable.Cut(m.Name, maxName), Version: m.Version,
		Layers: map[string]int{}, Opsets: map[string]int{}, Weights: map[string]*weightInfo{}, Unsupported: map[string]int{},
	}
	// If a layer cannot be inferred, its shapes are those in the file.
	shapes, err := infer.Propagate(ctx, m, a.registry, nil)
	if shapes == nil {
		return nil, err
	}
	inputs, outputs := plugin.Ports(m, shapes)
	info.Inputs, info.Outputs = portInfos(inputs), portInfos(outputs)
	for layer := range m.AllLayers() {
		info.add(layer)
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
	info.Weights[t].Bytes += layer.Const.Size
}

func (info *modelInfo) print(a *app) {
	a.printf("%s: %q, IR version %d\n", info.Model, info.Name, info.Version)
	printPorts(a, "inputs", info.Inputs)
	printPorts(a, "outputs", info.Outputs)
	printCounts(a, "layers", info.Layers)
	printCounts(a, "opsets", info.Opsets)
	a.printf("weights:\n")
	for _, t := range slices.Sorted(maps.Keys(info.Weights)) {
		w := info.Weights[t]
		a.printf("  %s: %d constants, %d bytes\n", t, w.Constants, w.Bytes)
	}
	if len(info.Unsupported) > 0 {
		printCounts(a, "unsupported", info.Unsupported)
	}
}

func printPorts(a *app, title string, ports []portInfo) {
	a.printf("%s:\n", title)
	for i, p := range ports {
		a.printf("  %d %q %q %s%s\n", i, p.Name, p.Names, p.Type, p.Shape)
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
