package oracle

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"runtime"
	"strings"
	"sync"
)

// queue is how many questions and answers wait between reader, workers and writer.
const queue = 256

// ServeIO is [Serve] on any input and output. When ctx is cancelled, a read that blocks is abandoned, not interrupted.
func ServeIO(ctx context.Context, o Oracle, in io.Reader, out io.Writer) error {
	if o.Name == "" || o.Judge == nil {
		return errors.New("an oracle needs a Name and a Judge")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	questions := make(chan *Request, queue)
	answers := make(chan []byte, queue)

	read := make(chan error, 1)
	go func() {
		defer close(questions)
		read <- readAll(ctx, o, in, questions, answers)
	}()

	var workers sync.WaitGroup
	for i := 0; i < o.workers(); i++ {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for {
				select {
				case <-ctx.Done():
					return
				case question, ok := <-questions:
					if !ok {
						return
					}
					answers <- o.answer(ctx, question)
				}
			}
		}()
	}

	written := make(chan struct{})
	end := make(chan struct{})
	go func() {
		defer close(written)
		writeAll(out, answers, end, cancel)
	}()

	workers.Wait()
	close(end)
	<-written
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return <-read
}

// readAll sends every question to the workers, and the hello to the writer.
func readAll(ctx context.Context, o Oracle, in io.Reader, questions chan<- *Request, answers chan<- []byte) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	greeted := false
	for number := 1; ; number++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil && len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err == nil {
			var received message
			if received, err = parse(line); err == nil {
				err = received.check(greeted)
			}
			if err == nil && !greeted {
				greeted = true
				answers <- o.hello()
			}
			for i := range received.Questions {
				if err != nil {
					break
				}
				select {
				case questions <- &received.Questions[i]:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
}

// readLine returns the next line without its end, or [io.EOF] after the last. The line is valid until the next call.
func readLine(lines *bufio.Reader) ([]byte, error) {
	line, err := lines.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		long := bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) && len(long) <= maxLine {
			line, err = lines.ReadSlice('\n')
			long = append(long, line...)
		}
		line = long
	}
	if len(line) > maxLine {
		return nil, fmt.Errorf("longer than %d MiB", maxLine>>20)
	}
	if errors.Is(err, io.EOF) && len(line) > 0 {
		err = nil
	}
	return bytes.TrimSuffix(line, []byte("\n")), err
}

// writeAll writes answers until end is closed and none waits. It flushes whenever none waits. After a failed write it still
// takes answers, so that no worker blocks.
func writeAll(out io.Writer, answers <-chan []byte, end <-chan struct{}, fail context.CancelCauseFunc) {
	buffered := bufio.NewWriterSize(out, 1<<16)
	write := func(answer []byte) {
		_, err := buffered.Write(answer)
		if err == nil && len(answers) == 0 {
			err = buffered.Flush()
		}
		if err != nil {
			fail(fmt.Errorf("write answers: %w", err))
		}
	}
	for {
		select {
		case answer := <-answers:
			write(answer)
		case <-end:
			for len(answers) > 0 {
				write(<-answers)
			}
			return
		}
	}
}

// answer judges one question and returns the line to write.
func (o *Oracle) answer(ctx context.Context, req *Request) (line []byte) {
	defer func() {
		if value := recover(); value != nil {
			line = reply{ID: req.ID, Panic: fmt.Sprintf("%v at %s", value, panicPlace())}.line()
		}
	}()
	if err := req.check(); err != nil {
		return reply{ID: req.ID, Failure: err.Error()}.line()
	}
	answer, err := o.Judge(ctx, req)
	if err != nil {
		return reply{ID: req.ID, Failure: err.Error()}.line()
	}
	return newReply(req, answer, o.Answers).line()
}

func (o *Oracle) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// panicPlace names the function and line that panicked, without folders, so that it is the same on every machine. It must be
// called by the function that recovers.
func panicPlace() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	panicking := false
	for {
		frame, more := frames.Next()
		switch {
		case frame.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(frame.Function, "runtime."):
			return fmt.Sprintf("%s (%s:%d)", frame.Function, path.Base(frame.File), frame.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
