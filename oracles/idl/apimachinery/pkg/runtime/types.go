package runtime

// RawExtension carries any JSON object, unread.
type RawExtension struct {
	Raw    []byte `json:"-"`
	Object Object `json:"-"`
}

// Object stands for a value of any registered kind.
type Object interface {
	DeepCopyObject() Object
}
