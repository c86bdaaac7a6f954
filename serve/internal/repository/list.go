package repository

import (
	"fmt"
	"path/filepath"
)

// ReadList returns the models that a config.json of OVMS names, in its order, and warnings about
// what it has besides. A path in it is relative to the folder of the file.
//
// What is wrong with one model is an Err of it.
func ReadList(path string) ([]Model, []string, error) {
	folder := Dir(filepath.Dir(path))
	data, err := folder.read(filepath.Base(path))
	if err != nil {
		return nil, nil, err
	}
	if data == nil {
		return nil, nil, fmt.Errorf("%s: there is no such file", path)
	}
	list, warnings, err := parseList(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	models := make([]Model, len(list))
	for i, l := range list {
		models[i] = l.find(folder.Path)
	}
	return models, warnings, nil
}

// listed is a model in a config.json.
type listed struct {
	name, path string
	config     *message
}

// parseList parses the contents of a config.json.
func parseList(data []byte) (list []listed, warnings []string, err error) {
	text, err := parseJSON(data)
	if err != nil {
		return nil, nil, err
	}
	for i := range text.fields {
		f := &text.fields[i]
		switch f.name {
		case "model_config_list":
			l, err := parseListed(f)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, l)
		case "monitoring":
		default:
			warnings = append(warnings, f.errorf("the field is ignored").Error())
		}
	}
	return list, warnings, nil
}

// parseListed returns the model in an entry of the list.
func parseListed(entry *field) (l listed, err error) {
	err = each(entry, func(name string, f *field) error {
		if name != "config" || f.message == nil {
			return f.errorf("expected a member config, an object")
		}
		l.config = f.message
		return nil
	})
	if err != nil {
		return l, err
	}
	if l.config == nil {
		return l, entry.errorf("expected a member config, an object")
	}
	for i := range l.config.fields {
		switch f := &l.config.fields[i]; f.name {
		case "name":
			err = f.setText(&l.name)
		case "base_path":
			err = f.setText(&l.path)
		}
		if err != nil {
			return l, entry.in(err)
		}
	}
	if l.name == "" || l.path == "" {
		return l, entry.errorf("a model needs a name and a base_path, found %q and %q", l.name, l.path)
	}
	return l, nil
}

// find returns the model, whose path is relative to folder.
func (l listed) find(folder string) Model {
	path := l.path
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	m, err := findOne(path, l.name)
	if err == nil {
		err = m.findWith(func() error { return m.add(l.config) })
	}
	m.Name, m.Err = l.name, err
	return m
}
