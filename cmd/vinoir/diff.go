package main

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/diff"
	"github.com/vinoir/vinoir/ir/infer"
)

// diffFlags are the flags of diff.
type diffFlags struct {
	model      modelFlags
	ignored    []string // kinds
	all        bool
	max        int // number of differences that are printed; 0 for all
	atol, rtol float64
}

func (a *app) diffCommand() *cobra.Command {
	flags := diffFlags{model: modelFlags{mmap: true}}
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two models by structure: layers, attributes, shapes, names and weights",
		Long: "diff finds which layers of two models correspond, whatever their ids and their order, and\n" +
			"prints how these differ, and which layers only one model has: those with - are only in A,\n" +
			"those with + only in B. What differs is printed as A -> B. Layers that no output depends on,\n" +
			"rt_info, and the places of weights in the .bin do not count. Types and shapes are inferred;\n" +
			"those that follow from other differences are only counted, unless --all is given.\n\n" +
			"Exit codes: 0 no differences, 1 differences, 2 wrong usage or a model that cannot be read.",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return errors.New("two models are needed: A B, one of them can be - for standard input")
			case args[0] == stdinName && args[1] == stdinName:
				return errors.New("only one of the models can be standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.check(); err != nil {
				return err
			}
			err := a.diff(cmd.Context(), args[0], args[1], &flags)
			if err != nil && !errors.Is(err, errFault) {
				return troubleError{err}
			}
			return err
		},
	}
	flags.model.addNoBin(cmd)
	cmd.Flags().StringArrayVar(&flags.ignored, "ignore", nil, "leave out the differences of `KIND`; can be repeated: "+kindNames())
	cmd.Flags().BoolVar(&flags.all, "all", false, "print types and shapes that follow from other differences too; JSON always has them")
	cmd.Flags().IntVar(&flags.max, "max", 0, "print at most `N` differences in text; 0 for all")
	cmd.Flags().Float64Var(&flags.atol, "atol", 0, "let floating-point weights differ by the number `A` ...")
	cmd.Flags().Float64Var(&flags.rtol, "rtol", 0, "... plus `R` times that of B")
	return cmd
}

// kindNames returns the names of the kinds of differences.
func kindNames() string {
	var names []string
	for _, kind := range diff.Kinds() {
		names = append(names, string(kind))
	}
	return strings.Join(names, ", ")
}

// check checks the flags.
func (f *diffFlags) check() error {
	for _, kind := range f.ignored {
		if !slices.Contains(diff.Kinds(), diff.Kind(kind)) {
			return usagef("--ignore %s is none of %s", kind, kindNames())
		}
	}
	switch {
	case f.max < 0:
		return usagef("--max %d is negative", f.max)
	case !(f.atol >= 0 && f.atol < math.Inf(1)):
		return usagef("--atol %v is not a number of at least 0", f.atol)
	case !(f.rtol >= 0 && f.rtol < math.Inf(1)):
		return usagef("--rtol %v is not a number of at least 0", f.rtol)
	}
	return nil
}

// diffReport is what diff prints.
type diffReport struct {
	A       string `json:"a"`
	B       string `json:"b"`
	Equal   bool   `json:"equal"`
	LayersA int    `json:"layers_a"`
	LayersB int    `json:"layers_b"`
	Matched int    `json:"matched"` // pairs of layers that correspond
	// UnreadConstants counts the pairs of Constants that were not compared, because a .bin was not
	// read.
	UnreadConstants int              `json:"unread_constants"`
	Differences     []diffDifference `json:"differences"`
}

// diffDifference is diff.Difference as JSON.
type diffDifference struct {
	Kind      diff.Kind     `json:"kind"`
	LayerA    *findingLayer `json:"layer_a,omitempty"`
	LayerB    *findingLayer `json:"layer_b,omitempty"`
	Port      int           `json:"port"` // -1 if the difference is not about a port
	Attribute string        `json:"attribute,omitempty"`
	A         string        `json:"a"`
	B         string        `json:"b"`
	Follows   bool          `json:"follows,omitempty"`
	Weights   *diffWeights  `json:"weights,omitempty"`
}

// diffWeights is diff.WeightsDifference as JSON. The largest differences are absent if they are not
// known.
type diffWeights struct {
	Elements   int      `json:"elements"`
	Different  int      `json:"different"`
	NotFinite  int      `json:"not_finite"`
	Largest    *float64 `json:"largest,omitempty"`
	LargestAt  *int     `json:"largest_at,omitempty"`
	Relative   *float64 `json:"relative,omitempty"`
	RelativeAt *int     `json:"relative_at,omitempty"`
}

// diff compares the models at two paths.
func (a *app) diff(ctx context.Context, pathA, pathB string, flags *diffFlags) error {
	var models [2]*ir.Model
	var shapes [2]*infer.Shapes
	for i, path := range []string{pathA, pathB} {
		m, err := a.read(ctx, &flags.model, path)
		if err != nil {
			return err
		}
		defer m.Close()
		if models[i] = m; ctx.Err() != nil {
			return ctx.Err()
		}
		// Layers that cannot be inferred have the types and shapes in the file.
		if shapes[i], err = infer.Propagate(ctx, m, a.registry, nil); shapes[i] == nil {
			return err
		}
	}
	report := diff.Models(models[0], models[1], diff.Options{ShapesA: shapes[0], ShapesB: shapes[1], ATol: flags.atol, RTol: flags.rtol})
	report.Differences = slices.DeleteFunc(report.Differences, func(d diff.Difference) bool { return slices.Contains(flags.ignored, string(d.Kind)) })
	if err := a.printDiff(nameOf(pathA), nameOf(pathB), report, flags); err != nil {
		return err
	}
	if len(report.Differences) > 0 {
		return errFault
	}
	return nil
}

func (a *app) printDiff(nameA, nameB string, report *diff.Report, flags *diffFlags) error {
	if a.json {
		return a.printDiffJSON(&diffReport{
			A: nameA, B: nameB, Equal: len(report.Differences) == 0, LayersA: report.LayersA, LayersB: report.LayersB,
			Matched: report.Matched, UnreadConstants: report.Unread,
		}, report.Differences)
	}
	printed, hidden, following := 0, 0, 0
	for i := range report.Differences {
		d := &report.Differences[i]
		switch {
		case d.Follows && !flags.all:
			following++
		case flags.max > 0 && printed == flags.max:
			hidden++
		default:
			a.printf("%s\n", d.String())
			printed++
		}
	}
	if hidden > 0 {
		a.printf("%s\n", count(hidden, "more difference"))
	}
	if following > 0 {
		a.printf("%d types and shapes follow from these: --all prints them\n", following)
	}
	if report.Unread > 0 {
		a.printf("%s not compared: a .bin was not read\n", count(report.Unread, "constant"))
	}
	a.printf("%s and %s: ", nameA, nameB)
	if len(report.Differences) == 0 {
		a.printf("no differences, %s\n", count(report.Matched, "layer"))
		return nil
	}
	a.printf("%s; %s correspond, %d only in the first, %d only in the second\n", count(len(report.Differences), "difference"),
		count(report.Matched, "layer"), report.LayersA-report.Matched, report.LayersB-report.Matched)
	return nil
}

// printDiffJSON prints report with differences one by one, so that the text of all of them is never
// in memory.
func (a *app) printDiffJSON(report *diffReport, differences []diff.Difference) error {
	text, err := marshal(report)
	if err != nil {
		return err
	}
	list := jsonList{app: a}
	list.raw(strings.TrimSuffix(string(text), "null}") + "[")
	layers := make(map[*ir.Layer]*findingLayer) // differences of one layer share its strings
	for i := range differences {
		d := &differences[i]
		list.value(&diffDifference{
			Kind: d.Kind, LayerA: layerInfo(d.LayerA, layers), LayerB: layerInfo(d.LayerB, layers), Port: d.Port,
			Attribute: d.Attribute, A: d.A, B: d.B, Follows: d.Follows, Weights: weightsInfo(d.Weights),
		})
	}
	list.raw("]}\n")
	return list.err
}

// layerInfo returns layer for JSON.
func layerInfo(layer *ir.Layer, known map[*ir.Layer]*findingLayer) *findingLayer {
	if layer == nil {
		return nil
	}
	if known[layer] == nil {
		info := newFindingLayer(layer)
		known[layer] = &info
	}
	return known[layer]
}

func weightsInfo(w *diff.WeightsDifference) *diffWeights {
	if w == nil {
		return nil
	}
	info := &diffWeights{Elements: w.Elements, Different: w.Different, NotFinite: w.NotFinite}
	if w.Numbers && w.Different > w.NotFinite {
		info.Largest, info.LargestAt, info.Relative, info.RelativeAt = &w.Largest, &w.LargestAt, &w.Relative, &w.RelativeAt
	}
	return info
}
