package text

import (
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"strconv"

	"github.com/vinoir/vinoir/internal/modeldir"
	"github.com/vinoir/vinoir/ir"
)

// Special are special tokens. An ID is -1 if the files do not name the token.
type Special struct {
	BOSID, EOSID, PadID int32
	BOS, EOS, Pad       string
}

// folder is what the files beside the models say.
type folder struct {
	special  Special
	template string
}

// maxFileBytes bounds the size of a template and of a tokenizer's file.
const maxFileBytes = 64 << 20

// readFolder reads the files in dir, and the rt_info of the models: later ones replace what earlier
// ones say.
func readFolder(fsys fs.FS, dir string, models []*ir.Model) (*folder, error) {
	f := &folder{special: Special{BOSID: -1, EOSID: -1, PadID: -1}}
	for _, name := range []string{"config.json", "special_tokens_map.json", "tokenizer_config.json", "processor_config.json", "chat_template.json"} {
		var config config
		if err := modeldir.ReadJSON(fsys, path.Join(dir, name), &config); err != nil {
			return nil, err
		}
		config.apply(f)
	}
	data, err := modeldir.Read(fsys, path.Join(dir, "chat_template.jinja"), maxFileBytes)
	if err != nil {
		return nil, err
	}
	if data != nil {
		f.template = string(data)
	}
	for _, model := range models {
		f.applyInfo(model)
	}
	return f, nil
}

// config has the fields of the JSON files.
type config struct {
	BOSID    tokenID       `json:"bos_token_id"`
	EOSID    tokenID       `json:"eos_token_id"`
	PadID    tokenID       `json:"pad_token_id"`
	BOS      tokenText     `json:"bos_token"`
	EOS      tokenText     `json:"eos_token"`
	Pad      tokenText     `json:"pad_token"`
	Template templateTexts `json:"chat_template"`
	// Added maps ids to tokens.
	Added map[string]struct {
		Content string `json:"content"`
	} `json:"added_tokens_decoder"`
}

// apply sets what the file says.
func (c *config) apply(f *folder) {
	for _, token := range []struct {
		id   tokenID
		text tokenText
		toID *int32
		to   *string
	}{
		{c.BOSID, c.BOS, &f.special.BOSID, &f.special.BOS},
		{c.EOSID, c.EOS, &f.special.EOSID, &f.special.EOS},
		{c.PadID, c.Pad, &f.special.PadID, &f.special.Pad},
	} {
		if token.id.set && *token.toID < 0 {
			*token.toID = token.id.id
		}
		if token.text != "" && *token.to == "" {
			*token.to = string(token.text)
		}
		for id, added := range c.Added {
			n, err := strconv.ParseInt(id, 10, 32)
			if err == nil && *token.toID < 0 && *token.to != "" && added.Content == *token.to {
				*token.toID = int32(n)
			}
		}
	}
	if c.Template != "" {
		f.template = string(c.Template)
	}
}

// tokenID is an id: a number, or the first of a list.
type tokenID struct {
	id  int32
	set bool
}

// UnmarshalJSON implements json.Unmarshaler. Other values mean that there is no id.
func (t *tokenID) UnmarshalJSON(data []byte) error {
	var list []int32
	if json.Unmarshal(data, &t.id) == nil && string(data) != "null" {
		t.set = t.id >= 0
	} else if json.Unmarshal(data, &list) == nil && len(list) > 0 {
		t.id, t.set = list[0], list[0] >= 0
	}
	return nil
}

// tokenText is a token: a string, or an object with its content.
type tokenText string

// UnmarshalJSON implements json.Unmarshaler. Other values mean that there is no token.
func (t *tokenText) UnmarshalJSON(data []byte) error {
	var object struct {
		Content string `json:"content"`
	}
	if json.Unmarshal(data, (*string)(t)) != nil && json.Unmarshal(data, &object) == nil {
		*t = tokenText(object.Content)
	}
	return nil
}

// templateTexts is a chat template: a string, or a list or an object of templates with names.
type templateTexts string

// UnmarshalJSON implements json.Unmarshaler. Other values mean that there is no template.
func (t *templateTexts) UnmarshalJSON(data []byte) error {
	var list []struct{ Name, Template string }
	var object map[string]string
	switch {
	case json.Unmarshal(data, (*string)(t)) == nil:
	case json.Unmarshal(data, &list) == nil:
		for _, named := range list {
			if named.Name == "default" {
				*t = templateTexts(named.Template)
			}
		}
	case json.Unmarshal(data, &object) == nil:
		*t = templateTexts(object["default"])
	}
	return nil
}

// applyInfo sets what the rt_info of a model says: it replaces what the files say.
func (f *folder) applyInfo(model *ir.Model) {
	if model.RTInfo == nil {
		return
	}
	for key, to := range map[string]*int32{"bos_token_id": &f.special.BOSID, "eos_token_id": &f.special.EOSID, "pad_token_id": &f.special.PadID} {
		element := model.RTInfo.SelectElement(key)
		if element == nil {
			continue
		}
		if n, err := strconv.ParseInt(element.SelectAttrValue("value", ""), 10, 32); err == nil && n >= 0 && int32(n) != *to {
			*to = int32(n)
			switch to {
			case &f.special.BOSID:
				f.special.BOS = ""
			case &f.special.EOSID:
				f.special.EOS = ""
			case &f.special.PadID:
				f.special.Pad = ""
			}
		}
	}
	if element := model.RTInfo.SelectElement("chat_template"); element != nil {
		text := element.SelectAttrValue("value", "")
		if named := element.SelectElement("default"); named != nil {
			text = named.SelectAttrValue("value", text)
		}
		if text != "" {
			f.template = text
		}
	}
}

// nameSpecial sets the texts of tokens whose ids alone the files name.
func (t *Tokenizer) nameSpecial(ctx context.Context) error {
	if t.decoder == nil {
		return nil
	}
	for _, token := range []struct {
		id   int32
		text *string
	}{{t.special.BOSID, &t.special.BOS}, {t.special.EOSID, &t.special.EOS}, {t.special.PadID, &t.special.Pad}} {
		if token.id < 0 || *token.text != "" {
			continue
		}
		texts, err := t.Decode(ctx, [][]int32{{token.id}}, DecodeOptions{KeepSpecialTokens: true})
		if err != nil {
			return err
		}
		*token.text = texts[0]
	}
	return nil
}
