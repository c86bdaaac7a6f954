// Package access says who may do what: TLS, also with certificates of clients, and API keys that
// allow some calls. All files are read again when they change, as cert-manager and Kubernetes
// change them, without a restart.
package access
