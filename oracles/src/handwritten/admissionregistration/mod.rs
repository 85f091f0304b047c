//! `admissionregistration.k8s.io`.

mod match_resources;
mod validating_admission_policy_binding;

pub use validating_admission_policy_binding::{
    ValidatingAdmissionPolicyBindings, ValidatingAdmissionPolicyBindingsV1alpha1,
};
