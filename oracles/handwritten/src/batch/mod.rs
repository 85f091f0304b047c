//! `batch`.

mod cron_job;
mod job;
mod pod_failure_policy;
mod schedule;
mod success_policy;

pub use cron_job::CronJobs;
pub(crate) use cron_job::default_job;
