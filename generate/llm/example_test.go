package llm_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/generate/llm"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
)

// The model of the examples is random, and its tokens are bytes: it says nothing.
const dir = "../testdata/tiny"

func ExampleOpen() {
	pipeline, err := llm.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer pipeline.Close()
	config := pipeline.Config() // of generation_config.json
	config.MaxNewTokens = 8
	result, err := pipeline.Generate(context.Background(), "Why is the sky blue?", config)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(result.Sequences[0].Tokens), result.Sequences[0].Finish)
	// Output:
	// 8 LENGTH
}

func ExampleOpenFS() {
	pipeline, err := llm.OpenFS(os.DirFS(".."), "testdata/tiny") // an embed.FS in most programs
	if err != nil {
		log.Fatal(err)
	}
	defer pipeline.Close()
	fmt.Println(pipeline.Model().VocabularySize())
	// Output:
	// 257
}

func ExampleOptions_Open() {
	pipeline, err := llm.Options{
		Model:    generate.Options{Ops: builtin.Ops(), CompileOptions: plugin.CompileOptions{InferenceNumThreads: 1}},
		Template: "{% for m in messages %}[{{ m.role }}] {{ m.content }} {% endfor %}",
		Draft:    dir, // a smaller one in most programs
	}.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer pipeline.Close()
	talk, err := pipeline.NewChat("Be brief.")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := talk.Send(context.Background(), "Why is the sky blue?", pipeline.Config()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(talk.Messages()), pipeline.Draft() != nil)
	// Output:
	// 3 true
}

func ExamplePipeline_Tokenizer() {
	pipeline, err := llm.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer pipeline.Close()
	n, err := pipeline.Tokenizer().CountTokens(context.Background(), "Why?", true)
	fmt.Println(n, err)
	// Output:
	// 4 <nil>
}
