package repository

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Model is what is on the disk of a model.
type Model struct {
	Name   string
	Folder Folder
	// Versions are those that the policy selects, sorted by number.
	Versions []Version
	Config   Config
	// Settings are the files that Config is from and their states.
	Settings Snapshot
	// Warnings says what the configuration has and vinoir ignores.
	Warnings []string
	// Err says why no version can be served, such as a configuration that is wrong.
	Err error

	// file is the name of the model's file, if the program has named that rather than a folder.
	file string
}

// Version is what is on the disk of a version.
type Version struct {
	// Number is 1 or more.
	Number int64
	// Folder is where the files are, and File the name of the model's file in it. File is empty if
	// there is none, or more than one: Err then says so.
	Folder Folder
	File   string
	// Mapping renames inputs and outputs.
	Mapping Mapping
	// Files are the files and their states.
	Files Snapshot
	Err   error
}

// Name returns the number as the protocol has it.
func (v *Version) Name() string { return strconv.FormatInt(v.Number, 10) }

// Find returns the models at path, a folder in one of the three layouts or a model file, sorted by
// name. If it is one model, it is called like its folder or file. The error says what was found and
// what is expected.
//
// What is wrong with one model or version is an Err of it.
func Find(path string) ([]Model, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return FindIn(Dir(path))
	}
	base := filepath.Base(path)
	m, err := FindOne(path, strings.TrimSuffix(base, filepath.Ext(base)), nil)
	return []Model{m}, err
}

// FindOne returns the model at path, its folder or its file, under the given name. config is a
// configuration in JSON, which is added to that in the folder: one model of OVMS's config.json, or
// Triton's model configuration. nil means none.
func FindOne(path, name string, config []byte) (Model, error) {
	m, err := findOne(path, name)
	if err != nil {
		return Model{}, err
	}
	m.find(config)
	return m, nil
}

// findOne returns the model at path without its configuration and versions.
func findOne(path, name string) (Model, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Model{}, err
	}
	if info.IsDir() {
		return Model{Name: name, Folder: Dir(path)}, nil
	}
	return Model{Name: name, Folder: Dir(filepath.Dir(path)), file: filepath.Base(path)}, nil
}

// FindModel is FindOne for a folder.
func FindModel(folder Folder, name string, config []byte) Model {
	m := Model{Name: name, Folder: folder}
	m.find(config)
	return m
}

// FindIn is Find for a folder.
func FindIn(folder Folder) ([]Model, error) {
	entries, err := folder.entries(".")
	if err != nil {
		return nil, err
	}
	if isOneModel(folder, entries) {
		return []Model{FindModel(folder, baseName(folder), nil)}, nil
	}
	var models []Model
	for _, e := range entries {
		if !e.isDir {
			continue
		}
		sub, err := folder.Sub(e.name)
		if err != nil {
			return nil, err
		}
		if inside, err := sub.entries("."); err == nil && isModelFolder(inside) {
			models = append(models, FindModel(sub, e.name, nil))
		}
	}
	if models == nil {
		return nil, fmt.Errorf("%s has no models: expected NAME/1/model.xml, 1/model.xml or model.xml, found %s",
			folder, listing(entries))
	}
	return models, nil
}

// baseName returns the name of a model that only its folder names.
func baseName(folder Folder) string {
	path, err := filepath.Abs(folder.Path)
	if base := filepath.Base(path); folder.Path != "" && err == nil && base != string(filepath.Separator) {
		return base
	}
	return "model"
}

// isOneModel reports whether a folder with the given entries is that of one model: it has a model
// file or a configuration, or a version folder, rather than a model whose name is a number.
func isOneModel(folder Folder, entries []entry) bool {
	for _, e := range entries {
		if !e.isDir {
			if isModelFile(e.name) || e.name == configFile {
				return true
			}
			continue
		}
		if _, ok := versionNumber(e.name); !ok {
			continue
		}
		sub, err := folder.Sub(e.name)
		if err != nil {
			continue
		}
		if inside, err := sub.entries("."); err == nil && !isModelFolder(inside) || hasModelFile(inside) {
			return true
		}
	}
	return false
}

// isModelFolder reports whether a folder with the given entries is that of a model. A folder with a
// version folder that is empty counts, since its files can be on their way.
func isModelFolder(entries []entry) bool {
	return hasModelFile(entries) || slices.ContainsFunc(entries, func(e entry) bool {
		_, ok := versionNumber(e.name)
		return e.isDir && ok || !e.isDir && e.name == configFile
	})
}

func hasModelFile(entries []entry) bool {
	return slices.ContainsFunc(entries, func(e entry) bool { return !e.isDir && isModelFile(e.name) })
}

// isModelFile reports whether a file of the given name can be a model.
func isModelFile(name string) bool {
	return strings.HasSuffix(name, ".xml") || strings.HasSuffix(name, ".onnx")
}

// versionNumber returns the number of the version in a folder of the given name; false if the name
// is not a number from 1 without leading zeros.
func versionNumber(name string) (int64, bool) {
	n, err := strconv.ParseInt(name, 10, 64)
	if err != nil || n < 1 || name[0] < '1' || name[0] > '9' {
		return 0, false
	}
	return n, true
}

// listing names a few of the entries, for messages.
func listing(entries []entry) string {
	const most = 10
	if len(entries) == 0 {
		return "nothing"
	}
	var names []string
	for _, e := range entries[:min(len(entries), most)] {
		name := strconv.Quote(e.name)
		if e.isDir {
			name += " (a folder)"
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more := len(entries) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// WithConfig returns m with a configuration in JSON in the place of that in its folder.
func (m *Model) WithConfig(config []byte) Model {
	other := Model{Name: m.Name, Folder: m.Folder, file: m.file}
	if other.Err = other.addJSON(config); other.Err == nil {
		other.Err = other.findVersions()
	}
	return other
}

// find sets the configuration, the versions and Err. config is JSON, or nil.
func (m *Model) find(config []byte) {
	m.Err = m.findWith(func() error {
		if config == nil {
			return nil
		}
		return m.addJSON(config)
	})
}

// findWith sets the configuration and the versions. configure adds to the configuration.
func (m *Model) findWith(configure func() error) error {
	if err := m.configure(); err != nil {
		return err
	}
	if err := configure(); err != nil {
		return err
	}
	return m.findVersions()
}

// findVersions sets Versions to those that the policy selects. It is an error if there are none.
func (m *Model) findVersions() error {
	entries, err := m.Folder.entries(".")
	if err != nil {
		return err
	}
	if m.file != "" || hasModelFile(entries) {
		m.Versions = []Version{m.findVersion(m.Folder, 1)}
		return nil
	}
	var numbers []int64
	for _, e := range entries {
		if n, ok := versionNumber(e.name); ok && e.isDir {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	if len(numbers) == 0 {
		return fmt.Errorf("%s has no versions: expected 1/model.xml or model.xml, found %s", m.Folder, listing(entries))
	}
	selected := m.Config.Versions.selects(numbers)
	if len(selected) == 0 {
		return fmt.Errorf("the version policy selects none of the versions %v", numbers)
	}
	for _, n := range selected {
		sub, err := m.Folder.Sub(strconv.FormatInt(n, 10))
		if err != nil {
			return err
		}
		m.Versions = append(m.Versions, m.findVersion(sub, n))
	}
	return nil
}

// findVersion returns version n in folder.
func (m *Model) findVersion(folder Folder, n int64) Version {
	v := Version{Number: n, Folder: folder}
	if m.file != "" {
		v.Files = snapshot(folder, isPartOf(m.file))
	} else {
		v.Files = snapshot(folder, nil)
	}
	if v.File, v.Err = m.fileIn(folder); v.Err == nil {
		v.Mapping, v.Err = readMapping(folder)
	}
	return v
}

// fileIn returns the name of the model's file in the folder of a version.
func (m *Model) fileIn(folder Folder) (string, error) {
	entries, err := folder.entries(".")
	if err != nil {
		return "", err
	}
	var files []string
	for _, e := range entries {
		if !e.isDir && isModelFile(e.name) {
			files = append(files, e.name)
		}
	}
	for _, name := range []string{m.file, m.Config.File} {
		switch {
		case name == "":
		case slices.Contains(files, name):
			return name, nil
		default:
			return "", fmt.Errorf("%s has no model %s: expected an .xml or .onnx file, found %s", folder, name, listing(entries))
		}
	}
	if len(files) == 0 {
		return "", fmt.Errorf("%s has no model: expected an .xml or .onnx file, found %s", folder, listing(entries))
	}
	if len(files) == 1 {
		return files[0], nil
	}
	if name := preferred(files); name != "" {
		return name, nil
	}
	return "", fmt.Errorf("%s has %d models, %s and %s among them: expected one, or one of the name model.xml or model.onnx",
		folder, len(files), files[0], files[1])
}

// preferred returns the file that has the usual name; empty if there is none.
func preferred(files []string) string {
	for _, name := range []string{"model.xml", "model.onnx"} {
		if slices.Contains(files, name) {
			return name
		}
	}
	return ""
}

// isPartOf returns a filter for the files of a model that lies in a folder with other files: those
// of the same name but for the extension, and what can be external data.
func isPartOf(file string) func(name string) bool {
	stem := strings.TrimSuffix(file, filepath.Ext(file))
	return func(name string) bool { return strings.HasPrefix(name, stem) }
}
