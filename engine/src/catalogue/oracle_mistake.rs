//! What is wrong with a description of an oracle.

use takeover_harness::text::nearest;

/// A table that describes no oracle.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OracleMistake {
    /// It has none, or more than one, of the keys that name the sort.
    #[error(
        "an oracle has exactly one of `exec`, `webhook`, `server`, `crd`, `policy`, `defaults`, `laws`, `tags = true` and `builtin = true`"
    )]
    Which,
    /// A key that does not apply to this sort of oracle.
    #[error("`{key}` is for `{}` oracles; this one is `{sort}`", .sorts.join("` and `"))]
    Foreign {
        /// The key.
        key: &'static str,
        /// What the oracle is.
        sort: &'static str,
        /// The oracles that the key is for.
        sorts: &'static [&'static str],
    },
    /// A command without program.
    #[error("`exec` names no program")]
    NoProgram,
    /// The URL is not one of HTTP or HTTPS.
    #[error("`webhook` must be a URL that begins with `https://` or `http://`, not `{0}`")]
    Url(String),
    /// A certificate without key, or the reverse.
    #[error("`client-certificate` and `client-key` go together")]
    HalfACertificate,
    /// A server without context.
    #[error("`server` needs `context`, the name of a context in that kubeconfig; there is no default")]
    NoContext,
    /// A server asked for decisions, which servers do not answer with.
    #[error("the `answers` of a `server` are `errors` or `object`")]
    NoDecision,
    /// A CRD without place.
    #[error("`crd` names no file: write `crd = true` for the CRD that `types` names")]
    NoCrd,
    /// No file of policies.
    #[error("`policy` names no file of ValidatingAdmissionPolicies")]
    NoPolicy,
    /// A text on the command line does not begin with a sort.
    #[error(
        "`{0}` is not an oracle{meant}: write `tags`, `builtin`, `defaults builtin|markers|crd`, `laws apply|defaults`, `crd`, `crd FILE`, `policy FILES…`, `exec COMMAND…`, `webhook URL [CA FILE]` or `server KUBECONFIG CONTEXT [object]`", meant = meant(.0)
    )]
    Text(String),
}

/// A suggestion for a text that names no oracle, to be printed after it.
fn meant(text: &str) -> String {
    let sort = text.split_whitespace().next().unwrap_or_default();
    let near = nearest(sort, SORTS).filter(|near| *near != sort);
    near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"))
}

/// The words for the sorts of oracles.
const SORTS: [&str; 9] = ["tags", "builtin", "defaults", "laws", "exec", "webhook", "server", "crd", "policy"];
