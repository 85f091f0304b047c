//! Kubeconfig files: how the server of a named context is reached.

use super::error::ServerErrorKind;
use super::yaml;
use crate::http::{Origin, Trust};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// How a server is reached. Holds secrets: it cannot be printed.
pub(super) struct Access {
    /// URL without trailing slash.
    pub(super) server: String,
    /// Name of the user in the file.
    pub(super) user: String,
    /// Certificates.
    pub(super) trust: Trust,
    /// Bearer token.
    pub(super) token: Option<String>,
}

/// What a cluster or a user may say that is not done here, and what it is.
const REFUSED: [(&str, &str); 10] = [
    ("tls-server-name", "another name for the certificate of the server"),
    ("proxy-url", "a proxy"),
    ("exec", "a login plugin"),
    ("auth-provider", "a login provider"),
    ("username", "a password"),
    ("password", "a password"),
    ("as", "impersonation"),
    ("as-uid", "impersonation"),
    ("as-groups", "impersonation"),
    ("as-user-extra", "impersonation"),
];

impl Access {
    /// Reads the context with this name.
    ///
    /// # Errors
    /// Returns an error when it is not there or needs what is not done here.
    pub(super) fn read(path: &Path, context: &str) -> Result<Self, ServerErrorKind> {
        let text = fs::read_to_string(path).map_err(|error| ServerErrorKind::Read { path: path.to_owned(), error })?;
        let file = yaml::read(&text).map_err(|line| ServerErrorKind::Yaml { path: path.to_owned(), line })?;
        let named = names(&file, "contexts");
        let known = match named.as_slice() {
            [] => "no context".to_owned(),
            names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        };
        if context.is_empty() {
            return Err(ServerErrorKind::Unnamed { path: path.to_owned(), known });
        }
        let Some(found) = entry(&file, "contexts", "context", context) else {
            return Err(ServerErrorKind::Unknown { path: path.to_owned(), context: context.to_owned(), known });
        };
        Self::of(&file, found, path.parent().unwrap_or(Path::new(""))).map_err(|why| ServerErrorKind::Context {
            path: path.to_owned(),
            context: context.to_owned(),
            why,
        })
    }

    /// How a pod reaches the API server of its cluster, as its service account, whose token and authority are in `folder`.
    ///
    /// # Errors
    /// Returns an error when this is no pod, or a file is not there.
    pub(super) fn in_cluster(
        variable: impl Fn(&str) -> Option<String>,
        folder: &Path,
    ) -> Result<Self, ServerErrorKind> {
        let named = |name: &str| {
            let missing = || ServerErrorKind::InCluster(format!("`{name}` is not set: this is no pod"));
            variable(name).filter(|value| !value.is_empty()).ok_or_else(missing)
        };
        let (host, port) = (named("KUBERNETES_SERVICE_HOST")?, named("KUBERNETES_SERVICE_PORT")?);
        // As an address of IPv6 is written in a URL.
        let host = if host.contains(':') { format!("[{host}]") } else { host };
        let file = |name: &str| {
            let path = folder.join(name);
            fs::read(&path).map_err(|error| ServerErrorKind::Read { path, error })
        };
        let token = String::from_utf8_lossy(&file("token")?).trim().to_owned();
        Ok(Self {
            server: format!("https://{host}:{port}"),
            user: "service account".to_owned(),
            trust: Trust { authorities: Some(file("ca.crt")?), identity: None, insecure: false },
            token: Some(token),
        })
    }

    fn of(file: &Value, context: &Value, folder: &Path) -> Result<Self, String> {
        let named = |kind: &str| text(context, kind).ok_or_else(|| format!("it names no {kind}"));
        let found = |list: &str, kind: &str, name: &str| {
            entry(file, list, kind, name).ok_or_else(|| format!("{kind} `{name}` is not in the file"))
        };
        let (cluster_name, user_name) = (named("cluster")?, named("user")?);
        let (cluster, user) = (found("clusters", "cluster", cluster_name)?, found("users", "user", user_name)?);
        for (kind, name, given) in [("cluster", cluster_name, cluster), ("user", user_name, user)] {
            for (member, what) in REFUSED {
                let Some(value) = given.get(member).filter(|value| !empty(value)) else { continue };
                let which = text(value, "command").or_else(|| text(value, "name"));
                let which = which.map(|which| format!(" (`{which}`)")).unwrap_or_default();
                return Err(format!("{kind} `{name}` has `{member}`: {what}{which} is not supported"));
            }
        }
        let server = text(cluster, "server").ok_or_else(|| format!("cluster `{cluster_name}` has no `server`"))?;
        let origin = Origin::of(server).map_err(|why| format!("the server of cluster `{cluster_name}` {why}"))?;
        let authorities = pem(cluster, "certificate-authority", folder)?;
        let insecure = cluster.get("insecure-skip-tls-verify").and_then(Value::as_bool).unwrap_or_default();
        if origin.tls && authorities.is_none() && !insecure {
            return Err(format!("cluster `{cluster_name}` has no `certificate-authority`"));
        }
        let identity = match (pem(user, "client-certificate", folder)?, pem(user, "client-key", folder)?) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => return Err(format!("user `{user_name}` has a client certificate or a client key without the other")),
        };
        let token = match (text(user, "token"), text(user, "tokenFile")) {
            (Some(token), _) => Some(token.to_owned()),
            (None, Some(file)) => Some(String::from_utf8_lossy(&read(folder, file)?).trim().to_owned()),
            (None, None) => None,
        };
        if token.is_some() && !origin.tls {
            return Err(format!("user `{user_name}` has a token, which is not sent without TLS"));
        }
        Ok(Self {
            server: origin.shown.trim_end_matches('/').to_owned(),
            user: user_name.to_owned(),
            trust: Trust { authorities, identity, insecure },
            token,
        })
    }
}

/// Names in one of the lists.
fn names<'f>(file: &'f Value, list: &str) -> Vec<&'f str> {
    let entries = file.get(list).and_then(Value::as_array);
    entries.into_iter().flatten().filter_map(|entry| text(entry, "name")).collect()
}

/// What one of the lists has under a name.
fn entry<'f>(file: &'f Value, list: &str, kind: &str, name: &str) -> Option<&'f Value> {
    let entries = file.get(list).and_then(Value::as_array)?;
    entries.iter().find(|entry| text(entry, "name") == Some(name))?.get(kind)
}

fn text<'v>(value: &'v Value, member: &str) -> Option<&'v str> {
    value.get(member).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// PEM that is given in base64 (`<member>-data`), or as a file.
fn pem(value: &Value, member: &str, folder: &Path) -> Result<Option<Vec<u8>>, String> {
    let data = format!("{member}-data");
    match (text(value, &data), text(value, member)) {
        (Some(given), _) => match STANDARD.decode(given.split_whitespace().collect::<String>()) {
            Ok(pem) => Ok(Some(pem)),
            Err(_) => Err(format!("`{data}` is not base64")),
        },
        (None, Some(file)) => read(folder, file).map(Some),
        (None, None) => Ok(None),
    }
}

/// Reads a file that is named relative to that of the kubeconfig.
fn read(folder: &Path, file: &str) -> Result<Vec<u8>, String> {
    fs::read(folder.join(file)).map_err(|error| format!("`{file}` cannot be read: {error}"))
}

#[cfg(test)]
mod tests {
    use super::Access;
    use crate::server::error::ServerErrorKind;

    fn read(cluster: &str, user: &str, context: &str) -> Result<Access, ServerErrorKind> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("token"), "from-file\n").unwrap();
        std::fs::write(folder.path().join("ca.pem"), "PEM").unwrap();
        let path = folder.path().join("config");
        let text = format!(
            "current-context: dev\nclusters: [{{name: c, cluster: {{{cluster}}}}}]\nusers: [{{name: u, user: {{{user}}}}}]\n\
             contexts:\n- name: dev\n  context: {{cluster: c, user: u}}\n- name: prod\n  context: {{cluster: d, user: u}}\n"
        );
        std::fs::write(&path, text).unwrap();
        Access::read(&path, context)
    }

    const CLUSTER: &str = "server: \"https://a:6443/\", certificate-authority: ca.pem";

    #[test]
    fn a_named_context_says_how_its_server_is_reached() {
        let access = read(CLUSTER, "tokenFile: token, client-certificate-data: YQ==, client-key-data: Yg==", "dev");
        let access = access.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((access.server.as_str(), access.user.as_str()), ("https://a:6443", "u"));
        assert_eq!(access.token.as_deref(), Some("from-file"));
        assert_eq!(access.trust.authorities.as_deref(), Some(&b"PEM"[..]));
        assert_eq!(access.trust.identity, Some((b"a".to_vec(), b"b".to_vec())));
    }

    #[test]
    fn a_pod_reaches_its_server_as_its_service_account() {
        let folder = tempfile::tempdir().unwrap();
        let pod = |name: &str| match name {
            "KUBERNETES_SERVICE_HOST" => Some("fd00::1".to_owned()),
            "KUBERNETES_SERVICE_PORT" => Some("443".to_owned()),
            _ => None,
        };
        let said = |access: Result<Access, ServerErrorKind>| access.map(|_| ()).unwrap_err().to_string();
        assert!(said(Access::in_cluster(|_| None, folder.path())).contains("`KUBERNETES_SERVICE_HOST` is not set"));
        assert!(said(Access::in_cluster(pod, folder.path())).contains("/token`"));
        std::fs::write(folder.path().join("token"), "secret\n").unwrap();
        assert!(said(Access::in_cluster(pod, folder.path())).contains("/ca.crt`"));
        std::fs::write(folder.path().join("ca.crt"), "PEM").unwrap();
        let access = Access::in_cluster(pod, folder.path()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((access.server.as_str(), access.token.as_deref()), ("https://[fd00::1]:443", Some("secret")));
        assert_eq!(access.trust.authorities.as_deref(), Some(&b"PEM"[..]));
    }

    #[test]
    fn what_cannot_be_used_is_named_and_secrets_are_not() {
        for (cluster, user, context, says) in [
            (CLUSTER, "", "", "which has `dev`, `prod`; its current context is not used"),
            (CLUSTER, "", "staging", "find context `staging` in "),
            (CLUSTER, "", "prod", "cluster `d` is not in the file"),
            (CLUSTER, "exec: {command: aws}", "dev", "user `u` has `exec`: a login plugin (`aws`) is not supported"),
            (CLUSTER, "auth-provider: {name: gcp}", "dev", "user `u` has `auth-provider`: a login provider (`gcp`)"),
            (CLUSTER, "username: me, password: secret", "dev", "user `u` has `username`"),
            (CLUSTER, "as: admin", "dev", "user `u` has `as`: impersonation is not supported"),
            (CLUSTER, "client-key-data: c2VjcmV0", "dev", "without the other"),
            (CLUSTER, "client-key-data: '?secret'", "dev", "`client-key-data` is not base64"),
            (CLUSTER, "tokenFile: none", "dev", "`none` cannot be read"),
            ("server: \"https://a\", proxy-url: \"http://p\"", "", "dev", "cluster `c` has `proxy-url`"),
            ("server: \"https://a\"", "", "dev", "cluster `c` has no `certificate-authority`"),
            ("server: \"http://a\"", "token: secret", "dev", "a token, which is not sent without TLS"),
            ("server: a", "", "dev", "the server of cluster `c` does not begin with"),
            ("", "", "dev", "cluster `c` has no `server`"),
        ] {
            let error = read(cluster, user, context).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
            assert!(!error.contains("secret") && !error.contains("c2Vj"), "{error}");
        }
    }
}
