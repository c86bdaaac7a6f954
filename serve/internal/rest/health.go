package rest

import (
	"net/http"

	"github.com/vinoir/vinoir/serve/internal/httpapi"
	"github.com/vinoir/vinoir/serve/internal/jsonscan"
	"github.com/vinoir/vinoir/serve/internal/oip"
)

// The answers about health have bodies: KServe's client reads them, Triton's looks at the status.

func (h *handler) live(w http.ResponseWriter, _ *http.Request) error {
	httpapi.WriteBody(w, http.StatusOK, []byte(`{"live":true}`+"\n"))
	return nil
}

func (h *handler) ready(w http.ResponseWriter, _ *http.Request) error {
	if !h.Service.Ready() {
		err := oip.Errorf(oip.Unavailable, "the server is not ready")
		httpapi.WriteErrorBody(w, err, []byte(`{"ready":false,"error":"the server is not ready"}`+"\n"))
		return nil
	}
	httpapi.WriteBody(w, http.StatusOK, []byte(`{"ready":true}`+"\n"))
	return nil
}

func (h *handler) modelReady(w http.ResponseWriter, r *http.Request) error {
	model, version := target(r)
	ready, err := h.Service.ModelReady(model, version)
	if err != nil {
		return err
	}
	body, _ := jsonscan.AppendText([]byte(`{"name":`), model)
	if !ready {
		err := oip.Errorf(oip.Unavailable, "the model is not ready")
		httpapi.WriteErrorBody(w, err, append(body, `,"ready":false,"error":"the model is not ready"}`+"\n"...))
		return nil
	}
	httpapi.WriteBody(w, http.StatusOK, append(body, `,"ready":true}`+"\n"...))
	return nil
}
