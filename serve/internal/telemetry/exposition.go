package telemetry

import (
	"strconv"
	"strings"
)

// exposition writes metrics as text, in the format that Prometheus reads: version 0.0.4.
type exposition struct {
	text []byte
	name string // of the family that is being written
}

// The kinds of families.
const (
	counter       = "counter"
	gauge         = "gauge"
	histogramKind = "histogram"
)

// label is a name with a value.
type label struct{ name, value string }

// family begins a family of metrics. The samples of a family must stand together.
func (e *exposition) family(name, kind, help string) {
	e.name = name
	e.add("# HELP ", name, " ", helpText.Replace(help), "\n# TYPE ", name, " ", kind, "\n")
}

// sample writes one value of the family.
func (e *exposition) sample(value float64, labels ...label) { e.suffixed("", value, labels...) }

// suffixed writes a value of the family whose name has a suffix, as those of histograms have.
func (e *exposition) suffixed(suffix string, value float64, labels ...label) {
	e.add(e.name, suffix)
	for i, l := range labels {
		separator := ","
		if i == 0 {
			separator = "{"
		}
		e.add(separator, l.name, `="`, labelValue.Replace(l.value), `"`)
	}
	if len(labels) > 0 {
		e.add("}")
	}
	e.add(" ")
	e.text = append(strconv.AppendFloat(e.text, value, 'g', -1, 64), '\n')
}

func (e *exposition) add(parts ...string) {
	for _, part := range parts {
		e.text = append(e.text, part...)
	}
}

// The escapes of the format.
var (
	helpText   = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelValue = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)
