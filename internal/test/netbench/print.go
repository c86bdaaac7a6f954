package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

func (r *report) printJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// others returns the engines that vinoir is compared with.
func (r *report) others() []string {
	var names []string
	for _, name := range []string{openVINO, onnxRuntime} {
		for _, row := range r.Rows {
			if row.Engines[name] != nil {
				names = append(names, name)
				break
			}
		}
	}
	return names
}

// table returns the cells of the table. The first line is the header.
func (r *report) table() [][]string {
	others := r.others()
	head := []string{"network", "threads", "vinoir ms"}
	for _, name := range others {
		head = append(head, name+" ms", "ratio", "spread")
	}
	head = append(head, "vinoir cold ms")
	for _, name := range others {
		head = append(head, name+" cold ms", "ratio")
	}
	head = append(head, "vinoir peak MiB")
	for _, name := range others {
		head = append(head, name+" peak MiB", "ratio", name+" growth MiB", "ratio")
	}
	cells := [][]string{head}
	for _, row := range r.Rows {
		cells = append(cells, row.cells(others))
	}
	return cells
}

// cells returns the cells of a line.
func (r *row) cells(others []string) []string {
	own := r.Engines[vinoir]
	line := []string{r.Case, fmt.Sprint(r.Threads), fmt.Sprintf("%.2f", own.LatencyUS/1000)}
	for _, name := range others {
		if f, q := r.Engines[name], r.Ratios[name]; f != nil {
			line = append(line, fmt.Sprintf("%.2f", f.LatencyUS/1000), fmt.Sprintf("%.2f", q.Latency.Value),
				fmt.Sprintf("%.2f-%.2f", q.Latency.Low, q.Latency.High))
		} else {
			line = append(line, "", "", "")
		}
	}
	line = append(line, fmt.Sprintf("%.0f", own.ColdMS))
	for _, name := range others {
		if f, q := r.Engines[name], r.Ratios[name]; f != nil {
			line = append(line, fmt.Sprintf("%.0f", f.ColdMS), fmt.Sprintf("%.2f", q.Cold.Value))
		} else {
			line = append(line, "", "")
		}
	}
	line = append(line, fmt.Sprintf("%.0f", own.PeakBytes/(1<<20)))
	for _, name := range others {
		if f, q := r.Engines[name], r.Ratios[name]; f != nil {
			line = append(line, fmt.Sprintf("%.0f", f.PeakBytes/(1<<20)), fmt.Sprintf("%.2f", q.Peak))
			if q.Grown > 0 {
				line = append(line, fmt.Sprintf("%.0f", f.GrownBytes/(1<<20)), fmt.Sprintf("%.2f", q.Grown))
			} else {
				line = append(line, "", "")
			}
		} else {
			line = append(line, "", "", "", "")
		}
	}
	return line
}

// remarks returns the lines of text after the table.
func (r *report) remarks() []string {
	versions := ""
	for _, name := range r.others() {
		if version := r.Versions[name]; version != "" {
			versions += ", " + name + " " + version
		}
	}
	list := []string{
		fmt.Sprintf("%s%s, %s: f32, the shortest of %d rounds of %v s turn by turn, each in a process of its own.",
			r.Machine, versions, r.Date, r.Rounds, r.Seconds),
		"Cold is read, compile and first inference. Peak is the memory of the whole process. Growth is the peak without the memory that the process had before it read the model, with its libraries loaded; the ratio is that of vinoir's whole process to it. Spread is the smallest and the largest ratio of a round.",
	}
	for _, m := range r.Means {
		list = append(list, fmt.Sprintf("vinoir/%s on %d threads, geometric mean of %d: latency %.2f (worst %.2f), cold %.2f, peak memory %.2f.",
			m.Engine, m.Threads, m.Cases, m.Latency, m.Worst, m.Cold, m.Peak))
	}
	return list
}

func (r *report) printText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range r.table() {
		fmt.Fprintln(table, strings.Join(line, "\t")+"\t")
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", strings.Join(r.remarks(), "\n"))
	return err
}

func (r *report) printMarkdown(w io.Writer) error {
	cells := r.table()
	var b strings.Builder
	for i, line := range cells {
		b.WriteString("| " + strings.Join(line, " | ") + " |\n")
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(line)) + "\n")
		}
	}
	_, err := fmt.Fprintf(w, "%s\n%s\n", b.String(), strings.Join(r.remarks(), "\n"))
	return err
}
