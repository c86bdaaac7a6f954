package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vinoir/vinoir/text"
)

// detokenization is what detokenize prints.
type detokenization struct {
	Tokenizer string `json:"tokenizer"`
	Text      string `json:"text"`
}

func (a *app) detokenizeCommand() *cobra.Command {
	keep := false
	cmd := &cobra.Command{
		Use:   "detokenize DIR [ID...]",
		Short: "Print the text of tokens",
		Long:  "detokenize prints the text of the tokens ID..., or of those in standard input. Spaces or commas stand between them.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("a DIR with a tokenizer is needed")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.detokenize(cmd.Context(), args[0], args[1:], keep)
		},
	}
	cmd.Flags().BoolVar(&keep, "keep-special", false, "print special tokens")
	return cmd
}

// detokenize prints the text of the tokens in words.
func (a *app) detokenize(ctx context.Context, dir string, words []string, keep bool) error {
	list := strings.Join(words, " ")
	if len(words) == 0 || list == stdinName {
		var err error
		if list, err = a.readPrompt(stdinName); err != nil {
			return err
		}
	}
	var tokens []int32
	for word := range strings.FieldsFuncSeq(list, func(r rune) bool { return strings.ContainsRune(" ,[]\t\r\n", r) }) {
		id, err := strconv.ParseInt(word, 10, 32)
		if err != nil || id < 0 {
			return usagef("%q is not the number of a token", word)
		}
		tokens = append(tokens, int32(id))
	}
	tokenizer, err := openTokenizer(dir)
	if err != nil {
		return err
	}
	defer tokenizer.Close()
	texts, err := tokenizer.Decode(ctx, [][]int32{tokens}, text.DecodeOptions{KeepSpecialTokens: keep})
	if err != nil {
		return directoryError(dir, err)
	}
	if a.json {
		return a.printJSON(&detokenization{dir, texts[0]})
	}
	if isTerminal(a.unbuffered) {
		texts[0] = safeText(texts[0])
	}
	_, err = a.stdout.WriteString(texts[0] + "\n")
	return err
}
