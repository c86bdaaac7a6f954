package ir

import "fmt"

// inferBody infers the body of a layer. Bodies nest no deeper than the reader's
// limit.
func inferBody(m *Model, rules Rules, parameters []Fact) ([]Fact, error) {
	if len(parameters) != len(m.Parameters) {
		return nil, fmt.Errorf("the body has %d Parameters, %d values are given", len(m.Parameters), len(parameters))
	}
	given := make(map[*Layer]Fact, len(parameters))
	for i, p := range m.Parameters {
		given[p] = parameters[i]
	}
	s, err := Propagate(m, rules, given)
	if err != nil {
		return nil, err
	}
	results := make([]Fact, len(m.Results))
	for i, r := range m.Results {
		results[i] = s.Outputs(r)[0]
	}
	return results, nil
}
