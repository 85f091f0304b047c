//! What varies from cell to cell of the matrix.

use serde::Serialize;
use std::fmt;

/// Whether a client decodes objects into types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Client {
    /// Yes: it drops fields that its types lack.
    Typed,
    /// No: it keeps all fields in raw maps.
    Untyped,
}

/// The version of the types that a client or server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Version {
    /// The one without the added member.
    Old,
    /// The one with it.
    New,
}

/// What is stored before the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Stored {
    /// There is no object.
    Nothing,
    /// An object without any member.
    Empty,
    /// A member of both versions.
    Known,
    /// The added member.
    Added,
}

/// How a client changes the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Verb {
    /// Creates it.
    Create,
    /// Gets it, changes it and puts it back.
    Update,
    /// Replaces it by an object made from scratch.
    Replace,
    /// Sends a merge patch: a typed client the difference that it made, an untyped one what it wrote by hand.
    MergePatch,
    /// Applies its fields, and gives way to other managers.
    Apply,
    /// Applies its fields by force.
    ForceApply,
}

/// What a client wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Intent {
    /// To set a member of both versions instead of the stored one.
    SetKnown,
    /// The added member.
    SetAdded,
    /// No member.
    Clear,
    /// To leave the union as it is: it sends back what it read.
    Echo,
    /// To leave the union as it is and change another field.
    ChangeOther,
}

/// How the selected member is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Treatment {
    /// Only by the members: the union has no discriminator.
    Without,
    /// By a discriminator, which clients set together with the member.
    With,
    /// By a discriminator that the client does not know: a typed client drops it, an untyped one leaves it as it is.
    Unaware,
}

/// One combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cell {
    /// How the selected member is known.
    pub treatment: Treatment,
    /// Whether the client has types.
    pub client: Client,
    /// The version of the client.
    pub client_version: Version,
    /// The version of the server.
    pub server_version: Version,
    /// What is stored before.
    pub stored: Stored,
    /// How the client changes it.
    pub verb: Verb,
    /// What it wants.
    pub intent: Intent,
}

impl Treatment {
    /// Every treatment.
    pub const ALL: [Self; 3] = [Self::Without, Self::With, Self::Unaware];
}

impl Cell {
    /// Every combination, possible or not, in a fixed order.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        use Intent::{ChangeOther, Clear, Echo, SetAdded, SetKnown};
        use Stored::{Added, Empty, Known, Nothing};
        use Verb::{Apply, Create, ForceApply, MergePatch, Replace, Update};
        let clients = [Client::Typed, Client::Untyped];
        let versions = [Version::Old, Version::New];
        let parties = clients.into_iter().flat_map(move |client| {
            versions.into_iter().flat_map(move |of_client| versions.map(|of_server| (client, of_client, of_server)))
        });
        let parties = move |treatment| parties.clone().map(move |parties| (treatment, parties));
        let requests = [Nothing, Empty, Known, Added].into_iter().flat_map(|stored| {
            let verbs = [Create, Update, Replace, MergePatch, Apply, ForceApply];
            verbs.into_iter().flat_map(move |verb| {
                [SetKnown, SetAdded, Clear, Echo, ChangeOther].map(|intent| (stored, verb, intent))
            })
        });
        Treatment::ALL.into_iter().flat_map(parties).flat_map(move |(treatment, parties)| {
            let (client, client_version, server_version) = parties;
            requests.clone().map(move |(stored, verb, intent)| Self {
                treatment,
                client,
                client_version,
                server_version,
                stored,
                verb,
                intent,
            })
        })
    }

    /// Whether the combination is possible for any union: clients set and servers store only what they know, and the request fits the
    /// stored object.
    pub(super) fn makes_sense(&self) -> bool {
        let creates = matches!(self.verb, Verb::Create | Verb::Apply | Verb::ForceApply);
        let sets = matches!(self.intent, Intent::SetKnown | Intent::SetAdded);
        let is_known = self.client_version == Version::New || self.intent != Intent::SetAdded;
        let is_stored = self.server_version == Version::New || self.stored != Stored::Added;
        let fits = match self.stored {
            Stored::Nothing => creates && sets,
            _ => self.verb != Verb::Create,
        };
        let changes = match (self.stored, self.intent) {
            (Stored::Added, Intent::SetAdded) | (Stored::Empty, Intent::Clear) => false,
            _ => self.verb != Verb::Replace || !matches!(self.intent, Intent::Echo | Intent::ChangeOther),
        };
        is_known && is_stored && fits && changes
    }

    /// The number of the combination in KEP-1027, as we read its conclusions: the first number of each of its pairs as the union without
    /// discriminator, the second as the one with it.
    #[must_use]
    pub fn kep_case(&self) -> Option<u8> {
        use Intent::{ChangeOther, Clear, Echo, SetAdded, SetKnown};
        let Self { client, client_version, server_version, stored, verb, intent, treatment } = *self;
        let without = match (client, client_version, server_version, stored, intent) {
            (Client::Typed, Version::Old, Version::New, Stored::Added, Echo | ChangeOther) => (12, 16),
            (Client::Untyped, Version::Old, Version::New, Stored::Added, Clear) => (22, 27),
            (Client::Untyped, Version::Old, Version::New, Stored::Added, SetKnown) => (23, 28),
            (_, Version::New, Version::Old, _, SetAdded) => (34, 39),
            _ => return None,
        };
        match treatment {
            _ if verb != Verb::Update => None,
            Treatment::Without => Some(without.0),
            Treatment::With => Some(without.1),
            Treatment::Unaware => None,
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Typed => "typed",
            Self::Untyped => "untyped",
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Old => "old",
            Self::New => "new",
        })
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "create",
            Self::Update => "get, change, put",
            Self::Replace => "put",
            Self::MergePatch => "merge patch",
            Self::Apply => "apply",
            Self::ForceApply => "apply by force",
        })
    }
}

impl fmt::Display for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Without => "without discriminator",
            Self::With => "with discriminator",
            Self::Unaware => "with a discriminator that the client does not know",
        })
    }
}
