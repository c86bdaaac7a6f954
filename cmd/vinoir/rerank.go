package main

import (
	"time"

	"github.com/spf13/cobra"

	vectors "github.com/vinoir/vinoir/embedding"
	"github.com/vinoir/vinoir/internal/printable"
	"github.com/vinoir/vinoir/plugin"
)

// rerankResult is what rerank prints.
type rerankResult struct {
	used
	Model    string        `json:"model"`
	Query    string        `json:"query"`
	RerankMS float64       `json:"rerank_ms"`
	Matches  []rerankMatch `json:"matches"`
}

// rerankMatch is a line and its score.
type rerankMatch struct {
	Line  int     `json:"line"` // from 1 on
	Score float32 `json:"score"`
	Text  string  `json:"text"`
}

func (a *app) rerankCommand() *cobra.Command {
	var length lengthFlags
	var options plugin.CompileOptions
	var memory memoryFlag
	var top int
	cmd := &cobra.Command{
		Use:   "rerank DIR QUERY [FILE...]",
		Short: "Print the lines that answer a query best",
		Long: "rerank scores how well each line of the files, or of standard input, answers QUERY, with the model\n" +
			"and the tokenizer in the directory DIR, and prints the best ones, the best first.",
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if top <= 0 {
				return usagef("--top-n %d is not positive", top)
			}
			var l vectors.Length
			if err := length.set(cmd, &l); err != nil {
				return err
			}
			o, err := a.textOptions(options, &memory)
			if err != nil {
				return err
			}
			r, err := o.OpenReranker(args[0], l)
			if err != nil {
				return directoryError(args[0], err)
			}
			defer r.Close()
			return a.rerank(cmd, r, args, top)
		},
	}
	cmd.Flags().IntVar(&top, "top-n", 3, "print the best `N` lines")
	length.add(cmd)
	memory.add(cmd)
	addCompileFlags(cmd, &options)
	return cmd
}

func (a *app) rerank(cmd *cobra.Command, r *vectors.Reranker, args []string, top int) error {
	lines, err := a.readLines(args[2:])
	if err != nil {
		return err
	}
	started := time.Now()
	matches, err := r.Rerank(cmd.Context(), args[1], lines, vectors.RerankOptions{TopN: top})
	if err != nil {
		return err
	}
	result := rerankResult{used: usedBy(r.Compiled()), Model: nameOf(args[0]), Query: args[1], RerankMS: milliseconds(time.Since(started)), Matches: []rerankMatch{}}
	for _, m := range matches {
		result.Matches = append(result.Matches, rerankMatch{Line: m.Index + 1, Score: m.Score, Text: lines[m.Index]})
	}
	if a.json {
		return a.printJSON(result)
	}
	for _, m := range result.Matches {
		a.printf("%.4f %d: %s\n", m.Score, m.Line, printable.Cut(m.Text, maxMessage))
	}
	return nil
}
