// Package browser drives Chromium without a window, for tests of pages.
package browser

import (
	"context"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// Browser is a running Chromium.
type Browser struct{ ctx context.Context }

// Start starts a browser, which ends with the test. It skips the test if there is none.
func Start(t *testing.T) *Browser {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		ctx, cancel := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(time.Minute))...)
		t.Cleanup(cancel)
		ctx, cancel = chromedp.NewContext(ctx)
		t.Cleanup(cancel)
		require.NoError(t, chromedp.Do(ctx), "start %s", path)
		return &Browser{ctx}
	}
	t.Skip("SKIPPED: no Chromium")
	return nil
}

// Page is a page in a tab of its own.
type Page struct {
	t   *testing.T
	ctx context.Context

	mu     sync.Mutex
	faults []string
	loaded []string
}

// Open shows the page at url in a new tab of 1280 by 800 pixels, which is closed with the test.
func (b *Browser) Open(t *testing.T, url string) *Page {
	t.Helper()
	return b.OpenSized(t, url, 1280, 800)
}

// OpenSized is Open for a tab of another size, such as 390 by 844 pixels of a phone.
func (b *Browser) OpenSized(t *testing.T, url string, width, height int64) *Page {
	t.Helper()
	p := &Page{t: t}
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithListener(p.listen))
	t.Cleanup(cancel)
	require.NoError(t, chromedp.Do(ctx))
	p.ctx, cancel = context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancel)
	p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, network.Enable, network.EnableParams{})
		return err
	}), chromedp.EmulateViewport(width, height), chromedp.Navigate(url))
	return p
}

// listen notes what a page does that a test may not want.
func (p *Page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if thrown := e.ExceptionDetails.Exception; thrown != nil {
			text += " " + thrown.Description
		}
		p.faults = append(p.faults, text)
	case *runtime.EventConsoleAPICalled:
		text := "console." + string(e.Type)
		for _, arg := range e.Args {
			text += " " + string(arg.Value) + arg.Description
		}
		p.faults = append(p.faults, text)
	case *log.EventEntryAdded:
		p.faults = append(p.faults, string(e.Entry.Level)+": "+e.Entry.Text+" "+e.Entry.URL)
	case *page.EventJavascriptDialogOpening:
		p.faults = append(p.faults, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		p.loaded = append(p.loaded, e.Request.URL)
	}
}

// Faults returns what the page has written to the console, exceptions, violations of its policy,
// and dialogs.
func (p *Page) Faults() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.faults)
}

// Loaded returns the addresses of all that the page has asked for, itself first.
func (p *Page) Loaded() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.loaded)
}

func (p *Page) run(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, steps...))
}

// Evaluate returns the value of a JavaScript expression on the page, or that of its promise.
func Evaluate[T any](p *Page, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err, expression)
	return value
}

// Press presses keys one after the other: characters, or those of chromedp/kb.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		for _, r := range keys {
			events := kb.Encode(r)
			// down, the character, up: the character is one that the page cannot prevent
			if len(events) == 3 {
				events[0].Text, events[0].UnmodifiedText = events[1].Text, events[1].UnmodifiedText
				events = slices.Delete(events, 1, 2)
			}
			for _, event := range events {
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, *event); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}

// Click clicks at a place in CSS pixels.
func (p *Page) Click(x, y float64) {
	p.t.Helper()
	p.run(chromedp.MouseClickXY(x, y))
}

// Screenshot returns a PNG of what is shown.
func (p *Page) Screenshot() []byte {
	p.t.Helper()
	picture, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	require.NoError(p.t, err)
	return picture
}
