package convert

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/beevik/etree"

	"github.com/vinoir/vinoir/internal/text/hf"
	"github.com/vinoir/vinoir/ir"
)

// release is the release of OpenVINO Tokenizers whose converter these models follow. OpenVINO GenAI
// takes models without it for old ones, whose settings it does not change.
const release = "2026.4.1.0"

// addInfo adds the rt_info of a model.
func (c *converter) addInfo(m *ir.Model) {
	set := addInfo(m, c.options)
	var template bytes.Buffer
	if json.Compact(&template, c.file.Template) == nil && c.file.PostProcessor != nil {
		set("original_post_processor_template", template.String())
	}
	if template, ok := templates(c.tokenizer.Single, c.tokenizer.Pair); ok {
		set("processed_post_processor_template", template)
	}
}

// addInfo writes what readers of a model need to know into its rt_info, with the converter's keys.
// It returns a function that adds more of it.
func addInfo(m *ir.Model, o *Options) (set func(key, value string)) {
	m.RTInfo = etree.NewElement("rt_info")
	set = func(key, value string) { m.RTInfo.CreateElement(key).CreateAttr("value", value) }
	setID := func(key string, id int32) {
		if id >= 0 {
			set(key, strconv.Itoa(int(id)))
		}
	}
	setBool := func(key string, b bool) { // as Python writes it
		set(key, map[bool]string{false: "False", true: "True"}[b])
	}
	setBool("add_attention_mask", true)
	setBool("add_special_tokens", !o.NoSpecialTokens)
	setID("bos_token_id", o.BOSID)
	if o.ChatTemplate != "" {
		set("chat_template", o.ChatTemplate)
	}
	setBool("clean_up_tokenization_spaces", o.CleanUp)
	set("detokenizer_input_type", o.IDs.String())
	setID("eos_token_id", o.EOSID)
	if o.MaxLength > 0 {
		set("max_length", strconv.Itoa(o.MaxLength))
	}
	set("number_of_inputs", "1")
	set("openvino_tokenizers_version", release)
	if o.Class != "" {
		set("original_tokenizer_class", o.Class)
	}
	setID("pad_token_id", o.PadID)
	setBool("skip_special_tokens", !o.KeepSpecialTokens)
	set("tokenizer_output_type", o.IDs.String())
	setBool("streaming_detokenizer", o.Streaming)
	setBool("truncation", o.Truncate)
	setBool("use_max_padding", o.PadToMax)
	set("utf8_replace_mode", [...]string{"replace", "ignore", "disable"}[o.InvalidUTF8])
	setBool("with_detokenizer", true)
	return set
}

// rowTemplate says what a row has: ids of special tokens, -1 for the first text and -2 for the
// second one.
type rowTemplate struct {
	IDs     []int32 `json:"ids"`
	TypeIDs []int32 `json:"type_ids"`
}

// templates returns the templates of a text and of a pair as JSON; ok is false if there is none of
// a pair.
func templates(segments, ofPair []hf.Segment) (text string, ok bool) {
	single, _ := templateOf(segments)
	pair, texts := templateOf(ofPair)
	data, err := json.Marshal(map[string]rowTemplate{"single": single, "pair": pair})
	return string(data), err == nil && texts == 2
}

// templateOf returns the template of segments, and how many of them are texts.
func templateOf(segments []hf.Segment) (t rowTemplate, texts int) {
	for _, s := range segments {
		ids := s.IDs
		if s.Text > 0 {
			ids = []int32{-int32(s.Text)}
			texts++
		}
		for _, id := range ids {
			t.IDs, t.TypeIDs = append(t.IDs, id), append(t.TypeIDs, s.TypeID)
		}
	}
	return t, texts
}
