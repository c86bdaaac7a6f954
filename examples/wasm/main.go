// Command wasm makes a page that classifies pictures in the browser: the model, and vinoir compiled
// to WebAssembly.
//
//	go run ./examples/wasm model.xml labels.txt               # serves it at http://localhost:8080
//	go run ./examples/wasm -o site model.xml labels.txt       # writes the files for any web server
//
// It needs the Go toolchain and must be run in the module.
package main

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/vinoir/vinoir/examples/classifier"
)

//go:embed page
var page embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "wasm:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("wasm", flag.ContinueOnError)
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: wasm [flags] MODEL.xml LABELS.txt")
		flags.PrintDefaults()
	}
	var options classifier.Options
	options.AddFlags(flags)
	dir := flags.String("o", "", "write the page to `DIR` instead of serving it")
	address := flags.String("http", "localhost:8080", "serve the page at `ADDRESS`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 {
		flags.Usage()
		return errors.New("a model and labels are needed")
	}
	if *dir != "" {
		return write(ctx, *dir, flags.Arg(0), flags.Arg(1), options)
	}
	files, err := os.MkdirTemp("", "vinoir-wasm-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(files)
	if err := write(ctx, files, flags.Arg(0), flags.Arg(1), options); err != nil {
		return err
	}
	return serve(ctx, *address, files)
}

// write writes the files of the page to dir.
func write(ctx context.Context, dir, model, labels string, options classifier.Options) error {
	static, err := fs.Sub(page, "page")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := copyFS(dir, static); err != nil {
		return err
	}
	root, err := goTool(ctx, nil, "env", "GOROOT")
	if err != nil {
		return err
	}
	for name, path := range map[string]string{
		"model.xml":    model,
		"model.bin":    strings.TrimSuffix(model, ".xml") + ".bin",
		"labels.txt":   labels,
		"wasm_exec.js": filepath.Join(strings.TrimSpace(root), "lib", "wasm", "wasm_exec.js"),
	} {
		content, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o644)
		}
		if err != nil {
			return err
		}
	}
	text, err := json.Marshal(options)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "options.json"), text, 0o644)
	}
	if err != nil {
		return err
	}
	program, err := filepath.Abs(filepath.Join(dir, "app.wasm"))
	if err == nil {
		_, err = goTool(ctx, []string{"GOOS=js", "GOARCH=wasm"}, "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "github.com/vinoir/vinoir/examples/wasm/app")
	}
	return err
}

// copyFS writes the files of fsys to dir, over those that are there.
func copyFS(dir string, fsys fs.FS) error {
	names, err := fs.Glob(fsys, "*")
	for _, name := range names {
		content, err := fs.ReadFile(fsys, name)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), content, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return err
}

// goTool runs the go command with additional variables, and returns what it prints.
func goTool(ctx context.Context, env []string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), env...)
	var messages strings.Builder
	cmd.Stderr = &messages
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, messages.String())
	}
	return string(out), nil
}

// serve serves the files in dir until ctx ends.
func serve(ctx context.Context, address, dir string) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
