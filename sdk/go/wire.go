package oracle

import (
	"encoding/json"
	"errors"
	"fmt"
)

const (
	protocol = 1
	maxLine  = 64 << 20

	defaultBatch   = 64
	defaultPending = 256
)

// message is a line from Takeover: a hello or questions.
type message struct {
	Hello *struct {
		Protocol int `json:"protocol"`
	} `json:"hello"`
	Questions []Request `json:"questions"`
}

// parse reads a line. A single question comes as a batch of one.
func parse(line []byte) (message, error) {
	var received struct {
		message
		Request
	}
	if err := json.Unmarshal(line, &received); err != nil {
		return message{}, fmt.Errorf("not a message: %w", err)
	}
	switch {
	case received.Hello != nil, received.Questions != nil:
	case received.Request.ID != 0:
		received.Questions = []Request{received.Request}
	default:
		return message{}, errors.New("not a message: neither `hello`, `id` nor `questions`")
	}
	return received.message, nil
}

// check applies the rules about hellos and ids.
func (m message) check(greeted bool) error {
	switch {
	case m.Hello == nil && !greeted:
		return errors.New("a question before the hello")
	case m.Hello != nil && greeted:
		return errors.New("a second hello")
	case m.Hello != nil && m.Hello.Protocol != protocol:
		return fmt.Errorf("protocol %d, but this oracle speaks %d", m.Hello.Protocol, protocol)
	}
	for i := range m.Questions {
		if m.Questions[i].ID == 0 {
			return errors.New("a question without an `id`")
		}
	}
	return nil
}

// check says why no judge could answer, if so.
func (r *Request) check() error {
	switch {
	case r.Operation != Create && r.Operation != Update:
		return fmt.Errorf("unknown operation `%s`", r.Operation)
	case !isObject(r.Object):
		return errors.New("no object")
	case r.Operation == Update && !isObject(r.OldObject):
		return errors.New("an update without an old object")
	}
	return nil
}

func isObject(value json.RawMessage) bool { return len(value) > 0 && value[0] == '{' }

// hello returns the oracle's first line.
func (o *Oracle) hello() []byte {
	type kind struct {
		APIVersion   string   `json:"apiVersion"`
		Kind         string   `json:"kind"`
		Subresources []string `json:"subresources,omitempty"`
		Main         bool     `json:"main"`
	}
	type hello struct {
		Protocol int     `json:"protocol"`
		Name     string  `json:"name"`
		Version  string  `json:"version,omitempty"`
		Kinds    []kind  `json:"kinds,omitempty"`
		Answers  Answers `json:"answers"`
		Origins  bool    `json:"origins"`
		Marks    bool    `json:"marks"`
		Steady   bool    `json:"steady"`
		Batch    int     `json:"batch"`
		Pending  int     `json:"pending"`
	}
	said := hello{
		Protocol: protocol, Name: o.Name, Version: o.Version,
		Answers: o.Answers, Origins: o.Origins, Marks: o.Marks, Steady: !o.Unsteady,
		Batch: o.Batch, Pending: o.Pending,
	}
	for _, k := range o.Kinds {
		said.Kinds = append(said.Kinds, kind{k.APIVersion, k.Kind, k.Subresources, !k.OnlySubresources})
	}
	if said.Answers == "" {
		said.Answers = AnswersErrors
	}
	if said.Batch == 0 {
		said.Batch = defaultBatch
	}
	if said.Pending == 0 {
		said.Pending = defaultPending
	}
	line, err := json.Marshal(map[string]hello{"hello": said})
	if err != nil {
		panic(err) // INVARIANT: strings, numbers and booleans have JSON.
	}
	return append(line, '\n')
}

// reply is an answer as the protocol writes it.
type reply struct {
	ID       uint64          `json:"id"`
	Errors   *Errors         `json:"errors,omitempty"`
	Allowed  *bool           `json:"allowed,omitempty"`
	Reason   string          `json:"reason,omitempty"`
	Object   json.RawMessage `json:"object,omitempty"`
	Failure  string          `json:"failure,omitempty"`
	Panic    string          `json:"panic,omitempty"`
	Warnings []string        `json:"warnings,omitempty"`
}

// newReply fills in what an answer leaves open: no errors, no objection, no change.
func newReply(req *Request, answer Answer, answers Answers) reply {
	r := reply{ID: req.ID, Allowed: answer.Allowed, Reason: answer.Reason, Warnings: answer.Warnings}
	if len(answer.Errors) > 0 {
		r.Errors = &answer.Errors
	}
	switch {
	case r.Errors == nil && r.Allowed == nil && answer.Object != nil:
		r.Object = answer.Object
	case r.Errors == nil && r.Allowed == nil && answers == AnswersObject:
		r.Object = req.Object
	case r.Allowed == nil && answers == AnswersDecision:
		allowed := r.Errors == nil
		r.Allowed = &allowed
	case r.Errors == nil && r.Allowed == nil:
		r.Errors = &Errors{}
	}
	return r
}

// line encodes the reply. Bad values that have no JSON are left out.
func (r reply) line() []byte {
	line, err := encode(r)
	if err != nil && r.Errors != nil {
		plain := make(Errors, len(*r.Errors))
		for i, e := range *r.Errors {
			if _, err := encode(e.BadValue); err != nil {
				e.BadValue = nil
			}
			plain[i] = e
		}
		r.Errors = &plain
		line, err = encode(r)
	}
	if err == nil && len(line) >= maxLine {
		err = errors.New("too long")
	}
	if err != nil {
		line, _ = encode(reply{ID: r.ID, Failure: fmt.Sprintf("answer: %v", err)})
	}
	return append(line, '\n')
}

// encode is [json.Marshal] for values whose own methods may panic, as those of Kubernetes' internal types do.
func encode(value any) (line []byte, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("encoding panicked: %v", value)
		}
	}()
	return json.Marshal(value)
}
