package rest

import (
	"net/http"

	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// portJSON is an input or output in the metadata of a model.
type portJSON struct {
	Name     string       `json:"name"`
	Datatype oip.Datatype `json:"datatype"`
	Shape    []int64      `json:"shape"`
}

func portsJSON(ports []oip.Port) []portJSON {
	list := make([]portJSON, len(ports))
	for i, port := range ports {
		list[i] = portJSON{port.Name, port.Datatype, notNil(port.Shape)}
	}
	return list
}

// notNil returns list as one that is [] in JSON if it is empty, and never null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (h *handler) server(w http.ResponseWriter, _ *http.Request) error {
	server := h.Service.Server()
	return httpapi.WriteJSON(w, http.StatusOK, struct {
		Name       string   `json:"name"`
		Version    string   `json:"version"`
		Extensions []string `json:"extensions"`
	}{server.Name, server.Version, notNil(server.Extensions)})
}

func (h *handler) models(w http.ResponseWriter, _ *http.Request) error {
	return httpapi.WriteJSON(w, http.StatusOK, struct {
		Models []string `json:"models"`
	}{notNil(h.Service.Models())})
}

func (h *handler) metadata(w http.ResponseWriter, r *http.Request) error {
	metadata, err := h.Service.ModelMetadata(target(r))
	if err != nil {
		return err
	}
	return httpapi.WriteJSON(w, http.StatusOK, struct {
		Name     string     `json:"name"`
		Versions []string   `json:"versions"`
		Platform string     `json:"platform"`
		Inputs   []portJSON `json:"inputs"`
		Outputs  []portJSON `json:"outputs"`
	}{metadata.Name, notNil(metadata.Versions), metadata.Platform, portsJSON(metadata.Inputs), portsJSON(metadata.Outputs)})
}
