package main

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/internal/regular"
	"github.com/vinoir/vinoir/ir"
)

// topFlags are the flags for the outputs of classifiers.
type topFlags struct {
	k      int
	file   string
	labels []string
	used   bool // for at least one output
}

const (
	// maxTop bounds --top.
	maxTop = 1000
	// maxTopRows is the number of pictures of a batch whose classes are printed.
	maxTopRows = 100
	// maxLabelBytes is the size of the largest file of labels.
	maxLabelBytes = 16 << 20
)

func (f *topFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.k, "top", 0, "print the classes with the `K` largest values of each output, for each picture of a batch")
	cmd.Flags().StringVar(&f.file, "labels", "", "print what line i of `FILE` calls class i, from 0")
}

// check checks the flags and reads the labels.
func (f *topFlags) check() error {
	switch {
	case f.k < 0 || f.k > maxTop:
		return usagef("--top %d is not a number from 0 to %d", f.k, maxTop)
	case f.file == "":
		return nil
	case f.k == 0:
		return usagef("--labels goes with --top")
	}
	data, err := regular.ReadFile(f.file, maxLabelBytes)
	if err != nil {
		return faults.Errorf("--labels: %w", err)
	}
	f.labels = parseLabels(data)
	return nil
}

// parseLabels returns the lines of a file, without the spaces around them. Lines may end as on
// Windows, and the last may have no end.
func parseLabels(data []byte) []string {
	const byteOrderMark = "\ufeff"
	labels := []string{}
	for line := range bytes.Lines(bytes.TrimPrefix(data, []byte(byteOrderMark))) {
		labels = append(labels, strings.TrimSpace(string(line)))
	}
	return labels
}

// topClass is a class of an output.
type topClass struct {
	// Row is the number of the picture in the batch.
	Row   int `json:"row"`
	Class int `json:"class"`
	// Value is absent if it is not finite.
	Value *float64 `json:"value,omitempty"`
	Label string   `json:"label,omitempty"`
}

// of returns the largest elements of an output, for each index of its first axis if it has several
// axes. It returns none for types that have no order.
func (f *topFlags) of(t *ir.Tensor) ([]topClass, error) {
	if f.k == 0 || !castable(t.ElementType()) || t.Len() == 0 {
		return nil, nil
	}
	rows := 1
	if shape := t.Shape(); len(shape) > 1 {
		rows = shape[0]
	}
	classes := t.Len() / rows
	labels := f.labels
	if len(labels) == classes {
		f.used = true
	} else {
		labels = nil
	}
	matrix, err := ir.TensorOfBytes(t.ElementType(), ir.Shape{min(rows, maxTopRows), classes}, t.Bytes())
	if err != nil {
		return nil, err
	}
	best, err := ir.TopK(matrix, f.k)
	if err != nil {
		return nil, err
	}
	list := []topClass{}
	for row, classes := range best {
		for _, r := range classes {
			class := topClass{Row: row, Class: r.Index}
			if !math.IsNaN(r.Value) && !math.IsInf(r.Value, 0) {
				class.Value = &r.Value
			}
			if labels != nil {
				class.Label = printable.Cut(labels[r.Index], maxName)
			}
			list = append(list, class)
		}
	}
	return list, nil
}

// checkLabels returns an error if there are labels that no output has used.
func (f *topFlags) checkLabels(outputs []*tensorSummary) error {
	if f.file == "" || f.used {
		return nil
	}
	text := ""
	for i, output := range outputs[:min(len(outputs), maxFirst)] {
		text += fmt.Sprintf(", output %d is %s%v", i, output.Type, ir.Shape(output.Shape))
	}
	return faults.Errorf("%s has %d lines, which is not the number of classes of an output%s", f.file, len(f.labels), text)
}

// printTop prints the largest elements of an output.
func (a *app) printTop(list []topClass, shape ir.Shape) {
	batch := len(list) > 0 && list[len(list)-1].Row > 0
	for i, class := range list {
		if batch && (i == 0 || list[i-1].Row != class.Row) {
			a.printf("  picture %d of %d\n", class.Row, shape[0])
		}
		value := "not finite"
		if class.Value != nil {
			value = fmt.Sprintf("%.6g", *class.Value)
		}
		a.printf("  class %-6d %-12s %s\n", class.Class, value, class.Label)
	}
}
