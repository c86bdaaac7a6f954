package generate

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/internal/conformance/textcorpus"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/text/chat"
)

// newEngine returns an Engine that the test closes, and after which no block is used.
func newEngine(t testing.TB, m *Model, tokenizer Tokenizer, options EngineOptions) *Engine {
	t.Helper()
	e, err := NewEngine(m, tokenizer, options)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, e.Close(background))
		stats := e.Stats()
		assert.Zero(t, stats.BlocksUsed)
		assert.Zero(t, stats.Running)
		assert.Zero(t, stats.Waiting)
	})
	return e
}

// TestEngine_greedy compares prompts, one by one and all at once, with the definition of a greedy
// search.
func TestEngine_greedy(t *testing.T) {
	for name, c := range map[string]tiny{
		"plain": {}, "noPositions": {noPositions: true}, "halves": {halves: true}, "capped": {capped: true}, "hidden": {hidden: true}, "noBeams": {noBeams: true}, "window": {window: 5},
		"slopes": {slopes: true}, "ramps": {ramps: true, noPositions: true}, "slopes and window": {slopes: true, window: 7}, "sink": {sink: true},
	} {
		t.Run(name, func(t *testing.T) {
			m := c.open(t)
			e := newEngine(t, m, nil, EngineOptions{MaxTokens: 5, MaxSequences: 5})
			var wait sync.WaitGroup
			for _, prompt := range somePrompts {
				want := greedy(t, m, prompt, 12)
				got, err := e.Generate(background, Prompt{Tokens: prompt}, limited(m, 12))
				require.NoError(t, err)
				assert.Equal(t, want, got.Sequences[0].Tokens)
				wait.Go(func() {
					got, err := e.Generate(background, Prompt{Tokens: prompt}, limited(m, 12))
					assert.NoError(t, err)
					assert.Equal(t, want, got.Sequences[0].Tokens)
				})
			}
			wait.Wait()
		})
	}
}

// TestEngine_configs compares answers of all kinds with those of a Session, while others run.
func TestEngine_configs(t *testing.T) {
	m := tiny{seed: 3}.open(t)
	sampled := limited(m, 20)
	sampled.DoSample, sampled.Temperature, sampled.RNGSeed = true, 1.3, 7
	several := sampled
	several.NumReturnSequences, several.TopK, several.FrequencyPenalty = 4, 9, 0.5
	penalties := limited(m, 20)
	penalties.RepetitionPenalty, penalties.PresencePenalty, penalties.LogProbs, penalties.Echo = 1.2, 0.3, 1, true
	long := limited(m, 150)
	long.IgnoreEOS = true
	onlyPrompt := limited(m, 0)
	onlyPrompt.Echo = true
	search := beams(m, 4, 40)
	search.NumBeamGroups, search.DiversityPenalty, search.NumReturnSequences = 2, 0.5, 3
	type answer struct {
		name   string
		prompt []int32
		config Config
		want   Result
	}
	var answers []answer
	for name, config := range map[string]Config{
		"sampled": sampled, "several": several, "penalties": penalties, "only the prompt": onlyPrompt, "beams": search, "long": long, "another": long,
	} {
		for _, prompt := range [][]int32{{1, 2, 3}, tokensOf("the quick brown fox jumps over the lazy dog, and so on")} {
			want, err := m.NewSession().Generate(background, [][]int32{prompt}, config)
			require.NoError(t, err)
			answers = append(answers, answer{name, prompt, config, want[0]})
		}
	}
	for _, options := range []EngineOptions{{}, {MaxSequences: 8, MaxTokens: 9, CacheBytes: 11 * 4096}} {
		e := newEngine(t, m, nil, options)
		var wait sync.WaitGroup
		for _, a := range answers {
			wait.Go(func() {
				got, err := e.Generate(background, Prompt{Tokens: a.prompt}, a.config)
				if !assert.NoError(t, err, a.name) || !assert.Len(t, got.Sequences, len(a.want.Sequences)) {
					return
				}
				for k, s := range got.Sequences {
					w := a.want.Sequences[k]
					assert.Equal(t, w.Tokens, s.Tokens, "%s, prompt %d", a.name, a.prompt)
					assert.Equal(t, w.Finish, s.Finish)
					assert.InDelta(t, w.Score, s.Score, 1e-2)
					assert.InDeltaSlice(t, w.LogProbs, s.LogProbs, 1e-2)
				}
			})
		}
		wait.Wait()
	}
}

// TestEngine_sharesWeights runs a Session and an Engine of one Model: the Engine packs no weights.
func TestEngine_sharesWeights(t *testing.T) {
	m := tiny{}.open(t)
	_, err := m.NewSession().Generate(background, [][]int32{{1, 2, 3}}, limited(m, 4))
	require.NoError(t, err)
	e := newEngine(t, m, nil, EngineOptions{})
	_, err = e.Generate(background, Prompt{Tokens: []int32{1, 2, 3}}, limited(m, 4))
	require.NoError(t, err)
	of, _ := m.Compiled().Memory()
	ofEngine, _ := e.schedule.steps.model.compiled.Memory()
	assert.Less(t, ofEngine.Kept, of.Kept-4*2*2*tinyWidth*tinyWidth, "at least a product of the middle")
}

// TestEngine_prefixes counts the tokens that later prompts need not compute.
func TestEngine_prefixes(t *testing.T) {
	m := tiny{}.open(t)
	e := newEngine(t, m, nil, EngineOptions{MaxTokens: 64})
	prompt := make([]int32, 150)
	for i := range prompt {
		prompt[i] = int32(i * 7 % 250)
	}
	first, err := e.Generate(background, Prompt{Tokens: prompt}, limited(m, 20))
	require.NoError(t, err)
	before := e.Stats()
	assert.Zero(t, before.ReusedTokens)
	second, err := e.Generate(background, Prompt{Tokens: prompt}, limited(m, 20))
	require.NoError(t, err)
	assert.Equal(t, first, second)
	assert.EqualValues(t, 128, e.Stats().ReusedTokens)
	assert.EqualValues(t, 150-128+len(second.Sequences[0].Tokens)-1, e.Stats().ComputedTokens-before.ComputedTokens)
	// The next turn of a chat has the answer too.
	turn := append(append(prompt, first.Sequences[0].Tokens...), 1, 2, 3)
	third, err := e.Generate(background, Prompt{Tokens: turn}, limited(m, 5))
	require.NoError(t, err)
	assert.Equal(t, greedy(t, m, turn, 5), third.Sequences[0].Tokens)
	known := len(prompt) + len(first.Sequences[0].Tokens) - 1 // the last token was not computed
	assert.EqualValues(t, 128+known/32*32, e.Stats().ReusedTokens)
	other := append([]int32{5}, prompt...)
	fourth, err := e.Generate(background, Prompt{Tokens: other}, limited(m, 5))
	require.NoError(t, err)
	assert.Equal(t, greedy(t, m, other, 5), fourth.Sequences[0].Tokens)
}

// TestEngine_window has texts that are longer than the memory: all tokens see a window only, and
// what is behind it is given back.
func TestEngine_window(t *testing.T) {
	m := tiny{noPositions: true, window: 40}.open(t)
	e := newEngine(t, m, nil, EngineOptions{MaxTokens: 20, CacheBytes: 6 * 4096})
	prompt := make([]int32, 250)
	for i := range prompt {
		prompt[i] = int32(i * 7 % 250)
	}
	config := limited(m, 70)
	config.IgnoreEOS = true
	want, err := m.NewSession().Generate(background, [][]int32{prompt}, config)
	require.NoError(t, err)
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			got, err := e.Generate(background, Prompt{Tokens: prompt}, config)
			assert.NoError(t, err)
			assert.Equal(t, want[0].Sequences[0].Tokens, got.Sequences[0].Tokens)
		})
	}
	wait.Wait()
	several := config
	several.DoSample, several.NumReturnSequences, several.RNGSeed = true, 2, 3
	want, err = m.NewSession().Generate(background, [][]int32{prompt}, several)
	require.NoError(t, err)
	got, err := e.Generate(background, Prompt{Tokens: prompt}, several)
	require.NoError(t, err)
	for i, s := range want[0].Sequences {
		assert.Equal(t, s.Tokens, got.Sequences[i].Tokens)
	}
	_, err = newEngine(t, m, nil, EngineOptions{CacheBytes: 4096}).Generate(background, Prompt{Tokens: prompt}, config)
	require.ErrorIs(t, err, ErrCacheFull)
}

// TestEngine_streams compares the text of a stream with that of an answer, with a stop string, and
// ends one early.
func TestEngine_streams(t *testing.T) {
	m := tiny{}.open(t)
	e := newEngine(t, m, byteTokenizer{}, EngineOptions{Template: roles})
	p := pipeline(t, roles)
	for _, prompt := range []Prompt{{Text: "hello"}, {Messages: []chat.Message{{Role: "user", Content: "hello"}}}} {
		want, err := p.Generate(background, "hello", limited(m, 30))
		require.NoError(t, err)
		got, err := e.Generate(background, prompt, limited(m, 30))
		require.NoError(t, err)
		assert.Equal(t, want, got)
		stats, counted := Stats{}, limited(m, 30)
		counted.Stats = &stats
		text := ""
		for piece, err := range e.Stream(background, prompt, counted) {
			require.NoError(t, err)
			text += piece
		}
		assert.Equal(t, want.Sequences[0].Text, text)
		assert.Equal(t, Stats{PromptTokens: len("u:hello;a:")}, stats)
	}
	long := limited(m, 200)
	long.IgnoreEOS = true
	full, err := p.Generate(background, "hello", long)
	require.NoError(t, err)
	pieces := 0
	result, err := e.StreamTo(background, Prompt{Text: "hello"}, long, func([]byte) Status {
		pieces++
		return Stop
	})
	require.NoError(t, err)
	assert.Equal(t, 1, pieces)
	tokens := result.Sequences[0].Tokens
	assert.NotEmpty(t, tokens)
	assert.Equal(t, full.Sequences[0].Tokens[:len(tokens)], tokens)
	if len(tokens) < 200 { // the Engine goes on while the caller receives
		assert.Equal(t, FinishNone, result.Sequences[0].Finish)
	}
	for range e.Stream(background, Prompt{Text: "hello"}, limited(m, 30)) {
		break
	}
}

// TestEngine_queue fills the queue, which refuses a prompt whatever its priority, and cancels what
// waits and what runs.
func TestEngine_queue(t *testing.T) {
	m := tiny{noPositions: true}.open(t)
	e := newEngine(t, m, nil, EngineOptions{MaxSequences: 1, QueueLength: 1})
	ctx, cancel := context.WithCancel(background)
	endless := limited(m, 1<<20)
	endless.IgnoreEOS = true
	failed := make(chan error, 2)
	start := func() {
		go func() {
			_, err := e.Generate(ctx, Prompt{Tokens: []int32{1}}, endless)
			failed <- err
		}()
	}
	start()
	require.Eventually(t, func() bool { return e.Stats().Running == 1 }, time.Minute, time.Millisecond)
	start()
	require.Eventually(t, func() bool { return e.Stats().Waiting == 1 }, time.Minute, time.Millisecond)
	_, err := e.Generate(background, Prompt{Tokens: []int32{1}, Priority: 1}, endless)
	require.ErrorIs(t, err, ErrQueueFull)
	require.EqualError(t, err, "the queue of the Engine is full: 1 prompts wait (QueueLength)")
	cancel()
	require.ErrorIs(t, <-failed, context.Canceled)
	require.ErrorIs(t, <-failed, context.Canceled)
	require.Eventually(t, func() bool { return e.Stats().BlocksUsed == 0 }, time.Minute, time.Millisecond)
	_, err = e.Generate(background, Prompt{Tokens: []int32{1}}, limited(m, 3))
	require.NoError(t, err)
}

// TestEngine_close closes an Engine that works: it waits, or ends what runs.
func TestEngine_close(t *testing.T) {
	m := tiny{noPositions: true}.open(t)
	config := limited(m, 1<<20)
	config.IgnoreEOS = true
	for _, short := range []bool{true, false} {
		e, err := NewEngine(m, nil, EngineOptions{MaxSequences: 1})
		require.NoError(t, err)
		if short {
			config.MaxNewTokens = 50
		} else {
			config.MaxNewTokens = 1 << 20
		}
		failed := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := e.Generate(background, Prompt{Tokens: []int32{1}}, config)
				failed <- err
			}()
		}
		require.Eventually(t, func() bool { s := e.Stats(); return s.Running+s.Waiting+int(s.GeneratedTokens) >= 2 }, time.Minute, time.Microsecond)
		ctx, cancel := context.WithTimeout(background, time.Minute)
		if !short {
			cancel()
			require.ErrorIs(t, e.Close(ctx), context.Canceled)
		} else {
			require.NoError(t, e.Close(ctx))
		}
		cancel()
		for range 2 {
			if err := <-failed; !short {
				require.ErrorIs(t, err, ErrEngineClosed)
			} else if err != nil {
				require.ErrorIs(t, err, ErrEngineClosed)
			}
		}
		_, err = e.Generate(background, Prompt{Tokens: []int32{1}}, config)
		require.ErrorIs(t, err, ErrEngineClosed)
		assert.Zero(t, e.Stats().BlocksUsed)
	}
}

// TestEngine_errors has what is refused.
func TestEngine_errors(t *testing.T) {
	m := tiny{}.open(t)
	small, err := Options{Ops: builtin.Ops(), Limits: plugin.Options{MaxTensorBytes: 100_000}}.New(background, tiny{}.build(t), DefaultConfig())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, small.Close()) })
	for _, c := range []struct {
		model   *Model
		options EngineOptions
		err     string
	}{
		{nil, EngineOptions{}, "an Engine needs a Model"},
		{m, EngineOptions{MaxSequences: -1}, "MaxSequences is -1, CacheBytes 1073741824 and QueueLength 256, which are not all positive"},
		{small, EngineOptions{MaxSequences: 100}, "engine: the logits of 100 positions of 1 sequences need 102800 bytes, more than the limit of 100000"},
		{m, EngineOptions{CacheBytes: 100}, "engine: 100 bytes are less than the 4096 bytes of 32 tokens"},
		{tiny{curved: true}.open(t), EngineOptions{}, "as a mask of attention: it adds 3.43594"},
		{tiny{scaled: true}.open(t), EngineOptions{}, "it makes [] of all tokens of a step, which are of several texts"},
		{tiny{fixed: true}.open(t), EngineOptions{}, `the variable is not one of keys or values that attention reads`},
	} {
		_, err := NewEngine(c.model, nil, c.options)
		require.ErrorContains(t, err, c.err)
	}
	e := newEngine(t, m, nil, EngineOptions{MaxSequences: 2, CacheBytes: 2 * 4096})
	config := limited(m, 100)
	config.IgnoreEOS = true
	many := config
	many.DoSample, many.NumReturnSequences = true, 3
	for _, c := range []struct {
		prompt Prompt
		config Config
		err    string
	}{
		{Prompt{Tokens: make([]int32, 65)}, config, "the memory of the Engine is too small: the prompt has 65 tokens, and there is memory for 64 (CacheBytes)"},
		{Prompt{Tokens: make([]int32, 60)}, config, "the memory of the Engine is too small: the 65 tokens of the request are more than the 64 for which there is memory (CacheBytes)"},
		{Prompt{Tokens: []int32{257}}, config, "token 0 of prompt 0 is 257, not one of the 257 of the vocabulary"},
		{Prompt{Tokens: []int32{1}}, many, "NumReturnSequences is 3 and NumBeams 1, more than the 2 of MaxSequences"},
		{Prompt{Tokens: []int32{1}}, Config{}, "the Config is empty, not made by DefaultConfig or Model.Config"},
		{Prompt{Tokens: []int32{1}, Text: "a"}, config, "the Prompt has more than one of Text, Messages and Tokens"},
		{Prompt{Text: "a"}, config, "a Prompt of text needs a Tokenizer"},
	} {
		_, err := e.Generate(background, c.prompt, c.config)
		assert.EqualError(t, err, c.err)
	}
}

// TestEngine_soak has prompts of random lengths in little memory, of clients that wait, that cancel
// and that leave a stream. What remains is right, and nothing is left over.
func TestEngine_soak(t *testing.T) {
	m := tiny{}.open(t)
	goroutines := runtime.NumGoroutine()
	e, err := NewEngine(m, byteTokenizer{}, EngineOptions{MaxSequences: 6, MaxTokens: 40, CacheBytes: 9 * 4096})
	require.NoError(t, err)
	text := strings.Repeat("all work and no play makes jack a dull boy. ", 4)
	var wait sync.WaitGroup
	var canceled atomic.Int32
	for client := range 8 {
		rng := rand.New(rand.NewPCG(9, uint64(client)))
		session := m.NewSession()
		wait.Go(func() {
			for range 12 {
				prompt := Prompt{Text: text[rng.IntN(4):][:1+rng.IntN(len(text)-4)]}
				config := limited(m, 1+rng.IntN(60))
				config.IgnoreEOS = rng.IntN(2) == 0
				config.DoSample, config.RNGSeed = rng.IntN(2) == 0, rng.Uint32()
				ctx, cancel := context.WithCancel(background)
				switch rng.IntN(3) {
				case 0:
					if after := rng.IntN(3000); after < 1000 {
						cancel()
					} else {
						time.AfterFunc(time.Duration(after)*time.Microsecond, cancel)
					}
				case 1:
					for range e.Stream(ctx, prompt, config) {
						if rng.IntN(4) == 0 {
							break
						}
					}
				}
				result, err := e.Generate(ctx, prompt, config)
				cancel()
				switch {
				case errors.Is(err, context.Canceled):
					canceled.Add(1)
				case assert.NoError(t, err):
					tokens, err := byteTokenizer{}.AppendEncode(background, nil, prompt.Text, true)
					assert.NoError(t, err)
					want, err := session.Generate(background, [][]int32{tokens}, config)
					assert.NoError(t, err)
					assert.Equal(t, want[0].Sequences[0].Tokens, result.Sequences[0].Tokens)
				}
			}
		})
	}
	wait.Wait()
	assert.Positive(t, canceled.Load())
	require.NoError(t, e.Close(background))
	stats := e.Stats()
	assert.Zero(t, stats.BlocksUsed+stats.Running+stats.Waiting)
	assert.Equal(t, 9, stats.Blocks)
	// The condition has a goroutine of its own.
	assert.Eventually(t, func() bool { return runtime.NumGoroutine() <= goroutines+1 }, time.Minute, time.Millisecond)
}

// TestEngine_models makes an Engine of each language model of the corpus: none is refused.
func TestEngine_models(t *testing.T) {
	root := filepath.Dir(corpus(t))
	files, err := filepath.Glob(filepath.Join(root, "text", "llm", "*", modelFile))
	require.NoError(t, err)
	for _, pattern := range []string{"quant/llama_*/model.xml", "zoo/llm_*/model.xml"} {
		more, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		files = append(files, more...)
	}
	require.Len(t, files, 8)
	for _, file := range files {
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			source, err := irxml.ReadFile(file, irxml.ReadOptions{MMap: true})
			require.NoError(t, err)
			m, err := Options{Ops: builtin.Ops()}.New(background, source, DefaultConfig())
			require.NoError(t, err)
			defer m.Close()
			e, err := NewEngine(m, nil, EngineOptions{CacheBytes: 1 << 20})
			require.NoError(t, err)
			require.NoError(t, e.Close(background))
		})
	}
}

// TestEngine_corpus compares the tokens of all cases of one prompt with GenAI's, one by one and
// with eight at once that join at random times.
func TestEngine_corpus(t *testing.T) {
	for _, folder := range models(t) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			file, err := textcorpus.ReadAnswers(filepath.Join(folder, "generate.json"))
			require.NoError(t, err)
			m := openCorpus(t, folder)
			e := newEngine(t, m, nil, EngineOptions{MaxTokens: 48})
			places := make(chan struct{}, 8)
			rng := rand.New(rand.NewPCG(1, 1))
			var wait sync.WaitGroup
			compared := 0
			for round := range 2 {
				for _, c := range file.Cases {
					config := DefaultConfig()
					require.NoError(t, json.Unmarshal(c.Settings, &config))
					if len(c.PromptIDs) == 0 || len(c.Tokens) == 0 || len(config.StopStrings) > 0 || c.Messages != nil {
						continue
					}
					config.StopTokenIDs = union(config.StopTokenIDs, m.Config().StopTokenIDs)
					compared++
					check := func() {
						result, err := e.Generate(background, Prompt{Tokens: c.PromptIDs}, config)
						if !assert.NoError(t, err, c.Config) || !assert.Len(t, result.Sequences, len(c.Tokens), c.Config) {
							return
						}
						for i, s := range result.Sequences {
							assert.Equal(t, c.Tokens[i], s.Tokens, "%s %v", c.Config, c.PromptIDs)
							assert.Equal(t, c.Finish[i], s.Finish.String(), c.Config)
						}
					}
					if round == 0 {
						check()
						continue
					}
					places <- struct{}{}
					time.Sleep(time.Duration(rng.IntN(3)) * time.Millisecond)
					wait.Go(func() {
						defer func() { <-places }()
						check()
					})
				}
			}
			wait.Wait()
			require.Positive(t, compared)
		})
	}
}
