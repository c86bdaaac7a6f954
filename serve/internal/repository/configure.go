package repository

import "fmt"

// configFile is the configuration in the folder of a model.
const configFile = "config.pbtxt"

// configure adds the configuration in the folder of m to Config, Settings and Warnings.
func (m *Model) configure() error {
	data, err := m.Folder.read(configFile)
	if err != nil || data == nil {
		return err
	}
	m.Settings = snapshot(m.Folder, func(name string) bool { return name == configFile })
	text, err := parseText(data)
	if err == nil {
		err = m.add(text)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", configFile, err)
	}
	return nil
}

// addJSON adds a configuration in JSON to Config.
func (m *Model) addJSON(data []byte) error {
	text, err := parseJSON(data)
	if err == nil {
		err = m.add(text)
	}
	if err != nil {
		return fmt.Errorf("the configuration: %w", err)
	}
	return nil
}

// add adds the fields of text to Config.
func (m *Model) add(text *message) error {
	d := decoder{config: &m.Config, model: m.Name}
	err := d.fields(text.fields)
	m.Warnings = append(m.Warnings, d.warnings...)
	return err
}
