package grpcapi

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/vinoir/vinoir/serve/internal/oip"
)

// startImpatient serves a server that looks at its connections every interval, until the test ends.
func startImpatient(t testing.TB, o Options, interval time.Duration) (*Server, string) {
	t.Helper()
	server := New(o)
	server.links.interval, server.links.maxUnread = interval, 1_500_000
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.server.Stop()
		require.NoError(t, <-served)
	})
	return server, listener.Addr().String()
}

// largeRequest is a request whose response does not fit the window of a client.
func largeRequest(t testing.TB) proto.Message {
	t.Helper()
	request := messageOf(t, "ModelInferRequest", `model_name: "identity" inputs { datatype: "UINT8" shape: 1000000 }`)
	request.Mutable(request.Descriptor().Fields().ByName("raw_input_contents")).List().Append(protoBytes(make([]byte, 1_000_000)))
	return request
}

// unread asks for a large response on a connection, and does not read it.
func unread(t testing.TB, client *grpc.ClientConn) grpc.ClientStream {
	t.Helper()
	description := &grpc.StreamDesc{StreamName: "ModelInfer", ServerStreams: true, ClientStreams: true}
	stream, err := client.NewStream(t.Context(), description, "/"+ServiceName+"/ModelInfer")
	require.NoError(t, err)
	require.NoError(t, stream.SendMsg(largeRequest(t)))
	require.NoError(t, stream.CloseSend())
	return stream
}

func TestLinks_unread(t *testing.T) {
	for _, free := range []bool{false, true} {
		server, address := startImpatient(t, Options{Service: &freeingService{free: free}}, time.Hour)
		client, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithStaticStreamWindowSize(64<<10), grpc.WithStaticConnWindowSize(64<<10))
		require.NoError(t, err)
		defer client.Close()
		first, second := unread(t, client), unread(t, client)
		require.Eventually(t, func() bool { return server.links.unread.Load() == 2_000_000 }, 5*time.Second, time.Millisecond)

		// There is no place for more, until the clients read or go.
		third := unread(t, client)
		err = third.RecvMsg(newMessage(t, "ModelInferResponse"))
		require.Equal(t, codes.ResourceExhausted, status.Code(err), "%v", err)
		require.NoError(t, first.RecvMsg(newMessage(t, "ModelInferResponse")))
		require.Eventually(t, func() bool { return server.links.unread.Load() == 1_000_000 }, 5*time.Second, time.Millisecond)
		require.NoError(t, second.RecvMsg(newMessage(t, "ModelInferResponse")))
		require.Eventually(t, func() bool { return server.links.unread.Load() == 0 }, 5*time.Second, time.Millisecond)
	}
}

// freeingService answers with memory that it wants back.
type freeingService struct {
	fakeService
	free bool
}

func (s *freeingService) Infer(ctx context.Context, r *oip.InferRequest) (*oip.InferResponse, error) {
	response, err := s.fakeService.Infer(ctx, r)
	if err == nil && s.free {
		response.Free = func() {}
	}
	return response, err
}

func TestLinks_unreadForTooLong(t *testing.T) {
	server, address := startImpatient(t, Options{Service: &fakeService{}}, 50*time.Millisecond)
	client, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithStaticStreamWindowSize(64<<10), grpc.WithStaticConnWindowSize(64<<10))
	require.NoError(t, err)
	defer client.Close()
	stream := unread(t, client)
	require.Eventually(t, func() bool {
		server.links.mutex.Lock()
		defer server.links.mutex.Unlock()
		return len(server.links.all) == 0
	}, 5*time.Second, time.Millisecond, "the connection stays")
	require.Equal(t, codes.Unavailable, status.Code(stream.RecvMsg(newMessage(t, "ModelInferResponse"))))
	require.Eventually(t, func() bool { return server.links.unread.Load() == 0 }, 5*time.Second, time.Millisecond)
}

// A client that sends a part of a message is sent away, one that waits between calls is not.
func TestLinks_halfAMessage(t *testing.T) {
	for _, half := range []bool{true, false} {
		_, address := startImpatient(t, Options{Service: &fakeService{}}, 50*time.Millisecond)
		connection, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer connection.Close()
		_, err = io.WriteString(connection, http2.ClientPreface)
		require.NoError(t, err)
		framer := http2.NewFramer(connection, connection)
		require.NoError(t, framer.WriteSettings())
		if half {
			headers := new(bytes.Buffer)
			encoder := hpack.NewEncoder(headers)
			for _, header := range [][2]string{
				{":method", "POST"}, {":scheme", "http"}, {":path", "/" + ServiceName + "/ModelInfer"},
				{":authority", "localhost"}, {"content-type", "application/grpc"}, {"te", "trailers"},
			} {
				require.NoError(t, encoder.WriteField(hpack.HeaderField{Name: header[0], Value: header[1]}))
			}
			require.NoError(t, framer.WriteHeaders(http2.HeadersFrameParam{
				StreamID: 1, BlockFragment: headers.Bytes(), EndHeaders: true,
			}))
			require.NoError(t, framer.WriteData(1, false, []byte{0, 0, 0, 1, 0, 'h', 'a', 'l', 'f'}))
		}
		require.NoError(t, connection.SetReadDeadline(time.Now().Add(map[bool]time.Duration{true: 10 * time.Second, false: 300 * time.Millisecond}[half])))
		_, err = io.Copy(io.Discard, connection)
		var timeout net.Error
		require.Equal(t, !half, errors.As(err, &timeout) && timeout.Timeout(), "%v", err)
	}
}
