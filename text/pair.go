package text

import (
	"encoding/json"

	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir"
)

// template is how special tokens stand around texts: IDs are tokens, and negative for texts. The
// second negative one is the second text, whatever its value: some templates have -1 twice.
type template struct {
	IDs     []int32 `json:"ids"`
	TypeIDs []int32 `json:"type_ids"`
}

// pairOf returns the segments of a pair of texts, as the rt_info of a model says; nil if it does
// not.
func pairOf(model *ir.Model) ([]segment, error) {
	if model.RTInfo == nil {
		return nil, nil
	}
	const key = "processed_post_processor_template"
	element := model.RTInfo.SelectElement(key)
	if element == nil || element.SelectAttrValue("value", "") == "" {
		return nil, nil
	}
	var templates struct {
		Pair template `json:"pair"`
	}
	if err := json.Unmarshal([]byte(element.SelectAttrValue("value", "")), &templates); err != nil {
		return nil, faults.Errorf("rt_info %s: %w", key, err)
	}
	p := &templates.Pair
	if len(p.IDs) != len(p.TypeIDs) {
		return nil, faults.Errorf("rt_info %s: a pair has %d ids and %d type_ids", key, len(p.IDs), len(p.TypeIDs))
	}
	var segments []segment
	texts := 0
	for i, id := range p.IDs {
		s := segment{typeID: p.TypeIDs[i]}
		if id >= 0 {
			s.tokens = []int32{id}
		} else if texts++; texts <= 2 {
			s.text = texts
		}
		segments = append(segments, s)
	}
	if texts != 2 {
		return nil, faults.Errorf("rt_info %s: a pair has %d texts", key, texts)
	}
	return segments, nil
}
