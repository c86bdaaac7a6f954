package tfs

import (
	"net/http"

	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// versionStatus is the state of a version of a model.
type versionStatus struct {
	Version string     `json:"version"`
	State   string     `json:"state"`
	Status  statusJSON `json:"status"`
}

type statusJSON struct {
	ErrorCode    string `json:"error_code"`
	ErrorMessage string `json:"error_message"`
}

// states has the protocol's names of states.
var states = map[oip.State]string{
	oip.StateReady:       "AVAILABLE",
	oip.StateLoading:     "LOADING",
	oip.StateUnloading:   "UNLOADING",
	oip.StateUnavailable: "END",
}

func statusOf(entry oip.IndexEntry) versionStatus {
	status := statusJSON{ErrorCode: "OK"}
	if entry.State == oip.StateUnavailable && entry.Reason != "" {
		status = statusJSON{"UNKNOWN", entry.Reason}
	}
	return versionStatus{entry.Version, states[entry.State], status}
}

// openAIModel is a model as OpenAI's protocol has it.
type openAIModel struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

func (h *handler) openAIModel(name string) openAIModel {
	return openAIModel{ID: name, Object: "model", OwnedBy: h.Service.Server().Name}
}

// modelStatus is the answer about a model. OpenAI's protocol has a call with the same path, so the
// members of both are there.
type modelStatus struct {
	ModelVersionStatus []versionStatus `json:"model_version_status"`
	openAIModel
}

// modelList is the answer about all models, as KServe has it in its first protocol, and OpenAI.
type modelList struct {
	Models []string      `json:"models"`
	Object string        `json:"object"`
	Data   []openAIModel `json:"data"`
}

func (h *handler) models(w http.ResponseWriter, _ *http.Request) error {
	answer := modelList{Models: []string{}, Object: "list", Data: []openAIModel{}}
	for _, name := range h.Service.Models() {
		answer.Models = append(answer.Models, name)
		answer.Data = append(answer.Data, h.openAIModel(name))
	}
	return httpapi.WriteJSON(w, http.StatusOK, answer)
}

func (h *handler) status(w http.ResponseWriter, r *http.Request) error {
	model, version := r.PathValue("model"), r.PathValue("version")
	answer := modelStatus{openAIModel: h.openAIModel(model)}
	for _, entry := range h.Service.Index() {
		if entry.Name == model && entry.Version != "" && (version == "" || entry.Version == version) {
			answer.ModelVersionStatus = append(answer.ModelVersionStatus, statusOf(entry))
		}
	}
	if len(answer.ModelVersionStatus) == 0 {
		if version != "" {
			return oip.Errorf(oip.NotFound, "model %.100q has no version %.20q", model, version)
		}
		return oip.Errorf(oip.NotFound, "model %.100q is unknown", model)
	}
	return httpapi.WriteJSON(w, http.StatusOK, answer)
}

// all returns the states of all versions by the names of their models.
func (h *handler) all() map[string]map[string][]versionStatus {
	const member = "model_version_status"
	all := make(map[string]map[string][]versionStatus)
	for _, entry := range h.Service.Index() {
		model, ok := all[entry.Name]
		if !ok {
			model = map[string][]versionStatus{member: {}}
			all[entry.Name] = model
		}
		if entry.Version != "" {
			model[member] = append(model[member], statusOf(entry))
		}
	}
	return all
}

// config is a call of OpenVINO Model Server.
func (h *handler) config(w http.ResponseWriter, _ *http.Request) error {
	return httpapi.WriteJSON(w, http.StatusOK, h.all())
}

// reload is a call of OpenVINO Model Server. It loads all models again.
func (h *handler) reload(w http.ResponseWriter, r *http.Request) error {
	for model := range h.all() {
		if err := h.Service.Load(r.Context(), model, oip.LoadOptions{}); err != nil {
			return err
		}
	}
	return httpapi.WriteJSON(w, http.StatusCreated, h.all())
}
