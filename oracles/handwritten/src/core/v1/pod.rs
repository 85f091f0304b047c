//! What containers are judged against.

use super::resources::Pages;
use super::volume::Mountable;
use crate::types::core::v1::PodSpec;

/// The pod around a container.
pub(super) struct Pod<'a> {
    /// Its spec.
    pub spec: &'a PodSpec<'a>,
    /// Its volumes that can be mounted, by name.
    pub volumes: Mountable<'a>,
    /// Whether amounts of huge pages must fill the pages.
    pub pages: Pages,
}
