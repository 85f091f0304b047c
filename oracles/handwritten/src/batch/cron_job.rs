//! CronJob.

use super::job::validate_job_template;
use super::schedule::{parse_schedule, time_zone_problems};
use crate::core::v1::defaults::default_pod_spec;
use crate::core::v1::disabled_fields::drop_disabled_fields;
use crate::core::v1::pod_template::{self, convert_template};
use crate::kind::{Checks, Gate, Prepare, Request, STRICT_ADDRESSES, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::prepare::count_spec_changes;
use crate::report::{Covered, non_negative, not_supported, text};
use crate::types::batch::v1::{CronJob, CronJobSpec};
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// The checks, and every version.
#[derive(Clone, Copy, Debug)]
pub struct CronJobs;

const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };
/// Longest name, in bytes: the controller appends eleven to the names of jobs, which end up in labels.
const NAME_LIMIT: usize = 52;

impl Served for CronJobs {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(|job| {
        job.edit("spec", |spec| {
            spec.set_default_text("concurrencyPolicy", "Allow");
            spec.set_default("suspend", Node::Bool(false));
            spec.set_default("successfulJobsHistoryLimit", Node::Int(3));
            spec.set_default("failedJobsHistoryLimit", Node::Int(1));
            spec.edit("jobTemplate", |template| template.edit("spec", default_job));
        });
    });
    const PREPARE: Option<Prepare> = Some(|new, old, subresource| {
        match old {
            None => new.clear("status"),
            Some(old) if subresource.is_empty() => new.copy("status", old),
            Some(old) => new.copy("spec", old),
        }
        let stored = old.and_then(|old| old.inside("spec")?.inside("jobTemplate")?.inside("spec")?.inside("template"));
        new.edit_if_set("spec", |spec| {
            spec.edit_if_set("jobTemplate", |template| {
                template.edit_if_set("spec", |job| {
                    job.edit_if_set("template", |template| drop_disabled_fields(template, stored.as_ref()));
                });
            });
        });
        count_spec_changes(new, old, subresource);
    });
    const CONVERT: Option<fn(&mut Edit<'_>)> = Some(|job| {
        job.edit_if_set("spec", |spec| {
            spec.edit_if_set("jobTemplate", |template| template.edit_if_set("spec", settle_template));
        });
    });
}

fn settle_template(job: &mut Edit<'_>) {
    job.edit_if_set("template", convert_template);
}

/// Defaults of what a job does, also as part of a cron job.
pub(crate) fn default_job(job: &mut Edit<'_>) {
    job.edit("template", |template| template.edit_alone("spec", default_pod_spec));
    job.edit_if_set("podFailurePolicy", |policy| {
        policy.edit_each("rules", |rule| {
            rule.edit_each("onPodConditions", |condition| condition.set_default_text("status", "True"));
        });
    });
}

impl Checks for CronJobs {
    type Object<'a> = CronJob<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const GATES: &'static [Gate] = &[STRICT_ADDRESSES];

    fn create(new: &CronJob, request: &Request<'_>, errors: &mut ErrorList) {
        let path = Path::ROOT.child("metadata");
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &path, errors);
        validate_spec(&spec(new), None, request, errors);
        let name = text(new.metadata.name);
        if name.len() > NAME_LIMIT {
            let detail = "must be no more than 52 characters";
            errors.push(FieldError::invalid(&path.child("name"), name, detail));
        }
    }

    fn update(new: &CronJob, old: &CronJob, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        validate_spec(&spec(new), Some(&spec(old)), request, errors);
    }

    fn delegated() -> Vec<Delegated> {
        pod_template::delegated("spec.jobTemplate.spec.template")
    }
}

fn spec<'a>(job: &CronJob<'a>) -> CronJobSpec<'a> {
    job.spec.copied().unwrap_or_default()
}

fn validate_spec(spec: &CronJobSpec, before: Option<&CronJobSpec>, request: &Request<'_>, errors: &mut ErrorList) {
    let path = Path::ROOT.child("spec");
    validate_schedule(spec, before, &path.child("schedule"), errors);
    if let Some(seconds) = spec.starting_deadline_seconds {
        non_negative(seconds, &path.child("startingDeadlineSeconds"), Covered::No, errors);
    }
    if before.is_none_or(|before| before.time_zone != spec.time_zone)
        && let Some(zone) = spec.time_zone
    {
        for problem in time_zone_problems(zone) {
            errors.push(FieldError::invalid(&path.child("timeZone"), zone, problem));
        }
    }
    let at = path.child("concurrencyPolicy");
    match text(spec.concurrency_policy) {
        "Allow" | "Forbid" | "Replace" => {}
        "" => errors.push(FieldError::required(&at, "")),
        other => errors.push(not_supported(&at, other, &["Allow", "Forbid", "Replace"])),
    }
    let template = before.map(|before| &before.job_template);
    validate_job_template(&spec.job_template, template, request, &path.child("jobTemplate"), errors);
    for (limit, name) in [
        (spec.successful_jobs_history_limit, "successfulJobsHistoryLimit"),
        (spec.failed_jobs_history_limit, "failedJobsHistoryLimit"),
    ] {
        if let Some(limit) = limit {
            non_negative(limit.into(), &path.child(name), Covered::No, errors);
        }
    }
}

/// A schedule names no time zone unless the stored one did.
fn validate_schedule(spec: &CronJobSpec, before: Option<&CronJobSpec>, path: &Path<'_>, errors: &mut ErrorList) {
    let schedule = spec.schedule;
    if schedule.is_empty() {
        errors.push(FieldError::required(path, "").covered());
        return;
    }
    if let Err(problem) = parse_schedule(schedule) {
        errors.push(FieldError::invalid(path, schedule, problem));
    }
    if !schedule.contains("TZ") {
        return;
    }
    if !before.is_some_and(|before| before.schedule.contains("TZ")) {
        let detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
        errors.push(FieldError::invalid(path, schedule, detail));
    } else if spec.time_zone.is_some() {
        let detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
        errors.push(FieldError::invalid(path, schedule, detail));
    }
}
