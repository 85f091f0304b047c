package oracle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"reflect"
	"sort"
	"strings"
	"testing"
	"time"
)

const greeting = `{"hello":{"protocol":1,"program":"takeover 0.1.0"}}` + "\n"

func create(id int, object string) string {
	return fmt.Sprintf(`{"id":%d,"operation":"create","apiVersion":"shop.example.com/v1","kind":"Widget","object":%s}`, id, object)
}

// served returns the hello and the answers to some lines, ordered by id.
func served(t *testing.T, o Oracle, lines string) (string, []string) {
	t.Helper()
	var out bytes.Buffer
	if err := ServeIO(context.Background(), o, strings.NewReader(greeting+lines), &out); err != nil {
		t.Fatal(err)
	}
	said := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	hello, answers := said[0], said[1:]
	id := func(line string) (n uint64) {
		var answer reply
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		return answer.ID
	}
	sort.Slice(answers, func(i, j int) bool { return id(answers[i]) < id(answers[j]) })
	return hello, answers
}

func accept(context.Context, *Request) (Answer, error) { return Answer{}, nil }

func TestAnswersOneQuestion(t *testing.T) {
	for _, test := range []struct {
		name    string
		answers Answers
		judge   Judge
		want    string
	}{
		{"zero answer accepts", "", accept, `{"id":7,"errors":[]}`},
		{"zero answer allows", AnswersDecision, accept, `{"id":7,"allowed":true}`},
		{"zero answer changes nothing", AnswersObject, accept, `{"id":7,"object":{"a":1}}`},
		{"field errors", "", func(context.Context, *Request) (Answer, error) {
			return Refuse(FieldError{Type: Invalid, Field: "spec.a", BadValue: 0, Origin: "minimum"}), nil
		}, `{"id":7,"errors":[{"type":"FieldValueInvalid","field":"spec.a","badValue":0,"origin":"minimum"}]}`},
		{"field errors and decision", AnswersDecision, func(context.Context, *Request) (Answer, error) {
			return Refuse(FieldError{Type: Required, Field: "spec.a"}), nil
		}, `{"id":7,"errors":[{"type":"FieldValueRequired","field":"spec.a"}],"allowed":false}`},
		{"denial", AnswersDecision, func(context.Context, *Request) (Answer, error) {
			return Deny("no"), nil
		}, `{"id":7,"allowed":false,"reason":"no"}`},
		{"changed object", AnswersObject, func(context.Context, *Request) (Answer, error) {
			return Change(map[string]int{"a": 2})
		}, `{"id":7,"object":{"a":2}}`},
		{"warnings", "", func(context.Context, *Request) (Answer, error) {
			return Answer{Warnings: []string{"old"}}, nil
		}, `{"id":7,"errors":[],"warnings":["old"]}`},
		{"failure", "", func(context.Context, *Request) (Answer, error) {
			return Answer{}, errors.New("no schema")
		}, `{"id":7,"failure":"no schema"}`},
		{"panic", "", func(context.Context, *Request) (Answer, error) {
			var none []int
			return Answer{}, fmt.Errorf("%d", none[len(none)])
		}, `{"id":7,"panic":"runtime error: index out of range [0] with length 0 at ` + reflect.TypeOf(Oracle{}).PkgPath() + `.TestAnswersOneQuestion.func`},
		{"value without JSON", "", func(context.Context, *Request) (Answer, error) {
			return Refuse(FieldError{Type: Invalid, Field: "a", BadValue: func() {}}, FieldError{Type: Invalid, Field: "b", BadValue: 1}), nil
		}, `{"id":7,"errors":[{"type":"FieldValueInvalid","field":"a"},{"type":"FieldValueInvalid","field":"b","badValue":1}]}`},
		{"object without JSON", AnswersObject, func(context.Context, *Request) (Answer, error) {
			return Answer{Object: json.RawMessage("{")}, nil
		}, `{"id":7,"failure":"answer: `},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, answers := served(t, Oracle{Name: "t", Answers: test.answers, Judge: test.judge}, create(7, `{"a":1}`)+"\n")
			if len(answers) != 1 || !strings.HasPrefix(answers[0], test.want) {
				t.Errorf("got  %s\nwant %s", answers, test.want)
			}
		})
	}
}

func TestPanicNamesItsLineWithoutFolders(t *testing.T) {
	_, answers := served(t, Oracle{Name: "t", Judge: func(context.Context, *Request) (Answer, error) { panic("boom") }}, create(1, `{}`))
	if !strings.Contains(answers[0], " (serve_test.go:") || !strings.Contains(answers[0], `"panic":"boom at `) {
		t.Error(answers[0])
	}
}

func TestHelloSaysWhatTheOracleIs(t *testing.T) {
	for _, test := range []struct {
		name   string
		oracle Oracle
		want   string
	}{
		{"defaults", Oracle{Name: "t"},
			`{"hello":{"protocol":1,"name":"t","answers":"errors","origins":false,"marks":false,"steady":true,"batch":64,"pending":256}}`},
		{"everything", Oracle{
			Name: "t", Version: "1", Answers: AnswersDecision, Origins: true, Marks: true, Unsteady: true, Batch: 2, Pending: 3,
			Kinds: []Kind{{"v1", "A", nil, false}, {"v1", "B", []string{"status"}, true}},
		}, `{"hello":{"protocol":1,"name":"t","version":"1",` +
			`"kinds":[{"apiVersion":"v1","kind":"A","main":true},{"apiVersion":"v1","kind":"B","subresources":["status"],"main":false}],` +
			`"answers":"decision","origins":true,"marks":true,"steady":false,"batch":2,"pending":3}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.oracle.Judge = accept
			if hello, _ := served(t, test.oracle, ""); hello != test.want {
				t.Errorf("got  %s\nwant %s", hello, test.want)
			}
		})
	}
}

func TestReadsQuestions(t *testing.T) {
	batch := `{"questions":[` + create(1, `{}`) + "," + create(2, `{}`) + "," + create(3, `{}`) + "]}\n"
	for _, test := range []struct {
		name  string
		lines string
		want  int
	}{
		{"nothing", "", 0},
		{"a batch", batch, 3},
		{"batches and single questions", batch + create(4, `{}`) + "\n" + strings.NewReplacer(`"id":1`, `"id":5`, `"id":2`, `"id":6`, `"id":3`, `"id":7`).Replace(batch), 7},
		{"an empty batch", `{"questions":[]}` + "\n", 0},
		{"a last line without its end", create(1, `{}`), 1},
		{"blank lines", "\n \t\r\n" + create(1, `{}`) + "\n\n", 1},
		{"unknown members", `{"later":[{}],` + create(1, `{"x":"}"}`)[1:], 1},
		{"a line longer than the buffer", create(1, `{"x":"`+strings.Repeat("x", 1<<20)+`"}`), 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, answers := served(t, Oracle{Name: "t", Judge: accept}, test.lines)
			if len(answers) != test.want {
				t.Fatalf("%d answers: %s", len(answers), answers)
			}
			for i, answer := range answers {
				if answer != fmt.Sprintf(`{"id":%d,"errors":[]}`, i+1) {
					t.Error(answer)
				}
			}
		})
	}
}

func TestQuestionThatNobodyCouldJudgeFailsByItself(t *testing.T) {
	for _, test := range []struct {
		name, question, want string
	}{
		{"no object", `{"id":1,"operation":"create","object":null}`, "no object"},
		{"a text as object", `{"id":1,"operation":"create","object":"x"}`, "no object"},
		{"update without old object", `{"id":1,"operation":"update","object":{}}`, "an update without an old object"},
		{"unknown operation", `{"id":1,"operation":"delete","object":{}}`, "unknown operation `delete`"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, answers := served(t, Oracle{Name: "t", Judge: accept}, test.question+"\n"+create(2, `{}`))
			want := []string{fmt.Sprintf(`{"id":1,"failure":%q}`, test.want), `{"id":2,"errors":[]}`}
			if !reflect.DeepEqual(answers, want) {
				t.Errorf("got  %s\nwant %s", answers, want)
			}
		})
	}
}

func TestRequestCarriesTheQuestion(t *testing.T) {
	var got Request
	var object, old struct{ A int }
	served(t, Oracle{Name: "t", Judge: func(_ context.Context, req *Request) (Answer, error) {
		got = *req
		return Answer{}, errors.Join(req.Decode(&object), req.DecodeOld(&old))
	}}, `{"id":7,"operation":"update","apiVersion":"shop.example.com/v1","kind":"Widget","subresource":"status",`+
		`"object":{"a":2},"oldObject":{"a":1},"options":{"SomeGate":true},"user":{"username":"u","groups":["g"]}}`)
	want := Request{
		ID: 7, Operation: Update, APIVersion: "shop.example.com/v1", Kind: "Widget", Subresource: "status",
		Object: json.RawMessage(`{"a":2}`), OldObject: json.RawMessage(`{"a":1}`),
		Options: map[string]bool{"SomeGate": true}, User: User{"u", []string{"g"}},
	}
	if !reflect.DeepEqual(got, want) || object.A != 2 || old.A != 1 {
		t.Errorf("%+v, object %+v, old object %+v", got, object, old)
	}
}

func TestDecodeOldFailsOnCreates(t *testing.T) {
	_, answers := served(t, Oracle{Name: "t", Judge: func(_ context.Context, req *Request) (Answer, error) {
		return Answer{}, req.DecodeOld(&struct{}{})
	}}, create(1, `{}`))
	if answers[0] != `{"id":1,"failure":"decode old object: there is none"}` {
		t.Error(answers[0])
	}
}

func TestInvalidLinesEndTheOracle(t *testing.T) {
	for _, test := range []struct {
		name, input, want string
	}{
		{"not JSON", greeting + "nonsense\n", "line 2: not a message: invalid character"},
		{"cut off", greeting + `{"id":1,`, "line 2: not a message: unexpected end"},
		{"another message", greeting + `{"answers":[]}`, "line 2: not a message: neither"},
		{"batch without ids", greeting + `{"questions":[{"operation":"create","object":{}}]}`, "line 2: a question without an `id`"},
		{"negative id", greeting + `{"id":-1}`, "line 2: not a message: json: cannot unmarshal number -1"},
		{"no hello", create(1, `{}`), "line 1: a question before the hello"},
		{"two hellos", greeting + greeting, "line 2: a second hello"},
		{"another protocol", `{"hello":{"protocol":2}}`, "line 1: protocol 2, but this oracle speaks 1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := ServeIO(context.Background(), Oracle{Name: "t", Judge: accept}, strings.NewReader(test.input), io.Discard)
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestQuestionsBeforeAnInvalidLineAreAnswered(t *testing.T) {
	var out bytes.Buffer
	err := ServeIO(context.Background(), Oracle{Name: "t", Judge: accept}, strings.NewReader(greeting+create(1, `{}`)+"\nx\n"), &out)
	if err == nil || !strings.Contains(out.String(), `{"id":1,"errors":[]}`) {
		t.Error(err, out.String())
	}
}

func TestTooLongLineEndsTheOracle(t *testing.T) {
	long := io.MultiReader(strings.NewReader(greeting), io.LimitReader(endless{}, maxLine+2))
	err := ServeIO(context.Background(), Oracle{Name: "t", Judge: accept}, long, io.Discard)
	if err == nil || err.Error() != "line 2: longer than 64 MiB" {
		t.Error(err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestAnswersComeBeforeTheInputEnds(t *testing.T) {
	in, ask := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error)
	go func() { done <- ServeIO(context.Background(), Oracle{Name: "t", Judge: accept}, in, out) }()
	buffer := make([]byte, 1024)
	for _, line := range []string{greeting, create(1, `{}`) + "\n", create(2, `{}`) + "\n"} {
		if _, err := io.WriteString(ask, line); err != nil {
			t.Fatal(err)
		}
		if _, err := answers.Read(buffer); err != nil {
			t.Fatal(err)
		}
	}
	ask.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestSlowQuestionDoesNotHoldOthersBack(t *testing.T) {
	release := make(chan struct{})
	slow := func(_ context.Context, req *Request) (Answer, error) {
		if req.ID == 1 {
			<-release
		}
		return Answer{}, nil
	}
	answers, out := io.Pipe()
	done := make(chan error)
	input := greeting + `{"questions":[` + create(1, `{}`) + "," + create(2, `{}`) + "]}\n"
	go func() {
		done <- ServeIO(context.Background(), Oracle{Name: "t", Workers: 2, Judge: slow}, strings.NewReader(input), out)
	}()
	var said string
	buffer := make([]byte, 1024)
	for !strings.Contains(said, `{"id":2,"errors":[]}`) {
		n, err := answers.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		said += string(buffer[:n])
	}
	if strings.Contains(said, `{"id":1,`) {
		t.Error(said)
	}
	go io.Copy(io.Discard, answers)
	close(release)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestCancelEndsServeWhileItWaitsForInput(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	in, ask := io.Pipe()
	defer ask.Close()
	done := make(chan error)
	go func() { done <- ServeIO(ctx, Oracle{Name: "t", Judge: accept}, in, io.Discard) }()
	if _, err := io.WriteString(ask, greeting); err != nil {
		t.Fatal(err)
	}
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("Serve did not return")
	}
}

func TestJudgeSeesTheCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	judge := func(ctx context.Context, _ *Request) (Answer, error) {
		cancel()
		<-ctx.Done()
		return Answer{}, ctx.Err()
	}
	var out bytes.Buffer
	err := ServeIO(ctx, Oracle{Name: "t", Judge: judge}, strings.NewReader(greeting+create(1, `{}`)), &out)
	if !errors.Is(err, context.Canceled) || !strings.Contains(out.String(), `{"id":1,"failure":"context canceled"}`) {
		t.Error(err, out.String())
	}
}

func TestWriteErrorEndsServe(t *testing.T) {
	in, ask := io.Pipe()
	defer ask.Close()
	_, out := io.Pipe()
	out.CloseWithError(io.ErrClosedPipe)
	go io.WriteString(ask, greeting)
	err := ServeIO(context.Background(), Oracle{Name: "t", Judge: accept}, in, out)
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

func TestOracleNeedsNameAndJudge(t *testing.T) {
	for _, o := range []Oracle{{Name: "t"}, {Judge: accept}} {
		if ServeIO(context.Background(), o, strings.NewReader(""), io.Discard) == nil {
			t.Errorf("%+v was served", o)
		}
	}
}

// TestMain is also the process that TestMainSpeaksOnTheStandardStreams runs.
func TestMain(m *testing.M) {
	if os.Getenv("ORACLE_TEST_MAIN") != "" {
		Main(Oracle{Name: "widgets", Judge: func(context.Context, *Request) (Answer, error) {
			fmt.Println("a debugging line")
			return Answer{}, nil
		}})
		return
	}
	os.Exit(m.Run())
}

func TestMainSpeaksOnTheStandardStreams(t *testing.T) {
	for _, test := range []struct {
		name, lines string
		code        int
		stderr      string
	}{
		{"end of input", create(1, `{}`), 0, "a debugging line\n"},
		{"invalid line", create(1, `{}`) + "\nx\n", 1, "widgets: line 3: not a message: invalid character 'x'"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			process := exec.Command(os.Args[0])
			process.Env = append(os.Environ(), "ORACLE_TEST_MAIN=1")
			process.Stdin, process.Stdout, process.Stderr = strings.NewReader(greeting+test.lines), &stdout, &stderr
			err := process.Run()
			if process.ProcessState.ExitCode() != test.code {
				t.Error(err)
			}
			if !strings.Contains(stderr.String(), test.stderr) {
				t.Errorf("standard error: %s", stderr.String())
			}
			if lines := strings.Split(stdout.String(), "\n"); len(lines) != 3 || lines[1] != `{"id":1,"errors":[]}` {
				t.Errorf("standard output: %s", stdout.String())
			}
		})
	}
}

// BenchmarkServe asks one oracle in batches of 64 about an object with three fields to check.
func BenchmarkServe(b *testing.B) {
	type widget struct {
		Spec struct {
			Size  int    `json:"size"`
			Color string `json:"color"`
			Name  string `json:"name"`
		} `json:"spec"`
	}
	judge := func(_ context.Context, req *Request) (Answer, error) {
		var w widget
		if err := req.Decode(&w); err != nil {
			return Answer{}, err
		}
		var errs Errors
		if w.Spec.Size < 1 {
			errs = append(errs, FieldError{Type: Invalid, Field: "spec.size", BadValue: w.Spec.Size, Detail: "must be at least 1"})
		}
		if w.Spec.Color != "red" && w.Spec.Color != "green" {
			errs = append(errs, FieldError{Type: NotSupported, Field: "spec.color", BadValue: w.Spec.Color})
		}
		if w.Spec.Name == "" {
			errs = append(errs, FieldError{Type: Required, Field: "spec.name"})
		}
		return Refuse(errs...), nil
	}
	object := `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"default",` +
		`"labels":{"app":"shop"}},"spec":{"size":0,"color":"red","name":"w"}}`
	var in bytes.Buffer
	in.WriteString(greeting)
	for id := 1; id <= b.N; {
		in.WriteString(`{"questions":[` + create(id, object))
		for id++; id <= b.N && id%64 != 1; id++ {
			in.WriteString("," + create(id, object))
		}
		in.WriteString("]}\n")
	}
	b.ResetTimer()
	if err := ServeIO(context.Background(), Oracle{Name: "b", Judge: judge}, &in, io.Discard); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "questions/s")
}
