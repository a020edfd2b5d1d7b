package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"weir/internal/visible"
)

// ask asks a question on the terminal, and reports whether the answer is yes; no
// answer is none.
func (p *progress) ask(in io.Reader) func(context.Context, string) bool {
	if !p.live || !isTerminal(in) {
		return nil
	}
	return func(ctx context.Context, question string) bool {
		answer, _ := p.answer(ctx, in, question+" [y/N]")
		return strings.HasPrefix(strings.ToLower(answer), "y")
	}
}

// prompt says what somebody is to do and waits until they say that it is done, by a
// line of input: at a terminal, or from a program. It is nil where there is no input,
// and where whoever sits at a terminal would not see the question.
func (p *progress) prompt(in io.Reader) func(context.Context, string) error {
	if f, ok := in.(*os.File); ok {
		info, err := f.Stat()
		if err != nil || info.Mode()&os.ModeCharDevice != 0 && !isTerminal(in) { // as /dev/null is
			return nil
		}
	}
	if in == nil {
		return nil
	}
	if isTerminal(in) && !isTerminal(p.asks) {
		terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0) // input may be open for reading alone
		if err != nil {
			return nil
		}
		p.shows = terminal
	}
	return func(ctx context.Context, do string) error {
		_, err := p.answer(ctx, in, do)
		if errors.Is(err, io.EOF) {
			return errors.New("standard input has ended, and it takes a line of it for each question; go on with weir run --resume, at a terminal")
		}
		return err
	}
}

// answer is the line that answers a question.
func (p *progress) answer(ctx context.Context, in io.Reader, question string) (string, error) {
	text, end := visible.Text(question), "\n"
	if isTerminal(in) {
		end = " "
		forget(in.(*os.File)) // a key that was pressed before is no answer
	}
	if p.shows != nil {
		if _, err := fmt.Fprint(p.shows, text, end); err != nil {
			return "", fmt.Errorf("ask at the terminal: %w", err)
		}
	}
	if p.live {
		text = erase + text
	}
	fmt.Fprint(p.asks, text, end)
	type said struct {
		line string
		err  error
	}
	answered := make(chan said, 1)
	go func() { // nothing ends a read from a terminal but who sits there
		line, err := readLine(in)
		answered <- said{line, err}
	}()
	select {
	case s := <-answered:
		return s.line, s.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// readLine reads to the end of a line and no further: what follows answers another
// question.
func readLine(in io.Reader) (string, error) {
	var line []byte
	for one := make([]byte, 1); ; {
		switch n, err := in.Read(one); {
		case n > 0 && one[0] == '\n', n == 0 && err == io.EOF && len(line) > 0:
			return string(line), nil
		case n > 0:
			line = append(line, one[0])
		case err != nil:
			return "", err
		}
	}
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
