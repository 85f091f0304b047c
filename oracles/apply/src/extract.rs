//! What one manager applied to an object.
