package chat_test

import (
	"context"
	"encoding/json"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/text/chat"
)

// rendered returns what a template makes of an input.
func rendered(t *testing.T, source string, in chat.Input) string {
	t.Helper()
	template, err := chat.Parse(source)
	require.NoError(t, err)
	text, err := template.Render(t.Context(), in)
	require.NoError(t, err)
	return text
}

// shown is a template that shows all messages.
const shown = "{{ messages | tojson }}"

func object(t *testing.T, text string) *chat.Object {
	t.Helper()
	o := &chat.Object{}
	require.NoError(t, json.Unmarshal([]byte(text), o))
	return o
}

func TestMessages(t *testing.T) {
	for name, c := range map[string]struct {
		message chat.Message
		want    string
	}{
		"text":      {chat.Message{Role: "user", Content: "hi"}, `{"role": "user", "content": "hi"}`},
		"empty":     {chat.Message{Role: "user"}, `{"role": "user", "content": ""}`},
		"answer":    {chat.Message{Role: "tool", Content: "1", ToolCallID: "x", Name: "f"}, `{"role": "tool", "content": "1", "tool_call_id": "x", "name": "f"}`},
		"invalid":   {chat.Message{Role: "user", Content: "a\xffb"}, `{"role": "user", "content": "a` + "\uFFFD" + `b"}`},
		"parts":     {chat.Message{Role: "user", Parts: []chat.Part{{Type: "text"}, {Type: "image", Extra: object(t, `{"url":"x"}`)}}}, `{"role": "user", "content": [{"type": "text", "text": ""}, {"type": "image", "url": "x"}]}`},
		"no parts":  {chat.Message{Role: "user", Parts: []chat.Part{}}, `{"role": "user", "content": []}`},
		"call":      {chat.Message{Role: "assistant", ToolCalls: []chat.ToolCall{{ID: "1", Name: "f", Arguments: "{}"}}}, `{"role": "assistant", "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}`},
		"reasoning": {chat.Message{Role: "assistant", Content: "x", ReasoningContent: "r"}, `{"thinking": "r", "role": "assistant", "content": "x", "reasoning_content": "r"}`},
		"older":     {chat.Message{Role: "assistant", Content: "x", Extra: object(t, `{"reasoning":"r"}`)}, `{"thinking": "r", "role": "assistant", "content": "x", "reasoning": "r", "reasoning_content": "r"}`},
		"extra":     {chat.Message{Role: "user", Content: "new", Extra: object(t, `{"content":"old","n":null,"z":1}`)}, `{"role": "user", "content": "new", "z": 1}`},
	} {
		assert.Equal(t, "["+c.want+"]", rendered(t, shown, chat.Input{Messages: []chat.Message{c.message}}), name)
	}
}

// TestJSON checks that messages keep the order of their fields, and lose those that hold null.
func TestJSON(t *testing.T) {
	messages, err := chat.ParseMessages([]byte(`[{"z": [1, 1.0, -1e2, 12345678901234567890, {"b": null, "a": true}], "content": "x", "name": null, "role": "user"},
		{"role": "assistant", "content": [{"type": "text", "text": "a"}], "tool_calls": [{"function": {"arguments": {"q": 1}, "name": "f"}}], "thinking": "t"}]`))
	require.NoError(t, err)
	assert.Equal(t, "user", messages[0].Role)
	assert.Equal(t, "x", messages[0].Content)
	want := `[{"z": [1, 1.0, -100.0, 12345678901234567890, {"b": null, "a": true}], "content": "x", "role": "user"}, ` +
		`{"thinking": "t", "role": "assistant", "content": [{"type": "text", "text": "a"}], "tool_calls": [{"function": {"arguments": {"q": 1}, "name": "f"}}], "reasoning_content": "t"}]`
	assert.Equal(t, want, rendered(t, shown, chat.Input{Messages: messages}))

	messages[0].Content = "y"
	text, err := json.Marshal(messages[0])
	require.NoError(t, err)
	assert.JSONEq(t, `{"z": [1, 1.0, -100.0, 12345678901234567890, {"b": null, "a": true}], "content": "y", "role": "user"}`, string(text))
	assert.True(t, strings.HasSuffix(string(text), `"content":"y","role":"user"}`))

	for _, bad := range []string{"", "[", `{"role": "user"}`, `[1]`, `[[]]`, `[{"role": 1e}]`, `[{"role": "user"} 1`, `[{"x": ` + strings.Repeat("9", 5000) + "}]", `[{"x": ` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}]"} {
		_, err := chat.ParseMessages([]byte(bad))
		assert.Error(t, err, "%.40s", bad)
	}
}

func TestMarshal(t *testing.T) {
	for want, v := range map[string]any{
		`{"role":"user","content":"hi"}`:                                                     chat.Message{Role: "user", Content: "hi"},
		`{"type":"text","text":"a"}`:                                                         chat.Part{Type: "text", Text: "a"},
		`{"type":"function","function":{"name":"f","arguments":null}}`:                       chat.ToolCall{Name: "f"},
		`{"type":"function","function":{"name":"f","description":"d","parameters":{"x":1}}}`: chat.Tool{Name: "f", Description: "d", Parameters: object(t, `{"x":1}`)},
	} {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
	o := &chat.Object{}
	o.Set("f", func() {})
	_, err := json.Marshal(o)
	assert.Error(t, err)
}

func TestVariables(t *testing.T) {
	type point struct {
		Y int `json:"y"`
		X int `json:"x"`
	}
	var none *chat.Object
	in := chat.Input{
		Messages: []chat.Message{{Role: "user", Content: "hi"}},
		Tokens:   map[string]string{"bos_token": "<s>", "x": "token"},
		Variables: map[string]any{"x": []any{
			nil, true, 1, int32(2), int64(3), 4.5, float32(0.5), "a", json.Number("7"), json.Number("7.0"), big.NewInt(8), new(big.Int).Lsh(big.NewInt(1), 70),
			none, []string{"b"}, map[string]any{"b": 1, "a": 2}, map[string]string{"k": "v"}, json.RawMessage(`{"z":1,"a":[]}`), point{1, 2}, []chat.Part{}, []chat.ToolCall{},
			chat.Part{Type: "text"}, chat.ToolCall{Name: "f"},
		}},
	}
	want := `[null, true, 1, 2, 3, 4.5, 0.5, "a", 7, 7.0, 8, 1180591620717411303424, null, ["b"], {"a": 2, "b": 1}, {"k": "v"}, {"z": 1, "a": []}, {"y": 1, "x": 2}, [], [], ` +
		`{"type": "text", "text": ""}, {"type": "function", "function": {"name": "f", "arguments": null}}]<s> None None False`
	assert.Equal(t, want, rendered(t, "{{ x | tojson }}{{ bos_token }} {{ tools }} {{ documents }} {{ add_generation_prompt }}", in))
	in.Tools = []any{}
	in.Documents = []any{map[string]any{"title": "t"}}
	in.AddGenerationPrompt = true
	assert.Equal(t, "[] t True", rendered(t, "{{ tools }} {{ documents[0].title }} {{ add_generation_prompt }}", in))
	now := rendered(t, "{{ strftime_now('%Y') }}", in)
	assert.Len(t, now, 4)
}

// loop is a value that contains itself.
func loop() []any {
	v := []any{nil}
	v[0] = v
	return v
}

func TestErrors(t *testing.T) {
	template, err := chat.Parse("{{ messages }}")
	require.NoError(t, err)
	messages := []chat.Message{{Role: "user", Content: "hi"}}
	for want, in := range map[string]chat.Input{
		"conversation without messages":        {},
		`variable "f": json`:                   {Messages: messages, Variables: map[string]any{"f": func() {}}},
		`variable "f": item 0: item 0`:         {Messages: messages, Variables: map[string]any{"f": loop()}},
		`variable "f": number "1x" is inval`:   {Messages: messages, Variables: map[string]any{"f": json.Number("1x")}},
		`variable "f": number "1.x" is inva`:   {Messages: messages, Variables: map[string]any{"f": json.Number("1.x")}},
		`variable "f": JSON value is followed`: {Messages: messages, Variables: map[string]any{"f": json.RawMessage("1 2")}},
		`variable "f": a: json`:                {Messages: messages, Variables: map[string]any{"f": map[string]any{"a": make(chan int)}}},
		"tools: item 0: json":                  {Messages: messages, Tools: []any{make(chan int)}},
		"documents: item 0: json":              {Messages: messages, Documents: []any{make(chan int)}},
		"message 0: tool_calls: item 0: func":  {Messages: []chat.Message{{ToolCalls: []chat.ToolCall{{Arguments: make(chan int)}}}}},
	} {
		_, err := template.Render(t.Context(), in)
		require.Error(t, err, want)
		assert.Contains(t, err.Error(), "chat template: "+want)
	}
	_, err = chat.Parse("a\n{% if %}")
	var syntax *chat.Error
	require.ErrorAs(t, err, &syntax)
	assert.Equal(t, 2, syntax.Line)
	assert.False(t, syntax.Raised)

	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = template.Render(stopped, chat.Input{Messages: messages})
	assert.ErrorIs(t, err, context.Canceled)
}

// TestConcurrently renders one template in many goroutines.
func TestConcurrently(t *testing.T) {
	template, err := chat.Parse(source)
	require.NoError(t, err)
	in := chat.Input{Messages: conversation(20), AddGenerationPrompt: true, Now: time.Unix(0, 0)}
	want, err := template.Render(t.Context(), in)
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				text, err := template.Render(context.Background(), in)
				assert.NoError(t, err)
				assert.Equal(t, want, text)
			}
		})
	}
	group.Wait()
}

// TestLargeInput checks that the limits grow with the input.
func TestLargeInput(t *testing.T) {
	in := chat.Input{Messages: []chat.Message{{Role: "user", Content: strings.Repeat("x", 2<<20)}}}
	text := rendered(t, "{% for i in range(40) %}{% set x = messages[0].content + '' %}{% endfor %}{{ messages[0].content|length }}", in)
	assert.Equal(t, "2097152", text)
}

// conversation returns n messages.
func conversation(n int) []chat.Message {
	messages := make([]chat.Message, n)
	for i := range messages {
		messages[i] = chat.Message{Role: "user", Content: " What is two plus two, and why? "}
		if i%2 == 1 {
			messages[i] = chat.Message{Role: "assistant", Content: "Four: count two fingers, and two more."}
		}
	}
	return messages
}
