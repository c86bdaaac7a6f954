package chat_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/text/chat"
)

// TestContinue compares with what render_jinja_template of transformers 5.24 returns for each line,
// with the field as continue_final_message.
func TestContinue(t *testing.T) {
	data, err := os.ReadFile("testdata/continue.jsonl")
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		var c struct {
			Template, Field string
			Messages        []chat.Message
			Text            *string
			Error           string
		}
		require.NoError(t, json.Unmarshal([]byte(line), &c))
		template, err := chat.Parse(c.Template)
		require.NoError(t, err)
		text, err := template.Render(t.Context(), chat.Input{Messages: c.Messages, Continue: c.Field})
		if c.Text == nil {
			assert.Error(t, err, "transformers says %s", c.Error)
			assert.Empty(t, text)
			continue
		}
		require.NoError(t, err, line)
		assert.Equal(t, *c.Text, text, line)
	}
}

func TestContinue_errors(t *testing.T) {
	template, err := chat.Parse("{{ messages[-1].content.n }}")
	require.NoError(t, err)
	for want, in := range map[string]chat.Input{
		"chat template: the last message cannot be continued before a generation prompt":       {Continue: "content", AddGenerationPrompt: true},
		`chat template: the last message has no "name" to continue`:                            {Continue: "name"},
		`chat template: the template does not read the field "role", which is to be continued`: {Continue: "role"},
		"chat template: the last message: content: there is no text to continue":               {Continue: "content"},
	} {
		in.Messages = []chat.Message{{Role: "user", Extra: object(t, `{"content":1}`)}}
		_, err := template.Render(t.Context(), in)
		assert.EqualError(t, err, want)
	}
	_, err = template.Render(t.Context(), chat.Input{Messages: []chat.Message{{Content: "a"}}, Continue: "content"})
	assert.EqualError(t, err, "chat template: the text of the last message, which is to be continued, is not in that of the template")
}
