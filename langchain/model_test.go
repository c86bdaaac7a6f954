package langchain

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"

	"github.com/vinoir/vinoir/generate"
	"github.com/vinoir/vinoir/generate/llm"
	"github.com/vinoir/vinoir/text/chat"
)

// dir has a model that is random and whose tokens are bytes: it says nothing, but always the same.
const dir = "../generate/testdata/tiny"

var background = context.Background()

func openPipeline(t testing.TB) *llm.Pipeline {
	t.Helper()
	p, err := llm.Open(dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p
}

// models returns a Model of a Pipeline, and one of an Engine.
func models(t testing.TB) (*generate.Pipeline, map[string]*Model) {
	t.Helper()
	p := openPipeline(t)
	template, err := chat.Parse(p.Tokenizer().ChatTemplate())
	require.NoError(t, err)
	e, err := generate.NewEngine(p.Model(), p.Tokenizer(), generate.EngineOptions{
		Template: generate.ChatTemplate(template, chat.Input{Tokens: map[string]string{"eos_token": p.Tokenizer().Special().EOS}}),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close(background)) })
	return p.Pipeline, map[string]*Model{"Pipeline": New(p.Pipeline), "Engine": NewShared(e)}
}

// hello is a message.
var hello = []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "hello")}

// conversation is a chat, as langchaingo has it and as package generate has it.
var (
	conversation = []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, "Be brief."), llms.TextParts(llms.ChatMessageTypeHuman, "Why?", "And how?"),
		llms.TextParts(llms.ChatMessageTypeAI, "Because."), llms.TextParts(llms.ChatMessageTypeGeneric, "Oh."),
	}
	messages = []chat.Message{
		{Role: "system", Content: "Be brief."}, {Role: "user", Content: "Why?\nAnd how?"},
		{Role: "assistant", Content: "Because."}, {Role: "user", Content: "Oh."},
	}
)

// TestModel_GenerateContent compares answers to a chat, and streams of them, with those of package
// generate.
func TestModel_GenerateContent(t *testing.T) {
	p, all := models(t)
	want, err := p.GeneratePrompt(background, generate.Prompt{Messages: messages}, p.Config())
	require.NoError(t, err)
	answer := want.Sequences[0]
	for name, m := range all {
		t.Run(name, func(t *testing.T) {
			var streamed, thought strings.Builder
			got, err := m.GenerateContent(background, conversation)
			require.NoError(t, err)
			again, err := m.GenerateContent(background, conversation,
				llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
					streamed.Write(chunk)
					return nil
				}),
				llms.WithStreamingReasoningFunc(func(_ context.Context, _, chunk []byte) error {
					thought.Write(chunk)
					return nil
				}))
			require.NoError(t, err)
			assert.Equal(t, answer.Text, streamed.String())
			assert.Equal(t, answer.Text, thought.String())
			for _, response := range []*llms.ContentResponse{got, again} {
				require.Len(t, response.Choices, 1)
				choice := response.Choices[0]
				assert.Equal(t, answer.Text, choice.Content)
				assert.Equal(t, strings.ToLower(answer.Finish.String()), choice.StopReason)
				info, n := choice.GenerationInfo, len(answer.Tokens)
				assert.Equal(t, n, info["CompletionTokens"])
				assert.Greater(t, info["PromptTokens"], len("Be brief.Why?And how?Because.Oh."))
				assert.Equal(t, info["PromptTokens"].(int)+n, info["TotalTokens"])
			}
		})
	}
}

// TestResponseOf has all ends of answers.
func TestResponseOf(t *testing.T) {
	result := generate.Result{Sequences: []generate.Sequence{
		{Text: "a", Tokens: []int32{1, 2}, Finish: generate.FinishStop}, {Text: "b", Tokens: []int32{3}, Finish: generate.FinishLength}, {},
	}}
	info := map[string]any{"PromptTokens": 7, "PromptCachedTokens": 4, "CompletionTokens": 3, "TotalTokens": 10}
	assert.Equal(t, &llms.ContentResponse{Choices: []*llms.ContentChoice{
		{Content: "a", StopReason: "stop", GenerationInfo: info}, {Content: "b", StopReason: "length", GenerationInfo: info}, {GenerationInfo: info},
	}}, responseOf(&result, &generate.Stats{PromptTokens: 7, CachedTokens: 4}))
}

// TestModel_options has options that change answers as the same fields of a Config do.
func TestModel_options(t *testing.T) {
	p, all := models(t)
	full, err := p.Generate(background, "hello", p.Config())
	require.NoError(t, err)
	word := strings.ToValidUTF8(full.Sequences[0].Text, "")[5:6]
	for name, c := range map[string]struct {
		options []llms.CallOption
		change  func(c *generate.Config)
	}{
		"none":      {nil, func(*generate.Config) {}},
		"MaxTokens": {[]llms.CallOption{llms.WithMaxTokens(3)}, func(c *generate.Config) { c.MaxNewTokens = 3 }},
		"MaxLength": {[]llms.CallOption{llms.WithMaxLength(40)}, func(c *generate.Config) { c.MaxNewTokens, c.MaxLength = generate.Unlimited, 40 }},
		"StopWords": {[]llms.CallOption{llms.WithStopWords([]string{word})}, func(c *generate.Config) { c.StopStrings = []string{word} }},
		"penalties": {
			[]llms.CallOption{llms.WithRepetitionPenalty(1.5), llms.WithFrequencyPenalty(0.5), llms.WithPresencePenalty(0.25)},
			func(c *generate.Config) { c.RepetitionPenalty, c.FrequencyPenalty, c.PresencePenalty = 1.5, 0.5, 0.25 },
		},
		"sampling": {
			[]llms.CallOption{llms.WithTemperature(0.8), llms.WithTopK(50), llms.WithTopP(0.9), llms.WithSeed(7)},
			func(c *generate.Config) { c.DoSample, c.Temperature, c.TopK, c.TopP, c.RNGSeed = true, 0.8, 50, 0.9, 7 },
		},
		"N": {[]llms.CallOption{llms.WithTemperature(1), llms.WithN(3)}, func(c *generate.Config) { c.DoSample, c.NumReturnSequences = true, 3 }},
		"CandidateCount": {
			[]llms.CallOption{llms.WithTemperature(1), llms.WithCandidateCount(2), llms.WithModel("any"), llms.WithMetadata(map[string]any{"a": 1})},
			func(c *generate.Config) { c.DoSample, c.NumReturnSequences = true, 2 },
		},
		"all at once": {
			[]llms.CallOption{llms.WithOptions(llms.CallOptions{MaxTokens: 5, ResponseMIMEType: "text/plain"})},
			func(c *generate.Config) { c.MaxNewTokens = 5 },
		},
	} {
		config := p.Config()
		c.change(&config)
		want, err := p.Generate(background, "hello", config)
		require.NoError(t, err, name)
		for kind, m := range all {
			got, err := m.GenerateContent(background, hello, c.options...)
			require.NoError(t, err, name)
			require.Len(t, got.Choices, len(want.Sequences), name)
			for i, s := range want.Sequences {
				assert.Equal(t, s.Text, got.Choices[i].Content, "%s of %s", name, kind)
			}
			if name == "none" {
				continue
			}
			assert.NotEqual(t, full.Sequences[0].Text, got.Choices[len(got.Choices)-1].Content, "%s has an effect", name)
		}
	}
}

// TestCallOptions has a Config that samples, which a call can change to a greedy search.
func TestCallOptions(t *testing.T) {
	config := generate.DefaultConfig()
	config.DoSample, config.Temperature, config.MaxNewTokens, config.RNGSeed, config.StopStrings = true, 0.7, 9, 3, []string{"x"}
	for _, c := range []struct {
		options []llms.CallOption
		change  func(c *generate.Config)
	}{
		{nil, func(*generate.Config) {}},
		{[]llms.CallOption{llms.WithTemperature(0)}, func(c *generate.Config) { c.DoSample = false }},
		{[]llms.CallOption{llms.WithMaxTokens(4), llms.WithMaxLength(40)}, func(c *generate.Config) { c.MaxNewTokens, c.MaxLength = 4, 40 }},
		{[]llms.CallOption{llms.WithMinLength(2)}, func(c *generate.Config) { c.MinNewTokens = 2 }},
		{[]llms.CallOption{llms.WithStopWords(nil)}, func(c *generate.Config) { c.StopStrings = nil }},
	} {
		want, got := config, config
		c.change(&want)
		o := callOptions(&got, c.options)
		require.NoError(t, configure(&got, &o))
		assert.Equal(t, want, got)
	}
}

// TestModel_errors has what is refused, before anything is computed.
func TestModel_errors(t *testing.T) {
	_, all := models(t)
	missing := &llms.Error{Code: llms.ErrCodeNotImplemented}
	stream := llms.WithStreamingFunc(func(context.Context, []byte) error { return nil })
	for _, c := range []struct {
		messages []llms.MessageContent
		options  []llms.CallOption
		want     string
		missing  bool
	}{
		{nil, nil, "there are no messages", false},
		{hello, []llms.CallOption{llms.WithJSONMode()}, "JSONMode is set", true},
		{hello, []llms.CallOption{llms.WithResponseMIMEType("application/json")}, `ResponseMIMEType is "application/json"`, true},
		{hello, []llms.CallOption{llms.WithTools([]llms.Tool{{}})}, "there are 1 Tools and 0 Functions", true},
		{hello, []llms.CallOption{llms.WithFunctions([]llms.FunctionDefinition{{}})}, "there are 0 Tools and 1 Functions", true},
		{hello, []llms.CallOption{llms.WithMaxTokens(-1)}, "MaxTokens is -1 and MaxLength 0", false},
		{hello, []llms.CallOption{llms.WithSeed(-1)}, "the Seed is -1, not from 0 to 4294967295", false},
		{hello, []llms.CallOption{llms.WithTemperature(-1)}, "Temperature is -1, not positive", false},
		{hello, []llms.CallOption{llms.WithN(2)}, "NumReturnSequences is 2, which needs DoSample or a beam search", false},
		{hello, []llms.CallOption{llms.WithN(2), llms.WithTemperature(1), stream}, "a stream is for one sequence", false},
		{[]llms.MessageContent{{Role: "human", Parts: []llms.ContentPart{llms.ImageURLPart("a")}}}, nil, "message 0: vinoir: not_implemented: a part is a llms.ImageURLContent", true},
		{[]llms.MessageContent{{Role: "ai", Parts: []llms.ContentPart{llms.ToolCall{ID: "a"}}}}, nil, `message 0: tool call "a" has no function`, false},
	} {
		for _, m := range all {
			_, err := m.GenerateContent(background, c.messages, c.options...)
			require.ErrorContains(t, err, c.want)
			assert.Equal(t, c.missing, errors.Is(err, missing), c.want)
		}
	}
}

// TestModel_cancel ends answers by their context, and by a function that gets a stream.
func TestModel_cancel(t *testing.T) {
	_, all := models(t)
	refused := errors.New("enough")
	for name, m := range all {
		ctx, cancel := context.WithCancel(background)
		chunks := 0
		_, err := m.GenerateContent(ctx, hello, llms.WithMaxTokens(1000), llms.WithMinLength(1000),
			llms.WithStreamingFunc(func(context.Context, []byte) error {
				chunks++
				cancel()
				return nil
			}))
		require.ErrorIs(t, err, context.Canceled, name)
		assert.Equal(t, 1, chunks)
		_, err = m.GenerateContent(ctx, hello)
		require.ErrorIs(t, err, context.Canceled)
		_, err = m.GenerateContent(background, hello, llms.WithStreamingFunc(func(context.Context, []byte) error { return refused }))
		require.ErrorIs(t, err, refused)
	}
}

// recorder counts what a handler is told.
type recorder struct {
	callbacks.SimpleHandler
	starts, ends int
	err          error
}

func (r *recorder) HandleLLMGenerateContentStart(context.Context, []llms.MessageContent) { r.starts++ }

func (r *recorder) HandleLLMGenerateContentEnd(context.Context, *llms.ContentResponse) { r.ends++ }

func (r *recorder) HandleLLMError(_ context.Context, err error) { r.err = err }

func TestModel_callbacks(t *testing.T) {
	handler := &recorder{}
	m := New(openPipeline(t).Pipeline)
	assert.Nil(t, m.GetCallbackHandler())
	m.CallbacksHandler = handler
	assert.Same(t, handler, m.GetCallbackHandler())
	_, err := m.Call(background, "hello", llms.WithMaxTokens(1))
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1}, []int{handler.starts, handler.ends})
	_, err = m.Call(background, "hello", llms.WithJSONMode())
	require.Error(t, err)
	assert.Equal(t, err, handler.err)
	assert.Equal(t, []int{2, 1}, []int{handler.starts, handler.ends})
}

// TestModel_goroutines has many calls at once.
func TestModel_goroutines(t *testing.T) {
	p, all := models(t)
	want, err := p.Generate(background, "hello", p.Config())
	require.NoError(t, err)
	var wait sync.WaitGroup
	for _, m := range all {
		for range 4 {
			wait.Go(func() {
				got, err := llms.GenerateFromSinglePrompt(background, m, "hello")
				assert.NoError(t, err)
				assert.Equal(t, want.Sequences[0].Text, got)
			})
		}
	}
	wait.Wait()
}

// TestPromptOf has calls of tools, and what these have answered.
func TestPromptOf(t *testing.T) {
	call := func(arguments string) llms.ToolCall {
		return llms.ToolCall{ID: "1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "add", Arguments: arguments}}
	}
	got, err := promptOf([]llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeHuman, "1+1?"),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{call(`{"b":1,"a":1}`), call("what?")}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
			llms.ToolCallResponse{ToolCallID: "1", Name: "add", Content: "2"}, llms.ToolCallResponse{ToolCallID: "2", Content: "?"},
		}},
		llms.TextParts(llms.ChatMessageTypeFunction, "old"), llms.TextParts("critic", "own"),
	})
	require.NoError(t, err)
	var arguments chat.Object
	arguments.Set("b", int64(1))
	arguments.Set("a", int64(1))
	assert.Equal(t, generate.Prompt{Messages: []chat.Message{
		{Role: "user", Content: "1+1?"},
		{Role: "assistant", ToolCalls: []chat.ToolCall{{ID: "1", Name: "add", Arguments: &arguments}, {ID: "1", Name: "add", Arguments: "what?"}}},
		{Role: "tool", ToolCallID: "1", Name: "add", Content: "2"}, {Role: "tool", ToolCallID: "2", Content: "?"},
		{Role: "tool", Content: "old"}, {Role: "critic", Content: "own"},
	}}, got)
	got, err = promptOf([]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "hi")})
	require.NoError(t, err)
	assert.Equal(t, generate.Prompt{Text: "hi"}, got)
}
