package access

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// write writes a file and makes sure that it looks changed.
func write(t testing.TB, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path+".new", []byte(content), 0o600))
	require.NoError(t, os.Rename(path+".new", path))
}

func TestKeys_Authorize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	write(t, path, "# keys\n\nadmin\n  reader metadata, statistics\ninfer infer,metrics\n")
	keys, err := NewKeys(KeyOptions{Path: path})
	require.NoError(t, err)
	for _, c := range []struct {
		scope         Scope
		authorization string
		want          string
	}{
		{Health, "", ""},
		{Infer, "", "the call needs a key"},
		{Infer, "Basic admin", "the call needs a key"},
		{Infer, "Bearer ", "the call needs a key"},
		{Infer, "Bearer adm", "the key is unknown"},
		{Infer, "Bearer #", "the key is unknown"},
		{Infer, "bearer admin", ""},
		{Repository, "Bearer  admin ", ""},
		{Metadata, "Bearer reader", ""},
		{Statistics, "Bearer reader", ""},
		{Infer, "Bearer reader", "the key does not allow calls of scope infer"},
		{Metrics, "Bearer infer", ""},
	} {
		err := keys.Authorize(c.scope, c.authorization)
		if c.want == "" {
			require.NoError(t, err, c)
			continue
		}
		require.ErrorContains(t, err, c.want, c)
		want := oip.Unauthenticated
		if strings.Contains(c.want, "allow") {
			want = oip.PermissionDenied
		}
		require.Equal(t, want, err.(*oip.Error).Code)
	}
}

func TestKeys_reload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	write(t, path, "old\n")
	log := new(bytes.Buffer)
	keys, err := NewKeys(KeyOptions{Path: path, Log: slog.New(slog.NewTextHandler(log, nil))})
	require.NoError(t, err)
	write(t, path, "new\n")
	require.NoError(t, keys.Authorize(Infer, "Bearer old"), "the file is looked at again too early")

	now := func() { keys.keys.next.Store(0) }
	now()
	require.Error(t, keys.Authorize(Infer, "Bearer old"))
	require.NoError(t, keys.Authorize(Infer, "Bearer new"))
	require.Contains(t, log.String(), "files that changed are in use")

	write(t, path, "secret unknown-scope\n")
	now()
	require.NoError(t, keys.Authorize(Infer, "Bearer new"), "a broken file has replaced a good one")
	require.Contains(t, log.String(), "line 1: there is no scope")
	require.NotContains(t, log.String(), "secret")

	require.NoError(t, os.Remove(path))
	now()
	require.NoError(t, keys.Authorize(Infer, "Bearer new"))
	write(t, path, "last\n")
	now()
	require.NoError(t, keys.Authorize(Infer, "Bearer last"))
}

func TestNewKeys_errors(t *testing.T) {
	folder := t.TempDir()
	for content, want := range map[string]string{
		"":                                     "there are no keys",
		"# only\n":                             "there are no keys",
		"a\nb infer,x\n":                       `line 2: there is no scope "x"`,
		strings.Repeat("x", maxKeyFileBytes+1): "bytes, the limit is",
	} {
		path := filepath.Join(folder, "keys")
		write(t, path, content)
		_, err := NewKeys(KeyOptions{Path: path})
		require.ErrorContains(t, err, want)
	}
	_, err := NewKeys(KeyOptions{Path: filepath.Join(folder, "none")})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = NewKeys(KeyOptions{Open: []Scope{"x"}})
	require.ErrorContains(t, err, `there is no scope "x"`)
}

func FuzzParseKeys(f *testing.F) {
	f.Add([]byte("# comment\nkey infer,health metadata\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		keys, err := parseKeys(content)
		require.Equal(t, err == nil, len(keys) > 0)
	})
}

func TestScopeOf(t *testing.T) {
	for request, want := range map[string]Scope{
		"GET /v2/health/ready":               Health,
		"HEAD /v2/health/live":               Health,
		"POST /v2/health/live":               Infer,
		"GET /v2/models/m/ready":             Health,
		"GET /v2/models/m/versions/1/ready":  Health,
		"GET /v2/models/ready":               Metadata,
		"POST /v2/models/m/ready":            Infer,
		"GET /v2/models/m":                   Metadata,
		"GET /v2/models/m/config":            Metadata,
		"GET /v2/models/m/stats":             Statistics,
		"GET /v2/models/stats":               Statistics,
		"GET /":                              Metadata,
		"GET /metrics":                       Metrics,
		"GET /debug/pprof/heap":              Metrics,
		"POST /v2/models/m/infer":            Infer,
		"POST /v1/models/m:predict":          Infer,
		"POST /v3/chat/completions":          Infer,
		"POST /v2/repository/index":          Repository,
		"POST /v2/repository/models/m/load":  Repository,
		"POST /v1/config/reload":             Repository,
		"GET /v1/config":                     Repository,
		"GET /v1/models/m":                   Metadata,
		"DELETE /v2/models/m/versions/ready": Infer,
	} {
		method, path, _ := strings.Cut(request, " ")
		require.Equal(t, want, ScopeOf(httptest.NewRequest(method, path, nil)), request)
	}
}

func TestKeys_Handler(t *testing.T) {
	path := filepath.Join(t.TempDir(), "keys")
	write(t, path, "a infer\n")
	keys, err := NewKeys(KeyOptions{Path: path})
	require.NoError(t, err)
	handler := keys.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}), func(w http.ResponseWriter, _ *http.Request, err *oip.Error) {
		http.Error(w, err.Text, map[oip.Code]int{oip.Unauthenticated: 401, oip.PermissionDenied: 403}[err.Code])
	})
	for _, c := range []struct {
		method, path, authorization string
		want                        int
	}{
		{"GET", "/v2/health/live", "", 204},
		{"POST", "/v2/models/m/infer", "Bearer a", 204},
		{"POST", "/v2/models/m/infer", "Bearer b", 401},
		{"GET", "/metrics", "Bearer a", 403},
	} {
		request := httptest.NewRequest(c.method, c.path, nil)
		request.Header.Set("Authorization", c.authorization)
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		require.Equal(t, c.want, answer.Code)
		require.Equal(t, map[bool]string{true: "Bearer"}[c.want == 401], answer.Header().Get("WWW-Authenticate"))
	}
}

// authority signs certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         string
}

// newAuthority returns an authority with a certificate of its own.
func newAuthority(t testing.TB) *authority {
	t.Helper()
	a := new(authority)
	certificate, key := a.sign(t, 1)
	block, _ := pem.Decode([]byte(certificate))
	var err error
	a.certificate, err = x509.ParseCertificate(block.Bytes)
	require.NoError(t, err)
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	require.NoError(t, err)
	a.key, a.pem = pair.PrivateKey.(*ecdsa.PrivateKey), certificate
	return a
}

// sign returns a certificate with a serial number, and its key. The first is that of a itself.
func (a *authority) sign(t testing.TB, serial int64) (certificate, key string) {
	t.Helper()
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: a.certificate == nil, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := a.certificate, a.key
	if parent == nil {
		parent, signer = template, own
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &own.PublicKey, signer)
	require.NoError(t, err)
	private, err := x509.MarshalPKCS8PrivateKey(own)
	require.NoError(t, err)
	encode := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	return encode("CERTIFICATE", der), encode("PRIVATE KEY", private)
}

// serialOf connects to a server that has config, and returns the serial number of its certificate.
func serialOf(t testing.TB, config, client *tls.Config) (int64, error) {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	require.NoError(t, err)
	defer listener.Close()
	result := make(chan error, 1)
	go func() {
		connection, err := listener.Accept()
		if err == nil {
			err = connection.(*tls.Conn).Handshake()
			connection.Close()
		}
		result <- err
	}()
	connection, err := tls.Dial("tcp", listener.Addr().String(), client)
	if err != nil {
		<-result
		return 0, err
	}
	defer connection.Close()
	require.Equal(t, "h2", connection.ConnectionState().NegotiatedProtocol)
	return connection.ConnectionState().PeerCertificates[0].SerialNumber.Int64(), <-result
}

func TestTLS(t *testing.T) {
	folder := t.TempDir()
	ca, other := newAuthority(t), newAuthority(t)
	o := TLSOptions{
		Certificate: filepath.Join(folder, "tls.crt"), Key: filepath.Join(folder, "tls.key"), ClientCAs: filepath.Join(folder, "ca.crt"),
		Log: slog.New(slog.DiscardHandler),
	}
	put := func(serial int64) {
		certificate, key := ca.sign(t, serial)
		write(t, o.Certificate, certificate)
		write(t, o.Key, key)
	}
	put(2)
	write(t, o.ClientCAs, ca.pem)
	config, err := TLS(o)
	require.NoError(t, err)

	clientOf := func(a *authority) *tls.Config {
		client := &tls.Config{RootCAs: x509.NewCertPool(), NextProtos: []string{"h2"}}
		client.RootCAs.AddCert(ca.certificate)
		if a != nil {
			certificate, key := a.sign(t, 9)
			pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
			require.NoError(t, err)
			client.Certificates = []tls.Certificate{pair}
		}
		return client
	}
	serial, err := serialOf(t, config, clientOf(ca))
	require.NoError(t, err)
	require.Equal(t, int64(2), serial)
	for _, client := range []*tls.Config{clientOf(nil), clientOf(other)} {
		_, err = serialOf(t, config, client)
		require.Error(t, err, "a client without a certificate of the authority")
	}

	// New files: first only the certificate, which does not fit the key, then both.
	_, err = os.Stat(o.Key)
	require.NoError(t, err)
	certificate, _ := ca.sign(t, 3)
	write(t, o.Certificate, certificate)
	reload := func() {
		// What New kept is behind GetConfigForClient: wait as a server does.
		time.Sleep(checkInterval)
	}
	reload()
	serial, err = serialOf(t, config, clientOf(ca))
	require.NoError(t, err)
	require.Equal(t, int64(2), serial)
	put(4)
	reload()
	serial, err = serialOf(t, config, clientOf(ca))
	require.NoError(t, err)
	require.Equal(t, int64(4), serial)
}

func TestTLS_errors(t *testing.T) {
	folder := t.TempDir()
	path := func(name, content string) string {
		name = filepath.Join(folder, name)
		write(t, name, content)
		return name
	}
	certificate, key := newAuthority(t).sign(t, 2)
	crt, private, text := path("crt", certificate), path("key", key), path("text", "text")
	for want, o := range map[string]TLSOptions{
		"TLS needs a certificate and a key": {Certificate: crt},
		"text and":                          {Certificate: text, Key: private},
		"text has no certificates":          {Certificate: crt, Key: private, ClientCAs: text},
		"no such file":                      {Certificate: crt, Key: private, ClientCAs: filepath.Join(folder, "none")},
	} {
		_, err := TLS(o)
		require.ErrorContains(t, err, want)
	}
}
