//! `policy`.

mod pod_disruption_budget;

pub use pod_disruption_budget::PodDisruptionBudgets;
