//! Custom resources: types from CRD manifests and OpenAPI documents, and what their schemas say.
