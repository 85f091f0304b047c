//! Object stores for runs of several machines: S3, Google Cloud Storage, Azure Blob Storage, and folders.
//!
//! Credentials, region and endpoint come from the usual variables of each cloud (`AWS_*`, `GOOGLE_*`, `AZURE_*`), from workload identity or
//! from the metadata server of the machine: docs/scale.md lists them.

mod bucket;
mod fault;

use anyhow::Context as _;
use bucket::BucketStorage;
use object_store::ObjectStore;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey, S3ConditionalPut};
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::{BackoffConfig, RetryConfig};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use takeover_engine::storage::{FoldersOnly, Location, OpenStorage, Scheme, Storage};
use tokio::runtime::Runtime;

/// Opens every storage there is.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObjectStores;

impl OpenStorage for ObjectStores {
    fn open(&self, location: &Location) -> anyhow::Result<Arc<dyn Storage>> {
        if location.scheme() == Scheme::File {
            return FoldersOnly.open(location);
        }
        let store = opened(location).with_context(|| format!("failed to open `{location}`"))?;
        Ok(Arc::new(BucketStorage::new(location.clone(), store, runtime()?)))
    }
}

/// What fails is tried again for so long: a checkpoint that comes too late is not worth more.
fn retry() -> RetryConfig {
    RetryConfig { backoff: BackoffConfig::default(), max_retries: 8, retry_timeout: Duration::from_secs(60) }
}

fn opened(location: &Location) -> anyhow::Result<Arc<dyn ObjectStore>> {
    // The second one of a process is told that there is one.
    let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
    let bucket = location.bucket();
    Ok(match location.scheme() {
        Scheme::S3 => {
            let builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retry());
            let builder = builder.with_conditional_put(S3ConditionalPut::ETagMatch);
            let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
            // Whoever names an endpoint without TLS means it.
            let plain = endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
            Arc::new(if plain { builder.with_allow_http(true) } else { builder }.build()?)
        }
        Scheme::Gs => {
            Arc::new(GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(retry()).build()?)
        }
        Scheme::Az => {
            Arc::new(MicrosoftAzureBuilder::from_env().with_container_name(bucket).with_retry(retry()).build()?)
        }
        Scheme::File => anyhow::bail!("a folder is no object store"),
    })
}

/// Where requests run, beside the threads that judge.
fn runtime() -> anyhow::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let made = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let made = made.context("failed to start the threads of requests")?;
    Ok(RUNTIME.get_or_init(|| made))
}
