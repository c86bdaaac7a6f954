package access

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// Scope is a group of calls, as Triton's restricted APIs have them.
type Scope string

// The scopes.
const (
	// Infer is computing, by every protocol.
	Infer Scope = "infer"
	// Health is whether the server and models are ready.
	Health Scope = "health"
	// Metadata is what the server and models are, and their configuration.
	Metadata Scope = "metadata"
	// Repository is the list of what is there, and loading and unloading it.
	Repository Scope = "repository"
	// Metrics are metrics and profiles.
	Metrics Scope = "metrics"
	// Statistics is what was counted.
	Statistics Scope = "statistics"
)

// scopes lists all of them.
var scopes = [...]Scope{Infer, Health, Metadata, Repository, Metrics, Statistics}

// maxKeyFileBytes bounds a file of keys.
const maxKeyFileBytes = 1 << 20

// KeyOptions of Keys.
type KeyOptions struct {
	// Path is the file with the keys: one a line, followed by the scopes that it allows, with
	// commas between them, or by nothing if it allows everything. Lines that start with # are
	// comments.
	Path string
	// Open are the scopes that need no key; nil means Health, which probes ask for.
	Open []Scope
	// Log is told of changes of the file; nil means slog.Default.
	Log *slog.Logger
}

// Keys are the API keys of a server.
type Keys struct {
	open []Scope
	keys *reloaded[keySet]
}

// keySet is what a file has.
type keySet []key

// key is a key, of which the hash is kept, so that all have the same length.
type key struct {
	hash   [sha256.Size]byte
	scopes []Scope
}

// NewKeys reads a file of keys. It is read again when it changes.
func NewKeys(o KeyOptions) (*Keys, error) {
	if o.Open == nil {
		o.Open = []Scope{Health}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	for _, scope := range o.Open {
		if !slices.Contains(scopes[:], scope) {
			return nil, fmt.Errorf("there is no scope %q: the scopes are %v", scope, scopes)
		}
	}
	keys, err := newReloaded([]string{o.Path}, func() (*keySet, error) { return readKeys(o.Path) }, o.Log)
	if err != nil {
		return nil, err
	}
	return &Keys{open: o.Open, keys: keys}, nil
}

// readKeys reads the file at path.
func readKeys(path string) (*keySet, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxKeyFileBytes {
		return nil, fmt.Errorf("%s has %d bytes, the limit is %d", path, info.Size(), maxKeyFileBytes)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	keys, err := parseKeys(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &keys, nil
}

// parseKeys reads the lines of a file. Errors name lines and never have a key.
func parseKeys(content []byte) (keySet, error) {
	var keys keySet
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, maxKeyFileBytes+1)
	for number := 1; lines.Scan(); number++ {
		words := strings.Fields(lines.Text())
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		k := key{hash: sha256.Sum256([]byte(words[0])), scopes: scopes[:]}
		if len(words) > 1 {
			k.scopes = nil
		}
		for word := range strings.SplitSeq(strings.Join(words[1:], ","), ",") {
			switch scope := Scope(word); {
			case word == "":
			case slices.Contains(scopes[:], scope):
				k.scopes = append(k.scopes, scope)
			default:
				return nil, fmt.Errorf("line %d: there is no scope %q: the scopes are %v", number, word, scopes)
			}
		}
		keys = append(keys, k)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("there are no keys")
	}
	return keys, nil
}

// Authorize returns an error if a call of scope needs a key, and authorization, the value of a
// header Authorization, has none that allows it: Unauthenticated or PermissionDenied. How long it
// takes says nothing about the keys.
func (k *Keys) Authorize(scope Scope, authorization string) error {
	if slices.Contains(k.open, scope) {
		return nil
	}
	scheme, token, _ := strings.Cut(authorization, " ")
	if token = strings.TrimSpace(token); !strings.EqualFold(scheme, "Bearer") || token == "" {
		return oip.Errorf(oip.Unauthenticated, "the call needs a key: Authorization: Bearer KEY")
	}
	hash := sha256.Sum256([]byte(token))
	var found *key
	keys := *k.keys.get()
	for i := range keys {
		if subtle.ConstantTimeCompare(hash[:], keys[i].hash[:]) == 1 {
			found = &keys[i]
		}
	}
	switch {
	case found == nil:
		return oip.Errorf(oip.Unauthenticated, "the key is unknown")
	case !slices.Contains(found.scopes, scope):
		return oip.Errorf(oip.PermissionDenied, "the key does not allow calls of scope %s", scope)
	}
	return nil
}
