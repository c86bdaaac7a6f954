package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/text"
)

// tokenizerFlags are the flags of tokenizer convert.
type tokenizerFlags struct {
	options text.ConvertOptions
	ids     string
	cleanUp bool
}

// tokenizerConversion is what tokenizer convert prints.
type tokenizerConversion struct {
	Tokenizer string      `json:"tokenizer"`
	Files     []fileBytes `json:"files"`
}

func (a *app) tokenizerCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tokenizer",
		Short: "Convert tokenizers",
		Long:  "tokenizer converts tokenizers: tokenize prints the tokens of texts.",
		Args:  unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cmd.SetOut(a.stderr)
			_ = cmd.Help()
			return usagef("no command is given")
		},
	}
	cmd.AddCommand(a.tokenizerConvertCommand())
	return cmd
}

func (a *app) tokenizerConvertCommand() *cobra.Command {
	var flags tokenizerFlags
	cmd := &cobra.Command{
		Use:   "convert DIR OUT",
		Short: "Write a tokenizer as models for OpenVINO",
		Long: "convert reads tokenizer.json in DIR, or else a SentencePiece model such as tokenizer.model, and tokenizer_config.json and\n" +
			"the like beside it. It writes openvino_tokenizer.xml, openvino_detokenizer.xml and their .bin files into OUT, as OpenVINO\n" +
			"Tokenizers' converter does: OpenVINO and OpenVINO GenAI read them. vinoir itself needs no conversion: it reads the files\n" +
			"as they are, with the tokens of Hugging Face.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("a DIR with a tokenizer and the folder OUT are needed")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("clean-up") {
				flags.options.CleanUp = &flags.cleanUp
			}
			result, err := convertTokenizer(cmd.Context(), args[0], args[1], &flags)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(result)
			}
			for _, file := range result.Files {
				a.printf("%s: %d bytes\n", file.Path, file.Bytes)
			}
			return nil
		},
	}
	o := &flags.options
	cmd.Flags().IntVar(&o.MaxLength, "max-length", 0, "the largest number of tokens of a text, with special ones: by default that of tokenizer_config.json")
	cmd.Flags().BoolVar(&o.Truncation, "truncation", false, "cut texts to the largest number of tokens")
	cmd.Flags().BoolVar(&o.PadToMaxLength, "pad-to-max-length", false, "pad texts to the largest number of tokens")
	cmd.Flags().StringVar(&o.PaddingSide, "padding-side", "", "where texts are padded: `left` or right; by default as tokenizer_config.json says")
	cmd.Flags().StringVar(&o.TruncationSide, "truncation-side", "", "where texts are cut: `left` or right; by default as tokenizer_config.json says")
	cmd.Flags().BoolVar(&o.NoSpecialTokens, "no-special", false, "switch off the special tokens that the tokenizer adds")
	cmd.Flags().BoolVar(&o.KeepSpecialTokens, "keep-special", false, "keep special tokens in the texts of tokens")
	cmd.Flags().BoolVar(&flags.cleanUp, "clean-up", false, "remove spaces before punctuation marks from the texts of tokens; by default as tokenizer_config.json says")
	cmd.Flags().StringVar(&o.InvalidUTF8, "invalid-utf8", "replace", "what becomes of bytes of tokens that are not UTF-8: `replace`, ignore or disable")
	cmd.Flags().BoolVar(&o.Streaming, "streaming", false, "make a detokenizer of a SentencePiece model that writes pieces as they are")
	cmd.Flags().StringVar(&flags.ids, "ids", "i64", "the type of ids: `i64` or i32")
	return cmd
}

// convertTokenizer converts the tokenizer in dir.
func convertTokenizer(ctx context.Context, dir, out string, flags *tokenizerFlags) (*tokenizerConversion, error) {
	switch flags.ids {
	case "i64":
		flags.options.IDs = ir.I64
	case "i32":
		flags.options.IDs = ir.I32
	default:
		return nil, usagef("--ids %s is none of i64, i32", flags.ids)
	}
	models, err := text.Convert(ctx, dir, flags.options)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, faults.Errorf("%s has neither tokenizer.json nor a SentencePiece model: save_pretrained of a tokenizer of transformers writes one", dir)
	case errors.Is(err, text.ErrOption):
		return nil, usageError{err}
	case err != nil:
		return nil, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	paths, err := models.Write(ctx, out)
	if err != nil {
		return nil, err
	}
	result := &tokenizerConversion{Tokenizer: dir}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		result.Files = append(result.Files, fileBytes{path, info.Size()})
	}
	return result, nil
}
