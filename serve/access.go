package serve

import (
	"crypto/tls"
	"errors"

	"github.com/vinoir/vinoir/serve/internal/access"
)

// access reads the files of TLS and of keys. Both results are nil without such files.
func (o *Options) access() (*tls.Config, *access.Keys, error) {
	var config *tls.Config
	var keys *access.Keys
	var err error
	if o.Certificate != "" || o.CertificateKey != "" || o.ClientCA != "" {
		config, err = access.TLS(access.TLSOptions{
			Certificate: o.Certificate, Key: o.CertificateKey, ClientCAs: o.ClientCA, Log: o.Logger,
		})
		if err != nil {
			return nil, nil, err
		}
	}
	if o.APIKeyFile != "" {
		keys, err = access.NewKeys(access.KeyOptions{Path: o.APIKeyFile, Log: o.Logger})
	}
	return config, keys, err
}

var errNoAddress = errors.New("no address to listen on")
