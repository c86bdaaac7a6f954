package serve

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/ir"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/ir/onnx"
	"github.com/vinoir/vinoir/ir/validate"
	"github.com/vinoir/vinoir/ops/builtin"
	"github.com/vinoir/vinoir/ops/extension"
	"github.com/vinoir/vinoir/ops/onnxextension"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/serve/internal/models"
	"github.com/vinoir/vinoir/serve/internal/oip"
	"github.com/vinoir/vinoir/serve/internal/repository"
)

// Checked is what a server would do with a version of a model.
type Checked struct {
	Model   string `json:"model"`
	Version string `json:"version,omitempty"`
	// File is the path of the model's file, if there is one.
	File string `json:"file,omitempty"`
	// Problem says why the version would not be served; empty if it would be.
	Problem string `json:"problem,omitempty"`
	// Inputs and Outputs are described as NAME TYPE [SHAPE], with -1 for lengths that are not
	// known.
	Inputs  []string `json:"inputs,omitempty"`
	Outputs []string `json:"outputs,omitempty"`
	// Warnings are parts of the configuration that have no effect.
	Warnings []string `json:"warnings,omitempty"`
	// Findings are the errors and warnings of package validate.
	Findings []string `json:"findings,omitempty"`
}

// maxFindings is the number of findings of a version that are returned.
const maxFindings = 20

// Check loads all models as a server with the options would, and returns what it would serve. It
// listens nowhere. What is wrong with one model is in its Checked; it is an error if there is
// nothing to serve.
func Check(ctx context.Context, options Options) ([]Checked, error) {
	options = options.withDefaults()
	options.Control = ControlNone
	server, err := models.New(ctx, options.models())
	if err != nil {
		return nil, err
	}
	defer func() { _ = server.Close(context.WithoutCancel(ctx)) }()
	_ = server.WaitStarted(ctx) // the index says what was wrong
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	files, err := options.files()
	if err != nil {
		return nil, err
	}
	registry, err := plugin.NewRegistry(slices.Concat(builtin.Ops(), extension.Ops(), onnxextension.Ops())...)
	if err != nil {
		return nil, err
	}
	var list []Checked
	for _, entry := range server.Index() {
		c := Checked{Model: entry.Name, Version: entry.Version}
		if entry.State != oip.StateReady {
			c.Problem = entry.Reason
		}
		if metadata, err := server.ModelMetadata(entry.Name, entry.Version); err == nil {
			c.Inputs, c.Outputs = describe(metadata.Inputs), describe(metadata.Outputs)
		}
		if model, ok := files[entry.Name]; ok {
			c.Warnings = model.Warnings
			c.find(ctx, model, registry)
		}
		list = append(list, c)
	}
	return list, nil
}

// files returns what is on the disk of each model.
func (o *Options) files() (map[string]repository.Model, error) {
	var all []repository.Model
	if o.Repository != "" {
		found, err := repository.Find(o.Repository)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if o.ConfigFile != "" {
		found, _, err := repository.ReadList(o.ConfigFile)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	for _, m := range o.Models {
		if m.FS != nil {
			continue
		}
		found, err := repository.FindOne(m.Path, m.Name, m.Config)
		if err != nil {
			return nil, err
		}
		all = append(all, found)
	}
	files := make(map[string]repository.Model)
	for _, model := range all {
		files[model.Name] = model
	}
	return files, nil
}

// find sets the file of the version, and what the validator finds in it.
func (c *Checked) find(ctx context.Context, model repository.Model, registry *plugin.Registry) {
	i := slices.IndexFunc(model.Versions, func(v repository.Version) bool { return v.Name() == c.Version })
	if i < 0 || model.Versions[i].File == "" {
		return
	}
	version := model.Versions[i]
	c.File = path.Join(version.Folder.Path, version.File)
	var read *ir.Model
	var err error
	if strings.EqualFold(path.Ext(version.File), ".onnx") {
		read, err = onnx.Format{}.ReadFS(ctx, version.Folder.FS, version.File, registry)
	} else {
		read, err = irxml.ReadFS(version.Folder.FS, version.File, irxml.ReadOptions{})
	}
	if err != nil {
		return // which is the problem already
	}
	defer read.Close()
	report, err := validate.Model(ctx, read, registry, nil)
	if err != nil {
		c.Findings = append(c.Findings, err.Error())
		return
	}
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Severity >= validate.SeverityWarning {
			if len(c.Findings) == maxFindings {
				c.Findings = append(c.Findings, "and more: see vinoir validate "+c.File)
				return
			}
			c.Findings = append(c.Findings, f.String())
		}
	}
}

// describe returns the ports as text.
func describe(ports []oip.Port) []string {
	list := make([]string, len(ports))
	for i, p := range ports {
		list[i] = fmt.Sprintf("%s %s %s", p.Name, p.Datatype, strings.ReplaceAll(fmt.Sprint(p.Shape), " ", ","))
	}
	return list
}
