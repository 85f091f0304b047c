package intstr

// IntOrString is either an integer or a string, in JSON as in meaning.
type IntOrString struct {
	Type   Type
	IntVal int32
	StrVal string
}

// Type tells which of its two values an IntOrString holds.
type Type int64

const (
	Int    Type = 0
	String Type = 1
)
