package text_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/vinoir/vinoir/text"
)

// The folder has the models of OpenVINO Tokenizers and the files of Hugging Face, as optimum-intel
// exports them.
func Example() {
	ctx := context.Background()
	tokenizer, err := text.Open("model")
	if err != nil {
		log.Fatal(err)
	}
	defer tokenizer.Close()
	batch, err := tokenizer.Encode(ctx, []string{"Hello, world!", "Hi!"}, text.EncodeOptions{MaxLength: 512, Truncation: true})
	if err != nil {
		log.Fatal(err)
	}
	texts, err := tokenizer.Decode(ctx, [][]int32{batch.Tokens(0), batch.Tokens(1)}, text.DecodeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(texts)
}

// Offsets say which part of the text a token is made of, whatever normalizers did to it.
func ExampleTokenizer_Encode() {
	files := fstest.MapFS{"tokenizer.json": {Data: []byte(`{
		"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
		"model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "café": 1, "york": 2}}
	}`)}}
	tokenizer, err := text.OpenFS(files, ".")
	if err != nil {
		log.Fatal(err)
	}
	defer tokenizer.Close()
	const place = "CAFÉ in York"
	e, err := tokenizer.Encode(context.Background(), []string{place}, text.EncodeOptions{Offsets: true})
	if err != nil {
		log.Fatal(err)
	}
	for i, o := range e.Offsets {
		fmt.Println(e.IDs[i], place[o.Begin:o.End])
	}
	// Output:
	// 1 CAFÉ
	// 0 in
	// 2 York
}

// The folder has tokenizer.json and, beside it, tokenizer_config.json. OpenVINO and OpenVINO GenAI
// read what is written.
func ExampleConvert() {
	ctx := context.Background()
	models, err := text.Convert(ctx, "model", text.ConvertOptions{MaxLength: 512})
	var refused *text.RefusedError
	if errors.As(err, &refused) {
		log.Fatal(refused.Components) // only text.Open computes them
	}
	if err != nil {
		log.Fatal(err)
	}
	paths, err := models.Write(ctx, "converted")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(paths)
}

// A SentencePiece model is a tokenizer by itself.
func ExampleOpen_sentencePiece() {
	tokenizer, err := text.Open("testdata/pieces/tokenizer.model")
	if err != nil {
		log.Fatal(err)
	}
	defer tokenizer.Close()
	ctx := context.Background()
	encoding, err := tokenizer.Encode(ctx, []string{"it has"}, text.EncodeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	texts, err := tokenizer.Decode(ctx, [][]int32{encoding.Row(0)}, text.DecodeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(encoding.IDs, texts)
	// Output:
	// [276 301] [it has]
}
