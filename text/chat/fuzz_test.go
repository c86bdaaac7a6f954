package chat_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/vinoir/vinoir/text/chat"
)

// FuzzRender reads any conversation and renders it by any template.
func FuzzRender(f *testing.F) {
	f.Add("{% for m in messages %}{{ m.role }}: {{ m.content }}{{ m.tool_calls | tojson }}{% endfor %}",
		[]byte(`[{"role":"user","content":"a"},{"role":"assistant","thinking":"b","tool_calls":[{"name":"c","arguments":{"d":1e9}}]}]`))
	f.Add("{{ messages[0]['content'][0]['text'][::-1] }}", []byte(`[{"role":"user","content":[{"type":"text","text":"a"}]}]`))
	limits := chat.Limits{Steps: 20_000, Memory: 1 << 20, Output: 1 << 16}
	f.Fuzz(func(t *testing.T, source string, conversation []byte) {
		template, err := chat.Parse(source)
		if err != nil {
			assert.NotContains(t, err.Error(), "BUG")
			return
		}
		messages, err := chat.ParseMessages(conversation)
		if err != nil {
			return
		}
		text, err := template.Render(t.Context(), chat.Input{Messages: messages, Limits: limits})
		if err != nil {
			assert.Empty(t, text)
			assert.NotContains(t, err.Error(), "BUG")
		}
	})
}
