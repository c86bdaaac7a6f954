package chat_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/vinoir/vinoir/text/chat"
)

// The template of a model is in its tokenizer_config.json, or in a file chat_template.jinja.
const source = `{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\n' + message.content | trim + '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\n' }}
{%- endif %}`

func Example() {
	template, err := chat.Parse(source)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := template.Render(context.Background(), chat.Input{
		Messages: []chat.Message{
			{Role: "system", Content: "Be brief."},
			{Role: "user", Content: "What is 2 + 2?"},
		},
		AddGenerationPrompt: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(text)
	// Output:
	// <|im_start|>system
	// Be brief.<|im_end|>
	// <|im_start|>user
	// What is 2 + 2?<|im_end|>
	// <|im_start|>assistant
}

// Tools are shown to the model as JSON.
func ExampleTemplate_Render() {
	template, err := chat.Parse(`{% for tool in tools %}{{ tool | tojson }}
{% endfor %}{{ strftime_now('%d %B %Y') }}, {{ bos_token }}{{ messages[0].content[0].text }}
{{ messages[1].tool_calls[0].function.arguments.city }}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	var parameters, arguments chat.Object
	parameters.Set("type", "object")
	parameters.Set("properties", map[string]any{"city": map[string]string{"type": "string"}})
	arguments.Set("city", "Paris")
	text, err := template.Render(context.Background(), chat.Input{
		Messages: []chat.Message{
			{Role: "user", Parts: []chat.Part{{Type: "text", Text: "How warm is it?"}}},
			{Role: "assistant", ToolCalls: []chat.ToolCall{{Name: "weather", Arguments: &arguments}}},
		},
		Tools:  []any{chat.Tool{Name: "weather", Description: "The weather now.", Parameters: &parameters}},
		Tokens: map[string]string{"bos_token": "<s>"},
		Now:    time.Date(2026, 7, 26, 0, 0, 0, 0, time.UTC),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(text)
	// Output:
	// {"type": "function", "function": {"name": "weather", "description": "The weather now.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}
	// 26 July 2026, <s>How warm is it?
	// Paris
}

// A template can refuse a conversation.
func ExampleError() {
	template, err := chat.Parse("{% if messages[0].role != 'user' %}\n{{ raise_exception('The user must begin.') }}\n{% endif %}")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = template.Render(context.Background(), chat.Input{Messages: []chat.Message{{Role: "assistant"}}})
	var refused *chat.Error
	if errors.As(err, &refused) {
		fmt.Println(refused.Raised, refused.Line, refused.Message)
	}
	// Output: true 2 The user must begin.
}

func ExampleParseMessages() {
	messages, err := chat.ParseMessages([]byte(`[{"role": "user", "content": "Hi", "weight": 1}]`))
	if err != nil {
		fmt.Println(err)
		return
	}
	weight, _ := messages[0].Extra.Get("weight")
	fmt.Println(messages[0].Role, messages[0].Content, weight)
	// Output: user Hi 1
}

func ExampleObject() {
	var o chat.Object
	o.Set("z", 1)
	o.Set("a", []string{"b"})
	text, err := json.Marshal(&o)
	if err != nil {
		fmt.Println(err)
		return
	}
	z, _ := o.Get("z")
	fmt.Println(string(text), o.Len(), z)
	var read chat.Object
	if err := json.Unmarshal(text, &read); err != nil {
		fmt.Println(err)
		return
	}
	for key, value := range read.All() {
		fmt.Println(key, value)
	}
	// Output:
	// {"z":1,"a":["b"]} 2 1
	// z 1
	// a [b]
}

// A template from a stranger gets little to work with.
func ExampleLimits() {
	template, err := chat.Parse("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = template.Render(context.Background(), chat.Input{
		Messages: []chat.Message{{Role: "user", Content: "Hi"}},
		Limits:   chat.Limits{Steps: 100_000},
	})
	fmt.Println(err)
	// Output: chat template: more than 100000 steps, in line 1 of the template
}
