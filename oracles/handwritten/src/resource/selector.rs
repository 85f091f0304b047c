//! Expressions that select devices.

use super::lists::within;
use crate::report::{Covered, too_long};
use crate::types::resource::v1::DeviceSelector;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::pair::Delegated;
use takeover_harness::path::Path;

/// Most selectors of a class or a request.
const LIMIT: usize = 32;
/// Longest expression, in bytes.
const EXPRESSION_LIMIT: usize = 10 * 1024;

/// Checks a list of selectors. The expressions are not compiled.
pub fn validate_selectors(selectors: &[DeviceSelector], path: &Path<'_>, errors: &mut ErrorList) {
    if !within(selectors.len(), LIMIT, Covered::Yes, path, errors) {
        return;
    }
    for (index, selector) in selectors.iter().enumerate() {
        let at = path.index(index);
        let at = at.child("cel");
        match selector.cel {
            None => errors.push(FieldError::required(&at, "")),
            Some(cel) if cel.expression.len() > EXPRESSION_LIMIT => {
                errors.push(too_long(&at.child("expression"), EXPRESSION_LIMIT));
            }
            Some(_) => {}
        }
    }
}

/// What [`validate_selectors`] leaves out of the selectors at the path pattern `list`.
#[must_use]
pub fn delegated(list: &str) -> Delegated {
    Delegated {
        path: format!("{list}[*].cel.expression"),
        reason: "whether an expression compiles, to which type and at what cost only a CEL compiler can say".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::resource::v1::CELDeviceSelector;

    #[test]
    fn selectors_need_an_expression_of_bounded_length() {
        let expressions = ["x".repeat(EXPRESSION_LIMIT), "x".repeat(EXPRESSION_LIMIT + 1)];
        let [longest, longer] = expressions.each_ref().map(|expression| CELDeviceSelector { expression });
        let (longest, longer) = (DeviceSelector { cel: Some(&longest) }, DeviceSelector { cel: Some(&longer) });
        for (selectors, expected) in [
            (vec![longest], ""),
            (vec![longest, longer], "TooLong s[1].cel.expression"),
            (vec![DeviceSelector { cel: None }], "Required s[0].cel"),
            (vec![DeviceSelector { cel: None }; LIMIT + 1], "TooMany s"),
        ] {
            let mut errors = ErrorList::new();
            validate_selectors(&selectors, &Path::ROOT.child("s"), &mut errors);
            let line = |error: &FieldError| format!("{:?} {}", error.error_type, error.field);
            assert_eq!(errors.iter().map(line).collect::<Vec<_>>().join("; "), expected);
        }
    }
}
