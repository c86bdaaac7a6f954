package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/text"
)

// tokenizeFlags are the flags of tokenize.
type tokenizeFlags struct {
	file, color   string
	pieces, count bool
	offsets       bool
	noSpecial     bool
}

// tokenization is what tokenize prints.
type tokenization struct {
	Tokenizer string       `json:"tokenizer"`
	Texts     []textTokens `json:"texts"`
}

// textTokens are the tokens of a text.
type textTokens struct {
	Count   int      `json:"count"`
	Tokens  []int32  `json:"tokens"`
	Pieces  []string `json:"pieces,omitempty"`  // with --pieces
	Offsets []offset `json:"offsets,omitempty"` // with --offsets
}

// offset is where a token is in a text: the bytes from Begin to End.
type offset struct {
	Begin int `json:"begin"`
	End   int `json:"end"`
}

func (a *app) tokenizeCommand() *cobra.Command {
	var flags tokenizeFlags
	cmd := &cobra.Command{
		Use:   "tokenize DIR [TEXT...]",
		Short: "Print the tokens of texts",
		Long: "tokenize prints the tokens of each TEXT, or of the --file, or of standard input, on a line. DIR has a tokenizer, with or\n" +
			"without a model: openvino_tokenizer.xml, or else tokenizer.json, or else a SentencePiece model. It can be the path of\n" +
			"such a model, too.",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return errors.New("a DIR with a tokenizer is needed")
			case len(args) > 1 && flags.file != "":
				return errors.New("TEXT and --file exclude each other")
			case flags.pieces && flags.count:
				return errors.New("--pieces and --count exclude each other")
			case flags.offsets && flags.count:
				return errors.New("--offsets and --count exclude each other")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.tokenize(cmd.Context(), args[0], args[1:], &flags)
		},
	}
	cmd.Flags().StringVar(&flags.file, "file", "", "read the text from `FILE`")
	cmd.Flags().BoolVar(&flags.pieces, "pieces", false, "print the text of each token")
	cmd.Flags().BoolVar(&flags.offsets, "offsets", false, "print where each token is in the text, in bytes")
	cmd.Flags().BoolVar(&flags.count, "count", false, "print the number of tokens only")
	cmd.Flags().BoolVar(&flags.noSpecial, "no-special", false, "leave out the special tokens that the tokenizer adds")
	cmd.Flags().StringVar(&flags.color, "color", "auto", "colour the pieces: `auto`, always or never; auto means on a terminal, unless NO_COLOR is set")
	return cmd
}

// tokenize prints the tokens of texts.
func (a *app) tokenize(ctx context.Context, dir string, texts []string, flags *tokenizeFlags) error {
	colors := flags.color == "always"
	switch flags.color {
	case "auto":
		colors = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(a.unbuffered)
	case "always", "never":
	default:
		return usagef("--color %s is none of auto, always, never", flags.color)
	}
	tokenizer, err := openTokenizer(dir)
	if err != nil {
		return err
	}
	defer tokenizer.Close()
	if len(texts) == 0 {
		file := flags.file
		if file == "" {
			file = stdinName
		}
		one, err := a.readPrompt(file)
		if err != nil {
			return err
		}
		texts = []string{one}
	}
	report := &tokenization{Tokenizer: dir, Texts: []textTokens{}}
	for _, one := range texts {
		t, err := tokensOf(ctx, tokenizer, one, flags)
		if err != nil {
			return err
		}
		report.Texts = append(report.Texts, t)
	}
	if a.json {
		return a.printJSON(report)
	}
	for i := range report.Texts {
		t := &report.Texts[i]
		switch {
		case flags.count:
			a.printf("%d\n", t.Count)
		case flags.pieces:
			a.printf("%s\n", painted(paintPieces(t.Pieces, t.Offsets, colors)))
		default:
			a.printf("%s\n", withOffsets(t.Tokens, t.Offsets))
		}
	}
	return nil
}

// tokensOf returns the tokens of a text.
func tokensOf(ctx context.Context, tokenizer *text.Tokenizer, one string, flags *tokenizeFlags) (t textTokens, err error) {
	if flags.offsets {
		e, err := tokenizer.Encode(ctx, []string{one}, text.EncodeOptions{NoSpecialTokens: flags.noSpecial, Offsets: true})
		if err != nil {
			return t, err
		}
		t.Tokens = e.IDs
		for _, o := range e.Offsets {
			t.Offsets = append(t.Offsets, offset(o))
		}
	} else if t.Tokens, err = tokenizer.AppendEncode(ctx, []int32{}, one, !flags.noSpecial); err != nil {
		return t, err
	}
	t.Count = len(t.Tokens)
	if flags.pieces {
		t.Pieces, err = piecesOf(ctx, tokenizer, t.Tokens)
	}
	return t, err
}

// withOffsets returns tokens with spaces between them, and their offsets behind them, if there are
// any.
func withOffsets(tokens []int32, offsets []offset) string {
	words := make([]string, len(tokens))
	for i, id := range tokens {
		words[i] = strconv.Itoa(int(id)) + offsetText(offsets, i)
	}
	return strings.Join(words, " ")
}

// offsetText returns the offset of a token as "@begin-end", "" if there is none.
func offsetText(offsets []offset, i int) string {
	if i >= len(offsets) {
		return ""
	}
	return fmt.Sprintf("@%d-%d", offsets[i].Begin, offsets[i].End)
}

// piecesOf returns the text of each token. A character of several tokens is U+FFFD in each of them.
func piecesOf(ctx context.Context, tokenizer *text.Tokenizer, tokens []int32) ([]string, error) {
	rows := make([][]int32, len(tokens))
	for i := range tokens {
		rows[i] = tokens[i : i+1]
	}
	return tokenizer.Decode(ctx, rows, text.DecodeOptions{KeepSpecialTokens: true})
}

// paintPieces returns pieces with backgrounds in turns, or in quotes without colours, and offsets
// behind them.
func paintPieces(pieces []string, offsets []offset, colors bool) string {
	backgrounds := []string{"\x1b[44;97m", "\x1b[42;30m", "\x1b[45;97m", "\x1b[46;30m"}
	var b strings.Builder
	for i, piece := range pieces {
		quoted := strconv.Quote(piece)
		switch {
		case colors:
			b.WriteString(backgrounds[i%len(backgrounds)] + quoted[1:len(quoted)-1] + "\x1b[0m")
		case i > 0:
			b.WriteString(" " + quoted)
		default:
			b.WriteString(quoted)
		}
		b.WriteString(offsetText(offsets, i))
	}
	return b.String()
}
