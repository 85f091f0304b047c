//! What the handwritten references say of objects that recorded verdicts show too rarely.

#![expect(clippy::expect_used, reason = "helpers of tests fail as tests do")]

mod apps;
mod autoscaling;
mod batch;
mod config;
mod containers;
mod empty_lists;
mod endpoints;
mod flowcontrol;
mod metadata;
mod namespaces;
mod node;
mod pods;
mod policy;
mod quotas;
mod rbac;
mod resource_claim;
mod resource_slice;
mod service_balancers;
mod service_requests;
mod services;
mod stateful_sets;
mod storage;
mod support;
mod versions;
mod webhooks;
