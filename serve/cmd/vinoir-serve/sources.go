package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// fill sets the flags that the command line leaves out, from the environment, and those that it
// leaves out too, from the file of --config. A flag model-name is VINOIR_MODEL_NAME in the
// environment.
func fill(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	given := make(map[string]bool)
	flags.Visit(func(f *pflag.Flag) { given[f.Name] = true })
	var err error
	flags.VisitAll(func(f *pflag.Flag) {
		variable := "VINOIR_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := lookup(variable)
		if !ok || given[f.Name] || err != nil {
			return
		}
		given[f.Name] = true
		if setErr := flags.Set(f.Name, value); setErr != nil {
			err = fmt.Errorf("%s: %w", variable, cause(setErr, value))
		}
	})
	path := flags.Lookup("config").Value.String()
	if err != nil || path == "" {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	lines, err := parseConfig(string(content))
	if err != nil {
		return fmt.Errorf("--config %s: %w", path, err)
	}
	for _, line := range lines {
		f := flags.Lookup(line.key)
		if f == nil || f.Name == "config" {
			return fmt.Errorf("--config %s: line %d: there is no flag %q", path, line.number, line.key)
		}
		if given[f.Name] {
			continue
		}
		if err := flags.Set(f.Name, line.value); err != nil {
			return fmt.Errorf("--config %s: line %d: %s: %w", path, line.number, line.key, cause(err, line.value))
		}
	}
	return nil
}

// cause returns what was wrong with value, without the name of the flag, which nobody has written.
func cause(err error, value string) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return fmt.Errorf("%q: %w", value, err)
		}
		err = inner.Unwrap()
	}
}

// configLine is a line of a configuration file.
type configLine struct {
	number     int
	key, value string
}

// parseConfig reads the part of YAML that flags need: a line "key: value" for each, with comments,
// and values plain or in quotes. Anything else is an error, so that no YAML is read in another way
// than its author meant.
func parseConfig(text string) ([]configLine, error) {
	var lines []configLine
	seen := make(map[string]int)
	number := 0
	for raw := range strings.Lines(text) {
		number++
		line := strings.TrimRight(raw, " \t\r\n")
		if content := strings.TrimLeft(line, " \t"); content == "" || content[0] == '#' || line == "---" {
			continue
		}
		key, value, ok := strings.Cut(line, ":")
		if !ok || key == "" || strings.ContainsAny(key, " \t\"'[]{}#&*!|>%@`,") || value != "" && value[0] != ' ' {
			return nil, fmt.Errorf("line %d: %q is not a line such as rest-port: 8080", number, line)
		}
		value, err := scalar(strings.TrimLeft(value, " "))
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", number, key, err)
		}
		if first, ok := seen[key]; ok {
			return nil, fmt.Errorf("line %d: %s is in line %d already", number, key, first)
		}
		seen[key] = number
		lines = append(lines, configLine{number, key, value})
	}
	return lines, nil
}

// scalar returns the text of a value of YAML that is in one line.
func scalar(value string) (string, error) {
	if value == "" {
		return "", fmt.Errorf("there is no value")
	}
	switch quote := value[0]; quote {
	case '\'', '"':
		end := strings.IndexByte(value[1:], quote) + 1
		if end < 1 || quote == '"' && strings.Contains(value[:end], `\`) {
			return "", fmt.Errorf("%s is not a text in quotes without escapes", value)
		}
		if rest := strings.TrimLeft(value[end+1:], " \t"); rest != "" && rest[0] != '#' {
			return "", fmt.Errorf("%q stands behind the quotes", rest)
		}
		return value[1:end], nil
	case '[', ']', '{', '}', '&', '*', '!', '|', '>', '%', '@', '`', ',', '#':
		return "", fmt.Errorf("%s is not a plain value: put it in quotes", value)
	}
	value, _, _ = strings.Cut(value, " #")
	value = strings.TrimRight(value, " \t")
	if strings.Contains(value, ": ") || strings.HasSuffix(value, ":") {
		return "", fmt.Errorf("%s is not a plain value: put it in quotes", value)
	}
	return value, nil
}
