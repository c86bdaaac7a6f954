package access

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
)

// TLSOptions name the files of TLS, all in PEM.
type TLSOptions struct {
	// Certificate is the file with the certificate of the server and those between it and the root,
	// Key the file with its key.
	Certificate, Key string
	// ClientCAs is the file with the roots that the certificates of clients must come from. If it
	// is empty, clients need none.
	ClientCAs string
	// Log is told of changes of the files; nil means slog.Default.
	Log *slog.Logger
}

// TLS returns the configuration for HTTP/1, HTTP/2 and gRPC. New connections use the files as they
// are then.
func TLS(o TLSOptions) (*tls.Config, error) {
	if o.Certificate == "" || o.Key == "" {
		return nil, errors.New("TLS needs a certificate and a key")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	paths := []string{o.Certificate, o.Key}
	if o.ClientCAs != "" {
		paths = append(paths, o.ClientCAs)
	}
	current, err := newReloaded(paths, func() (*tls.Config, error) { return loadTLS(o) }, o.Log)
	if err != nil {
		return nil, err
	}
	config := current.get().Clone()
	config.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return current.get(), nil }
	return config, nil
}

// loadTLS reads the files.
func loadTLS(o TLSOptions) (*tls.Config, error) {
	certificate, err := tls.LoadX509KeyPair(o.Certificate, o.Key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: %w", o.Certificate, o.Key, err)
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		MinVersion:   tls.VersionTLS12,
		NextProtos:   []string{"h2", "http/1.1"},
	}
	if o.ClientCAs == "" {
		return config, nil
	}
	roots, err := os.ReadFile(o.ClientCAs)
	if err != nil {
		return nil, err
	}
	config.ClientCAs, config.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !config.ClientCAs.AppendCertsFromPEM(roots) {
		return nil, fmt.Errorf("%s has no certificates", o.ClientCAs)
	}
	return config, nil
}
