package rest

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"strings"

	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// indexJSON is the state of a version of a model.
type indexJSON struct {
	Name    string    `json:"name"`
	Version string    `json:"version,omitempty"`
	State   oip.State `json:"state,omitempty"`
	Reason  string    `json:"reason,omitempty"`
}

func (h *handler) index(w http.ResponseWriter, r *http.Request) error {
	onlyReady := false
	err := h.members(w, r, func(name string, s *jsonscan.Scanner) (err error) {
		if name != "ready" {
			return s.Skip()
		}
		onlyReady, err = s.Bool()
		return err
	})
	if err != nil {
		return err
	}
	list := []indexJSON{}
	for _, entry := range h.Service.Index() {
		if !onlyReady || entry.State == oip.StateReady {
			list = append(list, indexJSON(entry))
		}
	}
	return httpapi.WriteJSON(w, http.StatusOK, list)
}

func (h *handler) load(w http.ResponseWriter, r *http.Request) error {
	if !h.RepositoryControl {
		return notAllowed()
	}
	var options oip.LoadOptions
	files := make(map[string][]byte)
	err := h.members(w, r, func(name string, s *jsonscan.Scanner) error {
		if name != "parameters" {
			return s.Skip()
		}
		return s.Object(func(name []byte) (err error) {
			const file = "file:"
			parameter := string(name)
			switch {
			case parameter == "config" && s.Kind() == '{':
				var object []byte
				object, err = s.Raw()
				options.Config = bytes.Clone(object)
			case parameter == "config":
				var text string
				text, err = s.String()
				options.Config = []byte(text)
			case strings.HasPrefix(parameter, file):
				files[parameter[len(file):]], err = base64Value(s, parameter)
			default:
				err = s.Skip()
			}
			return err
		})
	})
	if err != nil {
		return err
	}
	if len(files) > 0 {
		var err error
		if options.Files, err = oip.Files(files); err != nil {
			return err
		}
	}
	model := r.PathValue("model")
	if err := h.Service.Load(r.Context(), model, options); err != nil {
		return err
	}
	// Triton's clients ignore the body. KServe's servers send this one.
	return httpapi.WriteJSON(w, http.StatusOK, struct {
		Name string `json:"name"`
		Load bool   `json:"load"`
	}{model, true})
}

// base64Value reads the text of a parameter that is base64.
func base64Value(s *jsonscan.Scanner, parameter string) ([]byte, error) {
	text, err := s.String()
	if err != nil {
		return nil, err
	}
	content, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, oip.Errorf(oip.Malformed, "parameter %.100q is not base64: %v", parameter, err)
	}
	return content, nil
}

func (h *handler) unload(w http.ResponseWriter, r *http.Request) error {
	if !h.RepositoryControl {
		return notAllowed()
	}
	// Models do not depend on each other, so unload_dependents changes nothing.
	err := h.members(w, r, func(_ string, s *jsonscan.Scanner) error { return s.Skip() })
	if err != nil {
		return err
	}
	model := r.PathValue("model")
	if err := h.Service.Unload(r.Context(), model); err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, struct {
		Name   string `json:"name"`
		Unload bool   `json:"unload"`
	}{model, true})
}

func notAllowed() error {
	return oip.Errorf(oip.Unavailable, "loading and unloading models is not allowed: the server's repository control is not explicit")
}

// members reads the body of r, which is empty or an object of JSON, and calls member for each
// member.
func (h *handler) members(w http.ResponseWriter, r *http.Request, member func(name string, s *jsonscan.Scanner) error) error {
	body := httpapi.NewBody(r, h.Limits.MaxBodyBytes, &h.pool)
	defer body.Close()
	data, err := body.ReadAll()
	if err != nil {
		return body.Refuse(w, err)
	}
	s := jsonscan.New(data, h.Limits.MaxJSONDepth)
	if s.Kind() == 0 {
		return nil
	}
	if err := s.Object(func(name []byte) error { return member(string(name), s) }); err != nil {
		return err
	}
	return s.End()
}
