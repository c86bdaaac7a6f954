// Package deploy_test checks the files in this folder against KServe's schemas. That the flags in
// them are flags of the program, package main of vinoir-serve tests.
package deploy_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// documents returns the documents of a YAML file.
func documents(t *testing.T, name string) []map[string]any {
	content, err := os.ReadFile(name)
	require.NoError(t, err)
	var list []map[string]any
	for _, text := range strings.Split(string(content), "\n---\n") {
		var document map[string]any
		require.NoError(t, yaml.UnmarshalStrict([]byte(text), &document), name)
		list = append(list, document)
	}
	return list
}

// schema is the part of JSON Schema that KServe's schemas use.
type schema struct {
	Type                 any                `json:"type"`
	Properties           map[string]*schema `json:"properties"`
	Required             []string           `json:"required"`
	Items                *schema            `json:"items"`
	Enum                 []any              `json:"enum"`
	AdditionalProperties json.RawMessage    `json:"additionalProperties"`
	AnyOf                []*schema          `json:"anyOf"`
}

func readSchema(t *testing.T, name string) *schema {
	content, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	s := new(schema)
	require.NoError(t, json.Unmarshal(content, s))
	return s
}

// check returns what of value does not fit the schema. Errors have the path of the field.
func (s *schema) check(path string, value any) []string {
	var faults []string
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, value) {
		faults = append(faults, fmt.Sprintf("%s: %v is not one of %v", path, value, s.Enum))
	}
	if len(s.AnyOf) > 0 && !slices.ContainsFunc(s.AnyOf, func(one *schema) bool { return one.check(path, value) == nil }) {
		faults = append(faults, fmt.Sprintf("%s: %v has none of the types that it can have", path, value))
	}
	switch v := value.(type) {
	case map[string]any:
		if s.Type != nil && s.Type != "object" {
			return append(faults, fmt.Sprintf("%s: an object, expected %v", path, s.Type))
		}
		for _, name := range s.Required {
			if _, ok := v[name]; !ok {
				faults = append(faults, path+": "+name+" is missing")
			}
		}
		for name, field := range v {
			switch known := s.Properties[name]; {
			case known != nil:
				faults = append(faults, known.check(path+"."+name, field)...)
			case string(s.AdditionalProperties) == "false":
				faults = append(faults, path+": there is no field "+name)
			case len(s.AdditionalProperties) > 0 && s.AdditionalProperties[0] == '{':
				values := new(schema)
				if err := json.Unmarshal(s.AdditionalProperties, values); err != nil {
					return append(faults, err.Error())
				}
				faults = append(faults, values.check(path+"."+name, field)...)
			}
		}
	case []any:
		if s.Type != nil && s.Type != "array" {
			return append(faults, fmt.Sprintf("%s: a list, expected %v", path, s.Type))
		}
		if s.Items != nil {
			for i, item := range v {
				faults = append(faults, s.Items.check(fmt.Sprintf("%s[%d]", path, i), item)...)
			}
		}
	default:
		if kind := kindOf(value); s.Type != nil && s.Type != kind && !(s.Type == "number" && kind == "integer") {
			if types, ok := s.Type.([]any); !ok || !slices.Contains(types, any(kind)) {
				faults = append(faults, fmt.Sprintf("%s: %v is a %s, expected %v", path, value, kind, s.Type))
			}
		}
	}
	return faults
}

// kindOf returns the type of JSON Schema of a scalar.
func kindOf(value any) string {
	switch v := value.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	}
	return "null"
}

func TestKServe(t *testing.T) {
	for file, name := range map[string]string{
		"servingruntime.yaml":   "clusterservingruntime_v1alpha1.json",
		"inferenceservice.yaml": "inferenceservice_v1beta1.json",
	} {
		s := readSchema(t, name)
		for _, document := range documents(t, file) {
			require.Empty(t, s.check(file, document))
		}
	}
}

// TestSchemas checks that misspelt fields and wrong types are noticed.
func TestSchemas(t *testing.T) {
	s := readSchema(t, "clusterservingruntime_v1alpha1.json")
	runtime := documents(t, "servingruntime.yaml")[0]
	spec := runtime["spec"].(map[string]any)
	container := spec["containers"].([]any)[0].(map[string]any)
	container["agrs"] = container["args"]
	delete(container, "name")
	container["image"] = true
	faults := fmt.Sprint(s.check("", runtime))
	for _, want := range []string{"there is no field agrs", "name is missing", "true is a boolean, expected string"} {
		require.Contains(t, faults, want)
	}
}

// TestKubernetes checks the containers of the Deployment with the schema that KServe has for those
// of a runtime, which is that of Kubernetes, and that the documents name each other rightly.
func TestKubernetes(t *testing.T) {
	all := documents(t, "kubernetes.yaml")
	deployment := all[0]
	name := deployment["metadata"].(map[string]any)["name"]
	template := deployment["spec"].(map[string]any)["template"].(map[string]any)
	pod := template["spec"].(map[string]any)
	spec := readSchema(t, "clusterservingruntime_v1alpha1.json").Properties["spec"]
	for _, container := range pod["containers"].([]any) {
		require.Empty(t, spec.Properties["containers"].Items.check("container", container))
	}
	labels := template["metadata"].(map[string]any)["labels"]
	for _, document := range append(all[1:], documents(t, "keda.yaml")...) {
		documentSpec := document["spec"].(map[string]any)
		switch document["kind"] {
		case "Service":
			require.Equal(t, labels, documentSpec["selector"])
		case "PodDisruptionBudget":
			require.Equal(t, labels, documentSpec["selector"].(map[string]any)["matchLabels"])
		default:
			require.Equal(t, name, documentSpec["scaleTargetRef"].(map[string]any)["name"])
		}
	}
	// A pod gets more time than the server takes to drain.
	require.Greater(t, pod["terminationGracePeriodSeconds"], 25.0)
}
