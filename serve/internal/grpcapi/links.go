package grpcapi

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/peer"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// A client can send half a message and nothing more, or never read a response: what it sent, or
// what it does not read, would be held for as long as it likes. So connections are watched.
const (
	// watchLinks is how often.
	watchLinks = 10 * time.Second
	// slowBytes is how much must move meanwhile, in the direction that is waited for.
	slowBytes = 64 << 10
	// maxUnread bounds the responses that clients do not read, of all connections together.
	maxUnread = 1 << 30
)

// links are the connections of a server.
type links struct {
	interval  time.Duration
	slowBytes int64
	maxUnread int64

	mutex sync.Mutex
	all   map[*link]struct{}
	// unread is the size of the responses that are not sent yet.
	unread atomic.Int64
}

func newLinks() *links {
	return &links{interval: watchLinks, slowBytes: slowBytes, maxUnread: maxUnread, all: make(map[*link]struct{})}
}

// listen returns l with connections that are in links.
func (s *links) listen(l net.Listener) net.Listener { return &linkListener{Listener: l, links: s} }

// watch closes connections that are slow, until done is closed.
func (s *links) watch(done <-chan struct{}) {
	ticker := time.NewTicker(s.interval)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		for _, l := range s.slow() {
			_ = l.Close()
		}
	}
}

// slow returns the connections that were waited for since the last call, and moved too little.
func (s *links) slow() []*link {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var slow []*link
	for l := range s.all {
		if l.in.slow(l.receiving.Load() > 0, s.slowBytes) || l.out.slow(l.unread.Load() > 0, s.slowBytes) {
			slow = append(slow, l)
		}
	}
	return slow
}

// full returns an error if clients leave so much unread that no more responses are made.
func (s *links) full() error {
	if unread := s.unread.Load(); unread > s.maxUnread {
		return oip.Errorf(oip.QueueFull, "%d bytes of responses are not read by their clients, the limit is %d", unread, s.maxUnread)
	}
	return nil
}

// linkListener accepts links.
type linkListener struct {
	net.Listener
	links *links
}

// Accept waits for a connection.
func (l *linkListener) Accept() (net.Conn, error) {
	connection, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	accepted := &link{Conn: connection, links: l.links}
	l.links.mutex.Lock()
	defer l.links.mutex.Unlock()
	l.links.all[accepted] = struct{}{}
	return accepted, nil
}

// link is a connection that counts what moves. The methods for calls allow nil: calls that came by
// an http.Server have no link.
type link struct {
	net.Conn
	links *links
	// receiving is how many calls wait for the rest of a message.
	receiving atomic.Int64
	in, out   traffic

	mutex  sync.Mutex
	closed bool
	// unread is the size of the responses that are not sent yet.
	unread atomic.Int64
}

// traffic is one direction of a connection.
type traffic struct {
	bytes atomic.Int64
	// before is bytes as slow saw it last, waited whether it was waited for then. Only slow uses
	// them.
	before int64
	waited bool
}

// slow says whether the direction is waited for, now and at the last call, and moved less than
// least bytes meanwhile.
func (t *traffic) slow(waited bool, least int64) bool {
	bytes := t.bytes.Load()
	slow := waited && t.waited && bytes-t.before < least
	t.before, t.waited = bytes, waited
	return slow
}

// Read reads from the connection.
func (l *link) Read(b []byte) (int, error) {
	n, err := l.Conn.Read(b)
	l.in.bytes.Add(int64(n))
	return n, err
}

// Write writes to the connection.
func (l *link) Write(b []byte) (int, error) {
	n, err := l.Conn.Write(b)
	l.out.bytes.Add(int64(n))
	return n, err
}

// Close closes the connection. grpc forgets the responses that it was sending then.
func (l *link) Close() error {
	l.links.mutex.Lock()
	delete(l.links.all, l)
	l.links.mutex.Unlock()

	l.mutex.Lock()
	if !l.closed {
		l.closed = true
		l.links.unread.Add(-l.unread.Load())
	}
	l.mutex.Unlock()
	return l.Conn.Close()
}

// RemoteAddr returns the address of the client. It is how a call finds its link.
func (l *link) RemoteAddr() net.Addr { return linkAddr{l.Conn.RemoteAddr(), l} }

type linkAddr struct {
	net.Addr
	link *link
}

// linkOf returns the link of a call; nil if it has none.
func linkOf(ctx context.Context) *link {
	if client, ok := peer.FromContext(ctx); ok {
		if address, ok := client.Addr.(linkAddr); ok {
			return address.link
		}
	}
	return nil
}

// startReceiving says that a call waits for a message, until the result is called.
func (l *link) startReceiving() (stop func()) {
	if l == nil {
		return func() {}
	}
	l.receiving.Add(1)
	return func() { l.receiving.Add(-1) }
}

// addUnread counts n more bytes, or fewer if n is negative, that are to be sent.
func (l *link) addUnread(n int) {
	if l == nil {
		return
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if !l.closed {
		l.unread.Add(int64(n))
		l.links.unread.Add(int64(n))
	}
}

// sending is a response of which pieces are not sent yet.
type sending struct {
	link     *link
	response *oip.InferResponse
	// parts is the number of pieces that are not sent, and 1 while there may be more.
	parts atomic.Int64
}

// done ends a part. With the last one, the response is released. If a connection breaks, grpc
// forgets the pieces: then their memory is for the garbage collector.
func (s *sending) done() {
	if s.parts.Add(-1) == 0 {
		s.response.Release()
	}
}

// unsent is the mem.BufferPool of one piece: grpc gives the piece back when it is sent.
type unsent struct {
	sending *sending
	size    int
}

// Get is not used: only pieces that exist already belong to an unsent.
func (u *unsent) Get(n int) *[]byte { b := make([]byte, n); return &b }

// Put takes a piece back that was sent.
func (u *unsent) Put(*[]byte) {
	u.sending.link.addUnread(-u.size)
	u.sending.done()
}
