package generate

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/text/chat"
)

// byteTokenizer has a token for each byte; others have no text.
type byteTokenizer struct{ fails bool }

var errTokenizer = errors.New("no tokens today")

func (b byteTokenizer) AppendEncode(_ context.Context, tokens []int32, text string, special bool) ([]int32, error) {
	if b.fails {
		return nil, errTokenizer
	}
	if special {
		tokens = append(tokens, endOfText)
	}
	for i := range len(text) {
		tokens = append(tokens, int32(text[i]))
	}
	return tokens, nil
}

func (b byteTokenizer) AppendDecode(_ context.Context, text []byte, tokens []int32) ([]byte, error) {
	if b.fails {
		return nil, errTokenizer
	}
	var raw []byte
	for _, token := range tokens {
		if token < 256 {
			raw = append(raw, byte(token))
		}
	}
	return append(text, string([]rune(string(raw)))...), nil // U+FFFD for each invalid byte
}

// roles is a Template.
func roles(_ context.Context, messages []chat.Message) (string, error) {
	var text strings.Builder
	for _, m := range messages {
		if m.Role == "tool" {
			return "", errors.New("there are no tools")
		}
		text.WriteString(m.Role[:1] + ":" + m.Content + ";")
	}
	return text.String() + "a:", nil
}

func pipeline(t testing.TB, template Template) *Pipeline {
	t.Helper()
	p, err := NewPipeline(tiny{}.open(t), byteTokenizer{}, PipelineOptions{Template: template})
	require.NoError(t, err)
	return p
}

func tokensOf(text string) []int32 {
	tokens, _ := byteTokenizer{}.AppendEncode(background, nil, text, false)
	return tokens
}

// TestPipeline_prompts has prompts with and without a template.
func TestPipeline_prompts(t *testing.T) {
	for _, c := range []struct {
		template Template
		apply    bool
		want     []int32
	}{
		{nil, true, append([]int32{endOfText}, tokensOf("hi")...)},
		{roles, false, append([]int32{endOfText}, tokensOf("hi")...)},
		{roles, true, tokensOf("u:hi;a:")},
	} {
		p := pipeline(t, c.template)
		config := limited(p.Model(), 5)
		config.ApplyChatTemplate, config.Echo = c.apply, true
		result, err := p.Generate(background, "hi", config)
		require.NoError(t, err)
		tokens := append(c.want, greedy(t, p.Model(), c.want, 5)...)
		assert.Equal(t, tokens, result.Sequences[0].Tokens)
		text, err := byteTokenizer{}.AppendDecode(background, nil, tokens)
		require.NoError(t, err)
		assert.Equal(t, string(text), result.Sequences[0].Text)
	}
}

// TestPipeline_promptOf compares texts, chats and tokens.
func TestPipeline_promptOf(t *testing.T) {
	p := pipeline(t, roles)
	config := limited(p.Model(), 5)
	want, err := p.Generate(background, "hi", config)
	require.NoError(t, err)
	for _, prompt := range []Prompt{{Text: "hi"}, {Messages: []chat.Message{{Role: "user", Content: "hi"}}}, {Tokens: tokensOf("u:hi;a:")}} {
		got, err := p.GeneratePrompt(background, prompt, config)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		var text strings.Builder
		got, err = p.StreamPromptTo(background, prompt, config, func(piece []byte) Status {
			text.Write(piece)
			return Running
		})
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, want.Sequences[0].Text, text.String())
	}
	for _, c := range []struct {
		pipeline *Pipeline
		prompt   Prompt
		want     string
	}{
		{p, Prompt{Text: "hi", Tokens: []int32{1}}, "the Prompt has more than one of Text, Messages and Tokens"},
		{p, Prompt{Messages: []chat.Message{{Role: "tool"}}}, "there are no tools"},
		{p, Prompt{Tokens: []int32{}}, "prompt 0 has no tokens"},
		{pipeline(t, nil), Prompt{Messages: []chat.Message{{Role: "user"}}}, "a Prompt of Messages needs a Template"},
	} {
		_, err := c.pipeline.GeneratePrompt(background, c.prompt, config)
		assert.EqualError(t, err, c.want)
		_, err = c.pipeline.StreamPromptTo(background, c.prompt, config, nil)
		assert.EqualError(t, err, c.want)
	}
}

// TestPipeline_streams compares the pieces of a stream with the text, for many prompts.
func TestPipeline_streams(t *testing.T) {
	p := pipeline(t, nil)
	config := limited(p.Model(), 30)
	for _, prompt := range []string{"a", "b", "hello", "\n", "zz"} {
		want, err := p.Generate(background, prompt, config)
		require.NoError(t, err)
		var text strings.Builder
		for piece, err := range p.Stream(background, prompt, config) {
			require.NoError(t, err)
			assert.NotEmpty(t, piece)
			text.WriteString(piece)
		}
		assert.Equal(t, want.Sequences[0].Text, text.String())
		n := 0
		result, err := p.StreamTo(background, prompt, config, func([]byte) Status {
			if n++; n == 2 {
				return Stop
			}
			return Running
		})
		require.NoError(t, err)
		assert.Equal(t, 2, n, "the rest is not sent")
		if len(result.Sequences[0].Tokens) < len(want.Sequences[0].Tokens) {
			assert.Equal(t, FinishNone, result.Sequences[0].Finish)
		}
		assert.Equal(t, want.Sequences[0].Tokens[:len(result.Sequences[0].Tokens)], result.Sequences[0].Tokens)
		for piece, err := range p.Stream(background, prompt, config) {
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(text.String(), piece))
			break
		}
	}
}

// TestPipeline_stopStrings ends an answer where texts of it occur, with all kinds of searches.
func TestPipeline_stopStrings(t *testing.T) {
	p := pipeline(t, nil)
	config := limited(p.Model(), 40)
	config.DoSample, config.TopK, config.RNGSeed = true, 40, 5
	whole, err := p.Generate(background, "tell", config)
	require.NoError(t, err)
	tokens := whole.Sequences[0].Tokens
	at := -1
	for i := 5; i+2 < len(tokens) && at < 0; i++ { // two bytes that are printable
		if tokens[i] > 32 && tokens[i] < 127 && tokens[i+1] > 32 && tokens[i+1] < 127 {
			at = i
		}
	}
	require.GreaterOrEqual(t, at, 0, "the answer has two letters")
	stop := string([]byte{byte(tokens[at]), byte(tokens[at+1])})
	for i := range at {
		require.False(t, tokens[i] == tokens[at] && tokens[i+1] == tokens[at+1])
	}
	config.StopStrings = []string{"not in the text", stop}
	config.StopStrings = config.StopStrings[1:]
	for _, include := range []bool{false, true} {
		config.IncludeStopString = include
		got, err := p.Generate(background, "tell", config)
		require.NoError(t, err)
		end := at
		if include {
			end += 2
		}
		assert.Equal(t, tokens[:end], got.Sequences[0].Tokens)
		assert.Equal(t, FinishStop, got.Sequences[0].Finish)
		var text strings.Builder
		for piece, err := range p.Stream(background, "tell", config) {
			require.NoError(t, err)
			text.WriteString(piece)
		}
		assert.Equal(t, got.Sequences[0].Text, text.String(), "nothing of the stop string is sent")
	}
	search := beams(p.Model(), 3, 12)
	free, err := p.Generate(background, "tell", search)
	require.NoError(t, err)
	search.StopStrings = []string{string([]byte{byte(free.Sequences[0].Tokens[6])})}
	_, err = p.Generate(background, "tell", search)
	require.NoError(t, err)
}

// TestStopper cuts texts of several tokens, as GenAI does.
func TestStopper(t *testing.T) {
	for _, c := range []struct {
		stop    []string
		include bool
		text    string
		remove  int
		found   bool
	}{
		{[]string{"cd"}, false, "abcd", 2, true}, {[]string{"cd"}, true, "abcd", 0, true}, {[]string{"cd"}, false, "abc", 0, false},
		{[]string{"d", "abc"}, false, "xabcd", 1, true}, // the text of three tokens is "bcd"
		{[]string{"xyz"}, false, "z", 0, false},         // fewer tokens than the stop string has
		{[]string{"d", "  d"}, false, "a  d", 3, true},  // spaces at the end go too
		{[]string{"d", "  d"}, true, "a  d", 0, true},
	} {
		config := DefaultConfig()
		config.StopStrings, config.IncludeStopString = c.stop, c.include
		s, err := newStopper(background, byteTokenizer{}, &config)
		require.NoError(t, err)
		remove, found, err := s.match(background, tokensOf(c.text))
		require.NoError(t, err)
		assert.Equal(t, c.found, found, "%v", c)
		assert.Equal(t, c.remove, remove, "%v", c)
	}
	config := DefaultConfig()
	config.StopStrings = []string{"a"}
	_, err := newStopper(background, byteTokenizer{fails: true}, &config)
	assert.ErrorIs(t, err, errTokenizer)
	s := &stopper{tokenizer: byteTokenizer{fails: true}}
	_, _, err = s.match(background, []int32{1})
	assert.ErrorIs(t, err, errTokenizer)
}

// TestPipeline_goroutines uses a Pipeline at several places at once.
func TestPipeline_goroutines(t *testing.T) {
	p := pipeline(t, roles)
	config := limited(p.Model(), 8)
	want, err := p.GenerateBatch(background, []string{"a", "bc", "def"}, config)
	require.NoError(t, err)
	var wait sync.WaitGroup
	for i := range 6 {
		wait.Go(func() {
			got, err := p.Generate(background, []string{"a", "bc", "def"}[i%3], config)
			assert.NoError(t, err)
			assert.Equal(t, want[i%3], got)
		})
	}
	wait.Wait()
}

func TestPipeline_errors(t *testing.T) {
	_, err := NewPipeline(nil, byteTokenizer{}, PipelineOptions{})
	assert.EqualError(t, err, "a Pipeline needs a Model and a Tokenizer")
	m := tiny{}.open(t)
	p, err := NewPipeline(m, byteTokenizer{fails: true}, PipelineOptions{})
	require.NoError(t, err)
	config := limited(m, 3)
	_, err = p.Generate(background, "a", config)
	assert.EqualError(t, err, "prompt 0: no tokens today")
	_, err = p.StreamTo(background, "a", config, nil)
	assert.ErrorIs(t, err, errTokenizer)
	for piece, err := range p.Stream(background, "a", config) {
		assert.Empty(t, piece)
		assert.ErrorIs(t, err, errTokenizer)
	}
	_, err = p.NewChat("")
	assert.EqualError(t, err, "a Chat needs a Pipeline with a Template")
	p = pipeline(t, nil)
	_, err = p.Generate(background, "", Config{})
	assert.ErrorContains(t, err, "the Config is empty")
	_, err = p.StreamTo(background, "", Config{}, nil)
	assert.ErrorContains(t, err, "the Config is empty")
}

// TestChat has turns, each of which continues the tokens of those before.
func TestChat(t *testing.T) {
	p := pipeline(t, roles)
	talk, err := p.NewChat("be brief")
	require.NoError(t, err)
	config := limited(p.Model(), 6)
	want := []chat.Message{{Role: "system", Content: "be brief"}}
	for i, message := range []string{"hi", "why?", "bye"} {
		var text string
		prompt, err := roles(background, append(want, chat.Message{Role: "user", Content: message}))
		require.NoError(t, err)
		answer := greedy(t, p.Model(), tokensOf(prompt), 6)
		if i == 1 {
			for piece, err := range talk.Stream(background, message, config) {
				require.NoError(t, err)
				text += piece
			}
		} else {
			result, err := talk.Send(background, message, config)
			require.NoError(t, err)
			text = result.Sequences[0].Text
		}
		decoded, err := byteTokenizer{}.AppendDecode(background, nil, answer)
		require.NoError(t, err)
		assert.Equal(t, string(decoded), text)
		want = append(want, chat.Message{Role: "user", Content: message}, chat.Message{Role: "assistant", Content: text})
		assert.Equal(t, want, talk.Messages())
	}
	for range talk.Stream(background, "and?", config) {
		break
	}
	assert.Equal(t, want, talk.Messages(), "the turn was cancelled")
	ctx, cancel := context.WithCancel(background)
	cancel()
	_, err = talk.Send(ctx, "and?", config)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, want, talk.Messages())
	require.NoError(t, talk.SetMessages([]chat.Message{{Role: "tool", Content: "x"}}))
	_, err = talk.Send(background, "and?", config)
	assert.EqualError(t, err, "there are no tools")
	talk.mu.Lock()
	_, err = talk.Send(background, "and?", config)
	assert.ErrorIs(t, err, ErrBusy)
	assert.ErrorIs(t, talk.SetMessages(nil), ErrBusy)
	assert.Nil(t, talk.Messages())
	talk.mu.Unlock()
}
