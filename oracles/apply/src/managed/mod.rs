//! Who owns the fields of an object.
