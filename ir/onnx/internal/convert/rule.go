package convert

import (
	"github.com/vinoir/vinoir/internal/faults"
	"github.com/vinoir/vinoir/ir/infer"
)

// Rule converts the nodes of one operator.
type Rule struct {
	// Domain is that of the operator: "" for ONNX's own. In a rule with a Refusal, the Operator ""
	// stands for all operators of the domain that have no rule.
	Domain, Operator string
	// Versions lists the versions of the operator that the rule converts, in ascending order: those
	// of the domain in which ONNX changed the operator. A newer version of the domain has the
	// newest of all rules of the operator that is not newer than itself. Node.Version tells which
	// it is.
	Versions []int
	// Inputs and Outputs bound the number of inputs and outputs. The first Inputs.Min inputs must
	// be there; others can be absent.
	Inputs, Outputs infer.Arity
	// AnyKind means that inputs can be lists and optionals without a value. Other rules get tensors
	// only.
	AnyKind bool
	// Convert adds the layers for a node and returns its outputs. It can leave out trailing ones,
	// which are an error if the model needs them. Errors are kept in the Node, and calls after one
	// do nothing.
	Convert func(*Node) []Value
	// Refusal, unless it is empty, is why an operator cannot be converted, and what can be done
	// about it. A rule with it has no other fields than Domain and Operator.
	Refusal string
}

// Table finds rules.
type Table struct {
	rules    map[operator][]version // in ascending order
	refusals map[operator]string
}

// operator identifies an operator, whatever its version.
type operator struct{ domain, name string }

// version is a version of an operator and its rule.
type version struct {
	since int
	rule  *Rule
}

// NewTable returns a table of rules. It is an error if two of them have a version of an operator in
// common.
func NewTable(rules []Rule) (*Table, error) {
	t := &Table{rules: make(map[operator][]version), refusals: make(map[operator]string)}
	for i := range rules {
		r := &rules[i]
		key := operator{r.Domain, r.Operator}
		if r.Refusal != "" {
			t.refusals[key] = r.Refusal
		}
		for _, since := range r.Versions {
			list := t.rules[key]
			at := len(list)
			for at > 0 && list[at-1].since > since {
				at--
			}
			if at > 0 && list[at-1].since == since {
				return nil, faults.Errorf("operator %s-%d has two rules", key.name, since)
			}
			list = append(list, version{})
			copy(list[at+1:], list[at:])
			list[at] = version{since, r}
			t.rules[key] = list
		}
	}
	return t, nil
}

// find returns the rule for an operator in a version of its domain, and the version of the operator
// that this is. If there is none, it returns the reason.
func (t *Table) find(key operator, imported int) (found version, reason string) {
	list := t.rules[key]
	if len(list) == 0 {
		return version{}, t.refusal(key)
	}
	for _, v := range list {
		if v.since <= imported {
			found = v
		}
	}
	if found.rule == nil {
		return version{}, faults.Errorf("it came with version %d, and the model imports %d", list[0].since, imported).Error()
	}
	return found, ""
}

// refusal returns why there is no rule for an operator.
func (t *Table) refusal(key operator) string {
	for _, key := range []operator{key, {key.domain, ""}} {
		if reason := t.refusals[key]; reason != "" {
			return reason
		}
	}
	return "no such operator is known"
}
