//! Why an object store refused, and what to do.

use object_store::Error;
use takeover_engine::storage::{Location, Scheme, StorageError, StorageFault};

/// What the server said, without the request around it; where it said nothing that is known, the first line of the error.
fn shortened(text: &str) -> String {
    let said = |tag: &str| {
        let (_, rest) = text.split_once(&format!("<{tag}>"))?;
        Some(rest.split_once("</")?.0.trim().to_owned()).filter(|said| !said.is_empty())
    };
    match (said("Code"), said("Message")) {
        (Some(code), Some(message)) => format!("{message} ({code})"),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => text.lines().next().unwrap_or_default().to_owned(),
    }
}

/// Whether the bucket itself is missing, rather than an object in it.
pub(crate) fn lacks_bucket(error: &Error) -> bool {
    let text = error.to_string();
    ["NoSuchBucket", "ContainerNotFound", "The specified bucket does not exist"].iter().any(|sign| text.contains(sign))
}

fn fault(error: &Error, text: &str) -> StorageFault {
    let has = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    if lacks_bucket(error) {
        StorageFault::NoBucket
    } else if has(&["PermanentRedirect", "AuthorizationHeaderMalformed", "missing region", "IllegalLocationConstraint"])
    {
        StorageFault::Region
    } else if matches!(error, Error::Unauthenticated { .. })
        || has(&[
            "InvalidAccessKeyId",
            "SignatureDoesNotMatch",
            "ExpiredToken",
            "InvalidToken",
            "169.254.169.254",
            "metadata.google.internal",
            "metadata server",
            "token request",
        ])
    {
        StorageFault::Credentials
    } else if matches!(error, Error::PermissionDenied { .. }) {
        StorageFault::Forbidden
    } else if matches!(error, Error::Precondition { .. } | Error::NotModified { .. }) {
        StorageFault::Changed
    } else {
        StorageFault::Other
    }
}

/// What to do about it.
fn hint(fault: StorageFault, at: &Location) -> String {
    let bucket = at.bucket();
    match (fault, at.scheme()) {
        (StorageFault::NoBucket, _) => format!("there is no bucket `{bucket}`: create it first"),
        (StorageFault::Region, _) => format!("set AWS_REGION to the region of `{bucket}`"),
        (StorageFault::Credentials, Scheme::S3) => {
            "no valid credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give the pod a role (docs/scale.md)"
                .to_owned()
        }
        (StorageFault::Credentials, Scheme::Gs) => {
            "no valid credentials: set GOOGLE_SERVICE_ACCOUNT, or use workload identity (docs/scale.md)".to_owned()
        }
        (StorageFault::Credentials, _) => {
            "no valid credentials: set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or use workload identity (docs/scale.md)"
                .to_owned()
        }
        (StorageFault::Forbidden, _) => {
            format!("not allowed: the credentials need to list, read, write and delete in `{bucket}`")
        }
        (StorageFault::Changed, _) => "it was changed or removed while it was read".to_owned(),
        (StorageFault::Other, _) => String::new(),
    }
}

/// The error of an action on `name` below a location.
pub(crate) fn told(action: &'static str, at: &Location, name: &str, error: &Error) -> StorageError {
    let text = error.to_string();
    let fault = fault(error, &text);
    let place = if name.is_empty() { at.to_string() } else { at.join(name).to_string() };
    StorageError::new(action, place, (fault, hint(fault, at)), shortened(&text))
}

#[cfg(test)]
mod tests {
    use super::told;
    use object_store::Error;
    use takeover_engine::storage::StorageFault;

    fn generic(text: &str) -> Error {
        Error::Generic { store: "S3", source: text.into() }
    }

    #[test]
    fn what_is_wrong_is_named_with_what_to_do() {
        let (path, source) = (|| "p/x".to_owned(), || "server said no".into());
        for (error, fault, said) in [
            (generic("404: <Code>NoSuchBucket</Code>"), StorageFault::NoBucket, "there is no bucket `runs`"),
            (generic("301: <Code>PermanentRedirect</Code>"), StorageFault::Region, "set AWS_REGION"),
            (generic("PUT http://169.254.169.254/latest/api/token"), StorageFault::Credentials, "AWS_ACCESS_KEY_ID"),
            (Error::Unauthenticated { path: path(), source: source() }, StorageFault::Credentials, "AWS_ACCESS_KEY_ID"),
            (Error::PermissionDenied { path: path(), source: source() }, StorageFault::Forbidden, "not allowed"),
            (Error::Precondition { path: path(), source: source() }, StorageFault::Changed, "was changed"),
            (generic("connection refused"), StorageFault::Other, "connection refused"),
        ] {
            let told = told("write", &"s3://runs/p".parse().unwrap(), "x", &error);
            let text = told.to_string();
            assert_eq!(told.fault(), fault, "{text}");
            assert!(text.starts_with("failed to write `s3://runs/p/x`: ") && text.contains(said), "{text}");
        }
    }

    #[test]
    fn of_a_long_answer_the_message_is_shown() {
        let xml = "GET http://x: 404\n<Error><Code>NoSuchBucket</Code><Message>No such one</Message><Id>7</Id></Error>";
        let said = told("read", &"s3://runs".parse().unwrap(), "x", &generic(xml)).to_string();
        let bucket = "there is no bucket `runs`: create it first";
        assert_eq!(said, format!("failed to read `s3://runs/x`: {bucket}: No such one (NoSuchBucket)"));
        let plain = told("read", &"s3://runs".parse().unwrap(), "x", &generic("refused\nby the peer")).to_string();
        assert_eq!(plain, "failed to read `s3://runs/x`: Generic S3 error: refused");
    }
}
