package generate

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"sync"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// Defaults of EngineOptions.
const (
	engineSequences = 32
	engineTokens    = 256
	engineBytes     = 1 << 30
	engineQueue     = 256
)

// EngineOptions are options for an Engine. Zero fields mean the defaults.
type EngineOptions struct {
	// Template makes texts of chats, as in PipelineOptions.
	Template Template
	// MaxSequences is the number of sequences that are computed at the same time; 0 means 32.
	// Prompts wait for a place in the order in which they come, and of Prompt.Priority.
	MaxSequences int
	// MaxTokens is the number of tokens that a step computes at most; 0 means 256. A prompt that is
	// longer takes several steps, between the tokens of other answers: the fewer tokens, the less
	// these wait, and the longer a prompt takes. It is at least MaxSequences.
	MaxTokens int
	// CacheBytes bounds the memory for keys and values; 0 means 1 GiB. It is allocated as needed,
	// and kept. If all attentions of the model see a window, a text can be longer than this.
	CacheBytes int64
	// QueueLength is the number of prompts that may wait for a place; 0 means 256. More are refused
	// with ErrQueueFull. Those that have lost their places to others count too.
	QueueLength int
}

// Errors of an Engine.
var (
	// ErrQueueFull is the error of a prompt that comes while QueueLength others wait, whatever its
	// Prompt.Priority and theirs: a prompt that waits is never dropped for another one. The caller
	// can try again later.
	ErrQueueFull = errors.New("the queue of the Engine is full")
	// ErrCacheFull is the error of a request that needs more memory than EngineOptions.CacheBytes.
	ErrCacheFull = errors.New("the memory of the Engine is too small")
	// ErrEngineClosed is the error of a prompt after Engine.Close, or that Close did not wait for.
	ErrEngineClosed = errors.New("the Engine is closed")
)

// Engine continues many texts at once with one Model. A step computes the next tokens of all of
// them, so that the weights are read once for all; prompts come in and answers end between steps.
// Keys and values are kept in blocks, which texts that begin with the same tokens share, also those
// that come later. An Engine is safe for concurrent use.
//
// The tokens of an answer do not depend on the other requests, except for rounding: products of
// more rows may add in another order.
type Engine struct {
	pipeline Pipeline // for the texts; it has no Sessions
	options  EngineOptions
	schedule schedule
	stop     context.CancelFunc // of the steps
	stopped  chan struct{}      // the goroutine has ended
	wake     chan struct{}

	mu      sync.Mutex
	waiting []*request // the first one that gets a place first
	entered uint64     // number of requests so far
	closed  bool
	stats   EngineStats
}

// EngineStats says what an Engine does and has done.
type EngineStats struct {
	// Running is the number of requests that have a place, and Waiting that of the others.
	Running, Waiting int
	// Blocks is the number of blocks, each of BlockBytes bytes for the keys and values of
	// BlockTokens tokens, and BlocksUsed of those that running requests have. The others can have
	// what ended ones have left.
	Blocks, BlocksUsed, BlockBytes, BlockTokens int
	// Steps counts steps, ComputedTokens the tokens that were computed, those that were computed
	// again too, ReusedTokens those that needed not be computed because a text before had them,
	// GeneratedTokens those of answers, and Preempted the requests that had to give back their
	// blocks for a while.
	Steps, ComputedTokens, ReusedTokens, GeneratedTokens, Preempted uint64
}

// NewEngine returns an Engine. tokenizer may be nil if all prompts are Tokens. model stays usable,
// and must be closed after the Engine; the Engine compiles it a second time, and shares its packed
// weights.
//
// It is an error if model cannot be computed for several texts at once: if something other than
// attention with a mask or a window reads its variables, or the length of the text so far. Logits
// of MaxSequences texts that take more than Options.Limits.MaxTensorBytes are an error too.
func NewEngine(model *Model, tokenizer Tokenizer, options EngineOptions) (*Engine, error) {
	if model == nil {
		return nil, errors.New("an Engine needs a Model")
	}
	options.MaxSequences = cmp.Or(options.MaxSequences, engineSequences)
	options.MaxTokens = max(cmp.Or(options.MaxTokens, engineTokens), options.MaxSequences)
	options.CacheBytes = cmp.Or(options.CacheBytes, engineBytes)
	options.QueueLength = cmp.Or(options.QueueLength, engineQueue)
	if options.MaxSequences < 0 || options.CacheBytes < 0 || options.QueueLength < 0 {
		return nil, faults.Errorf("MaxSequences is %d, CacheBytes %d and QueueLength %d, which are not all positive",
			options.MaxSequences, options.CacheBytes, options.QueueLength)
	}
	if _, err := model.logitsBytes(ir.Shape{1, options.MaxSequences, model.vocabulary}); err != nil {
		return nil, faults.Errorf("engine: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	m, cache, err := model.compilePaged(ctx, options.CacheBytes)
	if err != nil {
		stop()
		return nil, faults.Errorf("engine: %w", err)
	}
	steps, err := newPagedSteps(m, cache.Store)
	if err != nil {
		stop()
		m.compiled.Close()
		return nil, err
	}
	e := &Engine{
		pipeline: Pipeline{model: model, tokenizer: tokenizer, options: PipelineOptions{Template: options.Template}},
		options:  options,
		schedule: schedule{cache: cache, steps: steps, maxTokens: options.MaxTokens},
		stop:     stop, stopped: make(chan struct{}), wake: make(chan struct{}, 1),
	}
	e.report()
	go e.loop(ctx)
	return e, nil
}

// Config returns the settings of the model.
func (e *Engine) Config() Config { return e.pipeline.Config() }

// Stats returns what the Engine does now and has done.
func (e *Engine) Stats() EngineStats {
	e.mu.Lock()
	defer e.mu.Unlock()
	stats := e.stats
	stats.Waiting = len(e.waiting)
	return stats
}

// Generate continues prompt by config. When ctx is done, it returns the error of ctx at once, and
// the place is free before the next step.
//
// Config.NumAssistantTokens is ignored: an Engine does not guess. Of Config.Stats, only
// PromptTokens is set.
func (e *Engine) Generate(ctx context.Context, prompt Prompt, config Config) (Result, error) {
	tokens, err := e.pipeline.encodePrompt(ctx, prompt, &config)
	if err != nil {
		return Result{}, err
	}
	result, err := e.generate(ctx, tokens, prompt.Priority, config, nil)
	if err != nil || e.pipeline.tokenizer == nil {
		return result, err
	}
	return result, e.pipeline.decode(ctx, []Result{result})
}

// StreamTo is Generate for one sequence whose text receive gets piece by piece, as soon as it can
// no longer change. receive is called by the goroutine of the caller: if it is slow, others do not
// wait. It must not keep piece. The Engine must have a tokenizer.
func (e *Engine) StreamTo(ctx context.Context, prompt Prompt, config Config, receive func(piece []byte) Status) (Result, error) {
	if e.pipeline.tokenizer == nil {
		return Result{}, errors.New("a stream of text needs a Tokenizer")
	}
	tokens, err := e.pipeline.encodePrompt(ctx, prompt, &config)
	if err != nil {
		return Result{}, err
	}
	answer := func(out receiver) (Result, error) { return e.generate(ctx, tokens, prompt.Priority, config, out) }
	result, _, err := e.pipeline.streamTo(ctx, answer, receive)
	return result, err
}

// Stream yields the pieces of the text of StreamTo. The last value may be an error. A loop that
// ends early ends the answer.
func (e *Engine) Stream(ctx context.Context, prompt Prompt, config Config) iter.Seq2[string, error] {
	return pieces(func(receive func(piece []byte) Status) error {
		_, err := e.StreamTo(ctx, prompt, config, receive)
		return err
	})
}

// Close waits until all requests have ended, and refuses new ones. When ctx is done, it ends those
// that are left, which return ErrEngineClosed, and returns the error of ctx.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	notify(e.wake)
	var err error
	select {
	case <-e.stopped:
	case <-ctx.Done():
		err = ctx.Err()
		e.stop()
		<-e.stopped
	}
	e.stop()
	e.schedule.steps.model.compiled.Close()
	return err
}
