//! `admissionregistration.k8s.io`.

mod client_config;
mod match_conditions;
pub(crate) mod match_resources;
mod rules;
mod validating_admission_policy_binding;
mod webhook;
mod webhook_configuration;

pub use validating_admission_policy_binding::{
    ValidatingAdmissionPolicyBindings, ValidatingAdmissionPolicyBindingsV1alpha1,
};
pub use webhook_configuration::{MutatingWebhookConfigurations, ValidatingWebhookConfigurations};
