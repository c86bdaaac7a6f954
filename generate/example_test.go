package generate_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"strings"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/text/chat"
)

// The model of the examples is random, and its tokens are bytes: it says nothing.
const dir = "testdata/tiny"

func open() *generate.Model {
	model, err := generate.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	return model
}

// letters is a Tokenizer for bytes that shows each as one of 26 letters.
type letters struct{}

func (letters) AppendEncode(_ context.Context, tokens []int32, text string, _ bool) ([]int32, error) {
	for i := range len(text) {
		tokens = append(tokens, int32(text[i]))
	}
	return tokens, nil
}

func (letters) AppendDecode(_ context.Context, text []byte, tokens []int32) ([]byte, error) {
	for _, token := range tokens {
		if token < 256 {
			text = append(text, 'a'+byte(token%26))
		}
	}
	return text, nil
}

// lines is a template; that of a model is in its tokenizer_config.json or chat_template.jinja.
const lines = `{% for m in messages %}{{ m.role }}: {{ m.content }}
{% endfor %}assistant: `

func pipeline() *generate.Pipeline {
	template, err := chat.Parse(lines)
	if err != nil {
		log.Fatal(err)
	}
	p, err := generate.NewPipeline(open(), letters{}, generate.PipelineOptions{Template: generate.ChatTemplate(template, chat.Input{})})
	if err != nil {
		log.Fatal(err)
	}
	return p
}

func ExampleOpen() {
	model, err := generate.Open(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	config := model.Config()
	config.MaxNewTokens = 5
	results, err := model.NewSession().Generate(context.Background(), [][]int32{{1, 2, 3}, {4}}, config)
	if err != nil {
		log.Fatal(err)
	}
	for _, result := range results {
		fmt.Println(len(result.Sequences[0].Tokens), result.Sequences[0].Finish)
	}
	// Output:
	// 5 LENGTH
	// 5 LENGTH
}

func ExampleConfig() {
	config := generate.DefaultConfig()
	settings := `{"max_new_tokens": 100, "do_sample": true, "top_p": 0.9, "eos_token_id": [2, 7]}`
	if err := json.Unmarshal([]byte(settings), &config); err != nil {
		log.Fatal(err)
	}
	fmt.Println(config.Validate(), config.MaxNewTokens, config.DoSample, config.TopP, config.StopTokenIDs)
	config.TopP = 1.5
	fmt.Println(config.Validate())
	// Output:
	// <nil> 100 true 0.9 [2 7]
	// TopP is 1.5, not greater than 0 and at most 1
}

func ExampleOptions_New() {
	model, err := irxml.ReadFile(dir+"/openvino_model.xml", irxml.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	config := generate.DefaultConfig()
	config.MaxNewTokens = 3
	m, err := generate.Options{Ops: builtin.Ops()}.New(context.Background(), model, config)
	if err != nil {
		log.Fatal(err)
	}
	defer m.Close()
	fmt.Println(m.VocabularySize(), m.Config().MaxNewTokens)
	// Output:
	// 257 3
}

func ExampleSession_Generate() {
	model := open()
	config := model.Config()
	config.NumBeams, config.NumReturnSequences, config.MaxNewTokens = 4, 2, 6
	results, err := model.NewSession().Generate(context.Background(), [][]int32{{1, 2, 3}}, config)
	if err != nil {
		log.Fatal(err)
	}
	best, second := results[0].Sequences[0], results[0].Sequences[1]
	fmt.Println(len(best.Tokens), best.Score >= second.Score)
	// Output:
	// 6 true
}

func ExampleSession_Tokens() {
	model := open()
	n := 0
	for _, err := range model.NewSession().Tokens(context.Background(), []int32{1, 2, 3}, model.Config()) {
		if err != nil {
			log.Fatal(err)
		}
		if n++; n == 3 {
			break // no further token is computed
		}
	}
	fmt.Println(n)
	// Output:
	// 3
}

func ExampleSession_Logits() {
	model := open()
	logits, err := model.NewSession().Logits(context.Background(), []int32{1, 2, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(logits))
	// Output:
	// 257
}

func ExamplePipeline_Generate() {
	p := pipeline()
	config := p.Config()
	config.MaxNewTokens = 8
	config.DoSample, config.Temperature, config.RNGSeed = true, 0.8, 42
	first, err := p.Generate(context.Background(), "hello", config)
	if err != nil {
		log.Fatal(err)
	}
	second, err := p.Generate(context.Background(), "hello", config)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(first.Sequences[0].Text == second.Sequences[0].Text)
	// Output:
	// true
}

// A program that keeps the messages of a chat itself, such as a server, gives all of them.
func ExamplePipeline_GeneratePrompt() {
	p := pipeline()
	defer p.Model().Close()
	config := p.Config()
	config.MaxNewTokens = 5
	messages := []chat.Message{{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Why is the sky blue?"}}
	result, err := p.GeneratePrompt(context.Background(), generate.Prompt{Messages: messages}, config)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(result.Sequences[0].Tokens), result.Sequences[0].Finish)
	// Output:
	// 5 LENGTH
}

func ExamplePipeline_Stream() {
	p := pipeline()
	var text strings.Builder
	for piece, err := range p.Stream(context.Background(), "hello", p.Config()) {
		if err != nil {
			log.Fatal(err)
		}
		text.WriteString(piece) // a program prints it at once
	}
	result, err := p.Generate(context.Background(), "hello", p.Config())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(text.String() == result.Sequences[0].Text)
	// Output:
	// true
}

func ExamplePipeline_StreamTo() {
	p := pipeline()
	size := 0
	_, err := p.StreamTo(context.Background(), "hello", p.Config(), func(piece []byte) generate.Status {
		if size += len(piece); size >= 4 {
			return generate.Stop
		}
		return generate.Running
	})
	fmt.Println(size >= 4, err)
	// Output:
	// true <nil>
}

func ExamplePipeline_NewChat() {
	talk, err := pipeline().NewChat("You are a random model.")
	if err != nil {
		log.Fatal(err)
	}
	config := talk.Config()
	config.MaxNewTokens = 5
	for _, message := range []string{"Who are you?", "And now?"} {
		// Only the new message is computed.
		if _, err := talk.Send(context.Background(), message, config); err != nil {
			log.Fatal(err)
		}
	}
	for _, m := range talk.Messages() {
		fmt.Println(m.Role, len(m.Content))
	}
	// Output:
	// system 23
	// user 12
	// assistant 5
	// user 8
	// assistant 5
}
