package serve

import (
	"net"
	"sync"
)

// limitListener returns a listener that has at most n connections at a time: further ones wait to
// be accepted, and the system refuses those that are too many to wait.
func limitListener(l net.Listener, n int) net.Listener {
	return &limitedListener{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

type limitedListener struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	once   sync.Once
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &limitedConn{Conn: c, free: sync.OnceFunc(func() { <-l.places })}, nil
}

func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	free func()
}

func (c *limitedConn) Close() error {
	defer c.free()
	return c.Conn.Close()
}
