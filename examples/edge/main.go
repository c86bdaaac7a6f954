// Command edge names what a camera sees. It is a program for small boards: one static file, with a
// limit of memory, that does not spin while it waits.
//
//	edge model.xml labels.txt cat.jpg dog.png
//	rpicam-vid --codec mjpeg --framerate 5 -t 0 -o - | edge model.xml labels.txt
//
// For each picture it prints a line of JSON. README.md has the container and the systemd unit.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/vinoir/vinoir/examples/classifier"
	"github.com/vinoir/vinoir/ir/irxml"
	"github.com/vinoir/vinoir/plugin"
	"github.com/vinoir/vinoir/preprocess"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdin, os.Stdout); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "edge:", err)
		stop()
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	classifier classifier.Options
	top        int
	all        bool
}

func run(ctx context.Context, args []string, camera io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet("edge", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: edge [flags] MODEL.xml LABELS.txt [PICTURE...]\n\nWithout pictures, edge reads a stream of JPEGs from standard input.")
		flags.PrintDefaults()
	}
	var o options
	o.classifier.AddFlags(flags)
	flags.IntVar(&o.top, "top", 3, "`number` of labels to print")
	flags.BoolVar(&o.all, "all", false, "classify all pictures of the stream; without it, those that come while one is being classified are left out, except the last")
	flags.IntVar(&o.classifier.Compile.InferenceNumThreads, "threads", 0, "`number` of threads, 0 for all cores")
	memory := flags.Int64("memory", 0, "limit of memory in `MiB`, 0 for that of the machine or the container")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() < 2 {
		flags.Usage()
		return errors.New("a model and labels are needed")
	}
	limit := *memory << 20
	if limit <= 0 {
		limit = plugin.SystemMemory()
	}
	if limit > 0 {
		// The garbage collector works harder before the limit is reached. A model that leaves too
		// little for pictures and the program itself is an error.
		debug.SetMemoryLimit(limit)
		o.classifier.Limits.MaxModelBytes = limit / 4 * 3
	}
	o.classifier.Compile.IdleAtOnce = true // between two pictures of a camera

	labels, err := os.ReadFile(flags.Arg(1))
	if err != nil {
		return err
	}
	model, err := irxml.ReadFile(flags.Arg(0), irxml.ReadOptions{})
	if err != nil {
		return err
	}
	c, err := classifier.New(ctx, model, string(labels), o.classifier)
	if err != nil {
		return fmt.Errorf("%s: %w", flags.Arg(0), err)
	}
	defer c.Close()
	p := &printer{classifier: c, top: o.top, out: json.NewEncoder(out)}
	if flags.NArg() > 2 {
		return p.files(ctx, flags.Args()[2:])
	}
	return p.stream(ctx, readFrames(ctx, camera, o.all))
}

// printer prints what pictures show.
type printer struct {
	classifier *classifier.Classifier
	top        int
	out        *json.Encoder
}

// line is a line of the output.
type line struct {
	Picture      string             `json:"picture"`
	Labels       []classifier.Label `json:"labels,omitempty"`
	Milliseconds float64            `json:"ms"`              // to decode and classify it
	Error        string             `json:"error,omitempty"` // instead of Labels
}

// files prints a line for each file. The error is that of the last that has one.
func (p *printer) files(ctx context.Context, paths []string) (failed error) {
	for _, path := range paths {
		bad, err := p.print(ctx, path, func() (image.Image, error) { return preprocess.ReadFile(path, 0) })
		if err != nil {
			return err
		}
		if bad != nil {
			failed = bad
		}
	}
	return failed
}

// stream prints a line for each picture, until the stream or ctx ends. A broken picture is not the
// end: a camera can send one.
func (p *printer) stream(ctx context.Context, f *frames) error {
	for i := 0; ; i++ {
		select {
		case data, more := <-f.pictures:
			if !more {
				return f.err
			}
			if _, err := p.print(ctx, strconv.Itoa(i), func() (image.Image, error) { return preprocess.Decode(data, 0) }); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// print prints the line of one picture. It returns what is wrong with the picture, and the error of
// printing.
func (p *printer) print(ctx context.Context, name string, decode func() (image.Image, error)) (bad, err error) {
	start, l := time.Now(), line{Picture: name}
	picture, bad := decode()
	if bad == nil {
		l.Labels, bad = p.classifier.Classify(ctx, picture, p.top)
	}
	if bad != nil {
		l.Error = bad.Error()
	}
	l.Milliseconds = float64(time.Since(start).Microseconds()) / 1000
	return bad, p.out.Encode(l)
}
