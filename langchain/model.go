package langchain

import (
	"bytes"
	"context"

	"github.com/tmc/langchaingo/callbacks"
	"github.com/tmc/langchaingo/llms"

	"github.com/vinoir/vinoir/generate"
)

// Model is an llms.Model. It is safe for concurrent use.
//
// Of CallOptions, what a call does not state is as in the Config of the model. Sampling needs a
// Temperature that is not 0; with 0, each token is the most probable one. MaxLength counts the
// tokens of prompt and answer, and MinLength those of the answer. N, or else CandidateCount, asks
// for several answers, which needs sampling. Model and Metadata are ignored. JSONMode, Tools,
// Functions, and parts of messages other than text and calls of tools are errors with the code
// llms.ErrCodeNotImplemented.
type Model struct {
	// CallbacksHandler, if it is not nil, is told about each call.
	CallbacksHandler callbacks.Handler

	config   func() generate.Config
	generate func(ctx context.Context, prompt generate.Prompt, config generate.Config) (generate.Result, error)
	stream   func(ctx context.Context, prompt generate.Prompt, config generate.Config, receive func(piece []byte) generate.Status) (generate.Result, error)
}

var (
	_ llms.Model             = (*Model)(nil)
	_ callbacks.HandlerHaver = (*Model)(nil)
)

// New returns a Model of pipeline, which must be closed after it. Each call has memory for the keys
// and values of its own. A prompt of more than a text needs a Pipeline with a Template, which
// package generate/llm opens.
func New(pipeline *generate.Pipeline) *Model {
	return &Model{config: pipeline.Config, generate: pipeline.GeneratePrompt, stream: pipeline.StreamPromptTo}
}

// NewShared returns a Model of an Engine, which computes many calls together, in the memory that it
// has for all of them. It must be closed after the Model.
func NewShared(engine *generate.Engine) *Model {
	return &Model{config: engine.Config, generate: engine.Generate, stream: engine.StreamTo}
}

// GetCallbackHandler returns m.CallbacksHandler.
func (m *Model) GetCallbackHandler() callbacks.Handler { return m.CallbacksHandler }

// Call returns the answer to the message prompt of a user.
func (m *Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// GenerateContent returns the answers to messages. When ctx is done, it returns the error of ctx.
//
// A StopReason is "stop" or "length". GenerationInfo has PromptTokens, of which PromptCachedTokens
// needed not be computed, CompletionTokens, those of all answers, and their sum, TotalTokens.
//
// An error of StreamingFunc ends the answer, and is that of GenerateContent. A stream is for one
// answer.
func (m *Model) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if m.CallbacksHandler != nil {
		m.CallbacksHandler.HandleLLMGenerateContentStart(ctx, messages)
	}
	response, err := m.respond(ctx, messages, options)
	switch {
	case m.CallbacksHandler == nil:
	case err != nil:
		m.CallbacksHandler.HandleLLMError(ctx, err)
	default:
		m.CallbacksHandler.HandleLLMGenerateContentEnd(ctx, response)
	}
	return response, err
}

// respond is GenerateContent without callbacks.
func (m *Model) respond(ctx context.Context, messages []llms.MessageContent, options []llms.CallOption) (*llms.ContentResponse, error) {
	prompt, err := promptOf(messages)
	if err != nil {
		return nil, err
	}
	config, stats := m.config(), generate.Stats{}
	config.Stats = &stats
	o := callOptions(&config, options)
	if err := configure(&config, &o); err != nil {
		return nil, err
	}
	var result generate.Result
	if o.StreamingFunc == nil && o.StreamingReasoningFunc == nil {
		result, err = m.generate(ctx, prompt, config)
	} else {
		result, err = m.streamTo(ctx, prompt, config, &o)
	}
	if err != nil {
		return nil, err
	}
	return responseOf(&result, &stats), nil
}

// streamTo sends the pieces of the answer to the functions of o.
func (m *Model) streamTo(ctx context.Context, prompt generate.Prompt, config generate.Config, o *llms.CallOptions) (generate.Result, error) {
	var refused error
	result, err := m.stream(ctx, prompt, config, func(piece []byte) generate.Status {
		piece = bytes.Clone(piece)
		if o.StreamingFunc != nil {
			refused = o.StreamingFunc(ctx, piece)
		}
		if refused == nil && o.StreamingReasoningFunc != nil {
			refused = o.StreamingReasoningFunc(ctx, nil, piece)
		}
		if refused != nil {
			return generate.Cancel
		}
		return generate.Running
	})
	if refused != nil {
		err = refused
	}
	return result, err
}

// responseOf returns the response that result is.
func responseOf(result *generate.Result, stats *generate.Stats) *llms.ContentResponse {
	tokens := 0
	for _, s := range result.Sequences {
		tokens += len(s.Tokens)
	}
	response := &llms.ContentResponse{}
	for _, s := range result.Sequences {
		choice := &llms.ContentChoice{Content: s.Text, GenerationInfo: map[string]any{
			"PromptTokens": stats.PromptTokens, "PromptCachedTokens": stats.CachedTokens,
			"CompletionTokens": tokens, "TotalTokens": stats.PromptTokens + tokens,
		}}
		switch s.Finish {
		case generate.FinishStop:
			choice.StopReason = "stop"
		case generate.FinishLength:
			choice.StopReason = "length"
		}
		response.Choices = append(response.Choices, choice)
	}
	return response
}
