package types

// UID identifies one object over its whole life.
type UID string
