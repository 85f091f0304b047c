//! What will be done to a cluster.

use super::error::{ServerError, ServerErrorKind};
use super::kubeconfig::Access;
use super::settings::ServerSettings;
use crate::http::word;
use std::fmt;

/// What will be done to a cluster, before anything is sent.
pub struct Plan {
    pub(super) settings: ServerSettings,
    pub(super) access: Access,
    pub(super) namespace: String,
}

impl Plan {
    /// Reads the kubeconfig and chooses the name of the scratch namespace.
    ///
    /// # Errors
    /// Returns an error when the context is not named, is not there, or needs what is not supported.
    pub fn of(settings: ServerSettings) -> Result<Self, ServerError> {
        let prefix = settings.namespace_prefix.as_str();
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let letter = prefix.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
        if !letter || prefix.len() > 40 || !prefix.bytes().all(fits) {
            return Err(ServerErrorKind::Prefix(settings.namespace_prefix).into());
        }
        if settings.rate == 0 {
            return Err(ServerErrorKind::Rate.into());
        }
        let access = Access::read(&settings.kubeconfig, &settings.context)?;
        let namespace = format!("{prefix}{}", word());
        Ok(Self { settings, access, namespace })
    }

    /// The name of the scratch namespace.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// What will be done, for people.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let (settings, prefix) = (&self.settings, &self.settings.namespace_prefix);
        let mut sentences = vec![
            format!(
                "Send at most {} requests a second to `{}`, as user `{}` of context `{}` in `{}`.",
                settings.rate,
                self.access.server,
                self.access.user,
                settings.context,
                settings.kubeconfig.display()
            ),
            format!("Create a namespace `{prefix}…` for each pair; at the end, delete it with everything in it."),
            "Read which kinds the server has, and whether the namespace is ready.".to_owned(),
            "Send objects to be created with `dryRun=All`, so that nothing is stored: into that namespace, or to the \
                 cluster if their kind has no namespaces. Admission webhooks of the cluster see them."
                .to_owned(),
        ];
        sentences.push(if settings.updates {
            "For each update, store the old object in that namespace, send the new object with `dryRun=All`, and delete the old \
             one. Controllers may act on it meanwhile: a Deployment starts Pods, a Service may get a load balancer. Updates of kinds \
             without namespaces are not asked."
                .to_owned()
        } else {
            "Skip updates: nothing is stored except the namespace.".to_owned()
        });
        sentences.push("Change nothing else.".to_owned());
        sentences
    }
}

/// Says where the server is, and nothing of how to log in.
impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("server", &self.access.server)
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}
