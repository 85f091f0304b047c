//! Types that several pairs have, read once.

use super::error::CatalogueError;
use super::types::{KindTypes, Types};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::registry::RegistryError;

/// The types at places that pairs name, as far as they were read, and what could not be.
#[derive(Default)]
pub(super) struct ReadTypes(Mutex<HashMap<PathBuf, InPart>>);

/// Types, and what of their place could not be read.
type InPart = Arc<(Types, Vec<String>)>;

impl ReadTypes {
    /// What the types at `place` say of the kind of a pair. A manifest beside it that cannot be read does not matter.
    pub(super) fn kind(&self, place: &Path, pair: &PairId) -> Result<KindTypes, CatalogueError> {
        self.found(place, pair, Types::kind)
    }

    /// The same for who asks for defaults alone: rules that do not compile are left out.
    pub(super) fn kind_with_defaults(&self, place: &Path, pair: &PairId) -> Result<KindTypes, CatalogueError> {
        self.found(place, pair, Types::kind_with_defaults)
    }

    fn found(
        &self,
        place: &Path,
        pair: &PairId,
        find: impl Fn(&Types, &SubjectId) -> Result<Option<KindTypes>, RegistryError>,
    ) -> Result<KindTypes, CatalogueError> {
        let wrong = |reason| CatalogueError::Types { pair: Box::new(pair.clone()), place: place.to_owned(), reason };
        let read = self.read(place).map_err(wrong)?;
        let (types, unread) = &*read;
        let subject = &pair.subject;
        match (find(types, subject)?, unread.first()) {
            (Some(kind), _) => Ok(kind),
            (None, Some(unread)) => Err(wrong(unread.clone())),
            (None, None) => {
                let (subject, place) = (Box::new(subject.clone()), place.to_owned());
                Err(CatalogueError::NoKind { subject, place, known: types.known() })
            }
        }
    }

    fn read(&self, place: &Path) -> Result<InPart, String> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(place) {
            return Ok(Arc::clone(known));
        }
        let read = Arc::new(Types::read_in_part(place)?);
        all.insert(place.to_owned(), Arc::clone(&read));
        Ok(read)
    }
}
