//! When an indexed job has succeeded.

use super::schedule::atoi;
use crate::report::{Covered, non_negative, too_long, too_many};
use crate::types::batch::v1::{SuccessPolicy, SuccessPolicyRule};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::path::Path;

const RULES: usize = 20;
/// Longest list of indexes, in bytes.
const INDEXES_LIMIT: usize = 64 * 1024;

/// Checks the policy of an indexed job. Without completions, which is an error of its own, nothing can be compared with them.
pub(super) fn validate_success_policy(
    policy: &SuccessPolicy,
    completions: Option<i32>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let at = path.child("rules");
    if policy.rules.is_empty() {
        let detail = "at least one rules must be specified when the successPolicy is specified";
        errors.push(FieldError::required(&at, detail));
    }
    if policy.rules.len() > RULES {
        errors.push(too_many(&at, policy.rules.len(), RULES));
    }
    for (index, rule) in policy.rules.iter().enumerate() {
        validate_rule(rule, completions, &at.index(index), errors);
    }
}

fn validate_rule(rule: &SuccessPolicyRule, completions: Option<i32>, path: &Path<'_>, errors: &mut ErrorList) {
    if rule.succeeded_count.is_none() && rule.succeeded_indexes.is_none() {
        let detail = "at least one of succeededCount or succeededIndexes must be specified";
        errors.push(FieldError::required(path, detail));
    }
    let Some(completions) = completions else { return };
    let mut total = 0;
    if let Some(indexes) = rule.succeeded_indexes {
        let at = path.child("succeededIndexes");
        if indexes.len() > INDEXES_LIMIT {
            errors.push(too_long(&at, INDEXES_LIMIT));
        }
        match count_indexes(indexes, completions.into()) {
            Ok(count) => total = count,
            Err(problem) => {
                let detail = format!("error parsing succeededIndexes: {problem}");
                errors.push(FieldError::invalid(&at, indexes, detail));
            }
        }
    }
    let Some(count) = rule.succeeded_count else { return };
    let at = path.child("succeededCount");
    non_negative(count.into(), &at, Covered::No, errors);
    if count > completions {
        let detail = format!("must be less than or equal to {completions} (the number of specified completions)");
        errors.push(FieldError::invalid(&at, count, detail));
    }
    if rule.succeeded_indexes.is_some() && i64::from(count) > total {
        let detail = format!(
            "must be less than or equal to {total} (the number of indexes in the specified succeededIndexes field)"
        );
        errors.push(FieldError::invalid(&at, count, detail));
    }
}

/// How many indexes `1,3-5` names: increasing, and below the number of completions.
fn count_indexes(indexes: &str, completions: i64) -> Result<i64, String> {
    if indexes.is_empty() {
        return Ok(0);
    }
    let number = |text: &str| -> Result<i64, String> {
        let quoted = BadValue::from(text);
        let number = atoi(text).map_err(|_| format!("cannot convert string to integer for index: {quoted}"))?;
        if number >= completions { Err(format!("too large index: {quoted}")) } else { Ok(number) }
    };
    let rising = |before: i64, next: i64| {
        if before >= next {
            return Err(format!("non-increasing order, previous: {before}, current: {next}"));
        }
        Ok(())
    };
    let (mut total, mut last) = (0, None);
    for interval in indexes.split(',') {
        let (first, end) = match interval.split('-').collect::<Vec<_>>().as_slice() {
            [only] => (number(only)?, None),
            [first, end] => (number(first)?, Some(*end)),
            _ => {
                return Err(format!(
                    "the fragment {} violates the requirement that an index interval can have at most two parts separated by '-'",
                    BadValue::from(interval)
                ));
            }
        };
        let end = match end {
            None => first,
            Some(end) => {
                let end = number(end)?;
                rising(first, end)?;
                end
            }
        };
        if let Some(last) = last {
            rising(last, first)?;
        }
        total += end - first + 1;
        last = Some(end);
    }
    Ok(total)
}
