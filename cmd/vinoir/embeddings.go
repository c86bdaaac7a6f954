package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	vectors "github.com/vinoir/vinoir/embedding"
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/npy"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/text"
)

// embeddingsResult is what embeddings prints.
type embeddingsResult struct {
	used
	Model   string  `json:"model"`
	Texts   int     `json:"texts"`
	Width   int     `json:"width"` // elements of a vector
	EmbedMS float64 `json:"embed_ms"`
	// File has the vectors, or Vectors.
	File    string      `json:"file,omitempty"`
	Vectors [][]float32 `json:"vectors,omitempty"`
}

// embeddingsFlags are the flags of embeddings.
type embeddingsFlags struct {
	lengthFlags
	out, pooling            string
	query, document, normal bool
	compile                 plugin.CompileOptions
	memory                  memoryFlag
}

// lengthFlags say how long rows of tokens are.
type lengthFlags struct {
	maxLength int
	side      string
}

func (f *lengthFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.maxLength, "max-length", 0, "cut texts off at `N` tokens (default what the model's files state)")
	cmd.Flags().StringVar(&f.side, "padding-side", "", "fill shorter texts up on the `SIDE` left or right (default what the model's files state)")
}

// set changes l as the flags say.
func (f *lengthFlags) set(cmd *cobra.Command, l *vectors.Length) error {
	if cmd.Flags().Changed("max-length") {
		if l.MaxLength = f.maxLength; f.maxLength <= 0 {
			return usagef("--max-length %d is not positive", f.maxLength)
		}
	}
	switch f.side {
	case "":
	case "left", "right":
		l.PaddingSide = text.PaddingSide(f.side)
	default:
		return usagef("--padding-side %s is none of left, right", f.side)
	}
	return nil
}

func (a *app) embeddingsCommand() *cobra.Command {
	var f embeddingsFlags
	cmd := &cobra.Command{
		Use:   "embeddings DIR [FILE...]",
		Short: "Print or write the vectors of the lines of texts",
		Long: "embeddings computes a vector for each line of the files, or of standard input, with the model and\n" +
			"the tokenizer in the directory DIR. It prints a vector on each line, as JSON, or writes all to an\n" +
			".npy file. The files of sentence-transformers in DIR say how vectors are made, unless flags do.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return a.embeddings(cmd, args, &f) },
	}
	cmd.Flags().StringVarP(&f.out, "out", "o", "", "write the vectors to `FILE.npy`, f32[texts,width]")
	cmd.Flags().StringVar(&f.pooling, "pooling", "", "make a vector of those of the tokens by `KIND`: cls, mean or last-token")
	cmd.Flags().BoolVar(&f.normal, "normalize", true, "divide vectors by their length (default what the model's files state)")
	cmd.Flag("normalize").DefValue = "false" // the usage says what the default is
	cmd.Flags().BoolVar(&f.query, "query", false, "put the model's instruction for queries before each text")
	cmd.Flags().BoolVar(&f.document, "document", false, "put the model's instruction for documents before each text")
	f.lengthFlags.add(cmd)
	f.memory.add(cmd)
	addCompileFlags(cmd, &f.compile)
	return cmd
}

// config returns the Config of a directory, as the flags change it.
func (f *embeddingsFlags) config(cmd *cobra.Command, dir string) (vectors.Config, error) {
	config, err := vectors.ReadConfig(os.DirFS(dir), ".")
	if err != nil {
		return config, directoryError(dir, err)
	}
	switch strings.ToLower(f.pooling) {
	case "":
	case "cls":
		config.Pooling = vectors.CLS
	case "mean":
		config.Pooling = vectors.Mean
	case "last-token":
		config.Pooling, config.PaddingSide = vectors.LastToken, text.PaddingRight
	default:
		return config, usagef("--pooling %s is none of cls, mean, last-token", f.pooling)
	}
	if cmd.Flags().Changed("normalize") {
		config.Normalize = f.normal
	}
	return config, f.lengthFlags.set(cmd, &config.Length)
}

// textOptions returns the options for opening a model that computes many texts: several batches at
// once, each on one thread.
func (a *app) textOptions(compile plugin.CompileOptions, memory *memoryFlag) (vectors.Options, error) {
	compile.PerformanceHint = plugin.PerformanceHintThroughput
	o := vectors.Options{Ops: a.registry.Ops(), CompileOptions: compile}
	if threads := compile.InferenceNumThreads; threads < 0 {
		return o, usagef("--threads %d is negative", threads)
	}
	var err error
	o.Limits, err = memory.options()
	return o, err
}

// embeddingsPart is the number of texts after which progress is shown.
const embeddingsPart = 256

func (a *app) embeddings(cmd *cobra.Command, args []string, f *embeddingsFlags) error {
	if f.out != "" && filepath.Ext(f.out) != ".npy" {
		return usagef("-o %s: the name does not end with .npy", f.out)
	}
	if f.query && f.document {
		return usagef("--query and --document exclude each other")
	}
	options, err := a.textOptions(f.compile, &f.memory)
	if err != nil {
		return err
	}
	config, err := f.config(cmd, args[0])
	if err != nil {
		return err
	}
	p, err := options.OpenConfig(args[0], config)
	if err != nil {
		return directoryError(args[0], err)
	}
	defer p.Close()
	lines, err := a.readLines(args[1:])
	if err != nil {
		return err
	}
	switch {
	case f.query:
		prefix(lines, config.QueryInstruction)
	case f.document:
		prefix(lines, config.DocumentInstruction)
	}
	result := embeddingsResult{used: usedBy(p.Compiled()), Model: nameOf(args[0]), Texts: len(lines), Width: p.Width(), File: f.out}
	started := time.Now()
	data, err := a.embedLines(cmd.Context(), p, lines)
	if err != nil {
		return err
	}
	result.EmbedMS = milliseconds(time.Since(started))
	if f.out != "" {
		if err := writeMatrix(f.out, data, len(lines), p.Width()); err != nil {
			return faults.Errorf("%s: %w", f.out, err)
		}
		if a.json {
			return a.printJSON(result)
		}
		a.printf("%v\n%s: vectors of %d elements of %s\n", result.used, f.out, p.Width(), count(len(lines), "text"))
		return nil
	}
	if a.json {
		result.Vectors = slices.Collect(slices.Chunk(data, p.Width()))
		return a.printJSON(result)
	}
	for vector := range slices.Chunk(data, p.Width()) {
		if err := a.printJSON(vector); err != nil {
			return err
		}
	}
	return nil
}

// prefix puts text before each line.
func prefix(lines []string, text string) {
	for i := range lines {
		lines[i] = text + lines[i]
	}
}

// embedLines returns the vectors of lines, and shows how many there are so far.
func (a *app) embedLines(ctx context.Context, p *vectors.Pipeline, lines []string) ([]float32, error) {
	parts := slices.Collect(slices.Chunk(lines, embeddingsPart))
	progress := newProgress(a.stderr, len(lines))
	defer progress.clear()
	data := make([]float32, 0, len(lines)*p.Width())
	for _, part := range parts {
		var err error
		if data, err = p.AppendEmbed(ctx, data, part); err != nil {
			return nil, err
		}
		for range part {
			progress.add()
		}
	}
	return data, nil
}

// writeMatrix writes rows to an .npy file.
func writeMatrix(path string, data []float32, rows, columns int) error {
	tensor, err := ir.TensorOf(ir.F32, ir.Shape{rows, columns}, data)
	if err != nil {
		return err
	}
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	file := target{dir: dir, name: filepath.Base(path)}
	return file.write(nil, func(w io.Writer) error { return npy.Write(w, tensor) }, nil)
}
