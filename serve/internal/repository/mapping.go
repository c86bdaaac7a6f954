package repository

import (
	"encoding/json"
	"fmt"
)

// mappingFile is the file in the folder of a version that renames inputs and outputs.
const mappingFile = "mapping_config.json"

// Mapping renames inputs and outputs: from the names of their tensors to those that clients use.
type Mapping struct {
	Inputs, Outputs map[string]string
}

// readMapping reads the mapping of the version in folder; it is empty if there is no file.
func readMapping(folder Folder) (Mapping, error) {
	data, err := folder.read(mappingFile)
	if err != nil || data == nil {
		return Mapping{}, err
	}
	m, err := parseMapping(data)
	if err != nil {
		return Mapping{}, fmt.Errorf("%s: %w", mappingFile, err)
	}
	return m, nil
}

// parseMapping parses the JSON of a mapping.
func parseMapping(data []byte) (Mapping, error) {
	var m Mapping
	if err := json.Unmarshal(data, &m); err != nil {
		return Mapping{}, err
	}
	for kind, names := range map[string]map[string]string{"inputs": m.Inputs, "outputs": m.Outputs} {
		taken := make(map[string]string, len(names))
		for tensor, name := range names {
			if name == "" {
				return Mapping{}, fmt.Errorf("%s: the new name of %q is empty", kind, tensor)
			}
			if other, ok := taken[name]; ok {
				return Mapping{}, fmt.Errorf("%s: %q and %q are both renamed to %q", kind, min(tensor, other), max(tensor, other), name)
			}
			taken[name] = tensor
		}
	}
	return m, nil
}
