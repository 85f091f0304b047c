//! A union with one member that the older version lacks.

use super::cell::{Cell, Intent, Stored, Treatment, Version};
use super::client::{CLIENT, NOTE, Sender, Wish, bare};
use super::outcome::{Outcome, Verdict};
use super::party::{HOLDER, Holder, Party};
use super::server::{Normalise, Server};
use crate::sample::sample;
use crate::union::{Member, Union, pascal};
use serde_json::{Map, Value, json};
use std::fmt;
use takeover_apply::schema::{of_crd, of_go};
use takeover_harness::schema as go;

/// The field manager of everything that the client did not apply.
const OTHER: &str = "other";

/// Why a union cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayError(String);

impl fmt::Display for PlayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlayError {}

/// A union, the member that the older version lacks, and the types of every client and server.
pub struct Played {
    /// The union in the newer version, with its discriminator or the one that it would have.
    union: Union,
    /// The added member.
    added: Member,
    /// Up to two members of both versions.
    known: Vec<Member>,
    samples: Map<String, Value>,
    normalise: Normalise,
    /// By treatment and version.
    parties: Vec<((Treatment, Version), Party)>,
}

impl Played {
    /// The union of a Go struct; the older version lacks the member `added`.
    ///
    /// # Errors
    /// Returns an error when the union has no such member, or the type is not a struct.
    pub fn of_go(types: &go::Schema, ty: go::TypeId, union: &Union, added: &str) -> Result<Self, PlayError> {
        let (schema, root) = of_go(types, ty);
        Self::new(&Holder { schema, ty: root }, union, added)
    }

    /// The union of an object in a structural schema; the older version lacks the member `added`.
    ///
    /// # Errors
    /// Returns an error when the union has no such member, or the schema is not an object or cannot be read.
    pub fn of_schema(node: &Value, union: &Union, added: &str) -> Result<Self, PlayError> {
        let around = json!({"type": "object", "properties": {HOLDER: node}});
        let (schema, root) = of_crd(&around).map_err(|error| PlayError(error.to_string()))?;
        let ty = schema.atom(root).map.as_ref().and_then(|map| map.member(HOLDER));
        let ty = ty.ok_or_else(|| PlayError("the schema is not an object".to_owned()))?;
        Self::new(&Holder { schema, ty }, union, added)
    }

    fn new(holder: &Holder, union: &Union, added: &str) -> Result<Self, PlayError> {
        let fields = holder.map().ok_or_else(|| PlayError("the type is not a struct".to_owned()))?;
        let missing = || PlayError(format!("the union has no member `{added}`"));
        let discriminated = union.discriminated(|name| fields.fields.contains_key(name));
        let added = discriminated.member(added).ok_or_else(missing)?.clone();
        let of = |member: &Member| {
            let ty = fields.member(&member.name)?;
            Some((member.name.clone(), sample(&holder.schema, ty)))
        };
        let samples: Map<String, Value> = discriminated.members.iter().filter_map(of).collect();
        let known =
            discriminated.members.iter().filter(|member| **member != added && samples.contains_key(&member.name));
        let known: Vec<Member> = known.take(2).cloned().collect();
        let kind = pascal(union.owner.rsplit(['.', ' ', '/']).next().unwrap_or_default().trim_end_matches("[*]"));

        let bare = discriminated.undiscriminated();
        let discriminator = discriminated.discriminator.iter().map(|of| of.name.as_str());
        let discriminator: Vec<&str> = discriminator.collect();
        let mut parties = Vec::new();
        for version in [Version::Old, Version::New] {
            let is_new = version == Version::New;
            let of = |union: &Union| if is_new { union.clone() } else { union.without(&added.name) };
            let older = (!is_new).then_some(added.name.as_str());
            let without: Vec<&str> = discriminator.iter().copied().chain(older).collect();
            let with: Vec<&str> = older.into_iter().collect();
            parties.push(((Treatment::Without, version), Party::new(&kind, holder, of(&bare), &without)));
            parties.push(((Treatment::With, version), Party::new(&kind, holder, of(&discriminated), &with)));
            // The types of such a client; the server has the discriminator.
            parties.push(((Treatment::Unaware, version), Party::new(&kind, holder, of(&bare), &without)));
        }
        Ok(Self { union: discriminated, added, known, samples, normalise: crate::normalise, parties })
    }

    /// The same, with servers that normalise in another way.
    #[must_use]
    pub fn with_normalise(self, normalise: Normalise) -> Self {
        Self { normalise, ..self }
    }

    /// The union, with its discriminator or the one that it would have.
    #[must_use]
    pub fn union(&self) -> &Union {
        &self.union
    }

    /// Every combination that is possible for the union, in a fixed order: the number of a cell is its place, from 1.
    #[must_use]
    pub fn cells(&self) -> Vec<Cell> {
        Cell::all().filter(|cell| cell.makes_sense() && self.is_possible(cell)).collect()
    }

    fn is_possible(&self, cell: &Cell) -> bool {
        let is_stored = match cell.stored {
            Stored::Nothing | Stored::Added => true,
            Stored::Known => !self.known.is_empty(),
            Stored::Empty => self.empty(cell).is_some(),
        };
        let can_set = cell.intent != Intent::SetKnown || self.target(cell).is_some();
        is_stored && can_set
    }

    /// The member of both versions that a client sets.
    fn target(&self, cell: &Cell) -> Option<&Member> {
        self.known.get(usize::from(cell.stored == Stored::Known))
    }

    /// The struct without any member, if that is valid in both versions.
    fn empty(&self, cell: &Cell) -> Option<Value> {
        if cell.treatment == Treatment::Without {
            return self.union.undiscriminated().may_be_empty.then(|| json!({}));
        }
        let older = self.union.without(&self.added.name);
        let discriminator = older.discriminator.as_ref()?;
        Some(json!({&discriminator.name: older.none_value()?}))
    }

    fn party(&self, treatment: Treatment, version: Version) -> Result<&Party, PlayError> {
        let found = self.parties.iter().find(|(of, _)| *of == (treatment, version));
        found.map(|(_, party)| party).ok_or_else(|| PlayError(format!("{}: no such party", self.union.owner)))
    }

    /// A struct of one member, with the discriminator if there is one.
    fn of_member(&self, member: &Member, treatment: Treatment) -> Value {
        let mut spec: Map<String, Value> = self.sampled(member);
        if let Some(discriminator) = self.union.discriminator.as_ref().filter(|_| treatment != Treatment::Without) {
            spec.insert(discriminator.name.clone(), Value::from(member.value.as_str()));
        }
        Value::Object(spec)
    }

    fn sampled(&self, member: &Member) -> Map<String, Value> {
        let value = self.samples.get(&member.name).cloned().unwrap_or_default();
        Map::from_iter([(member.name.clone(), value)])
    }

    /// Sends the requests of a cell.
    ///
    /// # Errors
    /// Returns an error when the object that is stored before does not fit the types.
    pub fn play(&self, cell: &Cell) -> Result<Outcome, PlayError> {
        let of_server = if cell.treatment == Treatment::Without { Treatment::Without } else { Treatment::With };
        let party = self.party(of_server, cell.server_version)?;
        let mut server = Server { party, normalise: self.normalise, live: None };
        let spec = match cell.stored {
            Stored::Nothing => None,
            Stored::Empty => self.empty(cell),
            Stored::Known => self.known.first().map(|member| self.of_member(member, cell.treatment)),
            Stored::Added => Some(self.of_member(&self.added, cell.treatment)),
        };
        let is_own = cell.treatment != Treatment::Unaware
            && (cell.stored != Stored::Added || cell.client_version == Version::New);
        if let Some(spec) = &spec {
            let manager = if is_own { CLIENT } else { OTHER };
            let unfit =
                |what| PlayError(format!("{}: the object that is stored does not fit: {what}", self.union.owner));
            server.store(&party.object(spec.clone()), manager).map_err(unfit)?;
        }
        let before = server.live.as_ref().map(bare).unwrap_or_default();
        let knows = self.party(cell.treatment, cell.client_version)?;
        let wish = self.wish(cell, &knows.union, spec.clone().filter(|_| is_own));
        let mut sender = Sender { party: knows, client: cell.client, exchanges: Vec::new() };
        let answer = sender.send(&mut server, cell.verb, &wish);
        let after = server.live.as_ref().map(bare).unwrap_or_default();
        let wanted = self.wanted(cell, &wish, spec.unwrap_or_default());
        let verdict = match answer {
            Err(refusal) => Verdict::Refused(refusal),
            Ok(()) => match self.lost(&wanted, &wish, &after) {
                lost if lost.is_empty() => Verdict::Kept,
                lost => Verdict::Lost(lost),
            },
        };
        Ok(Outcome { before, exchanges: sender.exchanges, wanted, after, verdict })
    }

    fn wish(&self, cell: &Cell, known: &Union, own: Option<Value>) -> Wish {
        let member = match cell.intent {
            Intent::SetKnown => self.target(cell),
            Intent::SetAdded => Some(&self.added),
            Intent::Clear | Intent::Echo | Intent::ChangeOther => None,
        };
        let members = match cell.intent {
            Intent::Echo | Intent::ChangeOther => None,
            _ => Some(member.map(|member| self.sampled(member)).unwrap_or_default()),
        };
        let value = match (member, cell.intent) {
            (Some(member), _) => Some(member.value.as_str()),
            // If no value of the discriminator selects no member, the client removes the discriminator too.
            (None, Intent::Clear) => Some(known.none_value().unwrap_or_default()),
            (None, _) => None,
        };
        let name = known.discriminator.as_ref().map(|of| of.name.clone());
        let chosen = name.zip(value.map(str::to_owned));
        Wish { members, chosen, note: cell.intent == Intent::ChangeOther, own }
    }

    /// The struct as the client wants it stored: what it sets, or what was there.
    fn wanted(&self, cell: &Cell, wish: &Wish, before: Value) -> Value {
        let Some(members) = &wish.members else { return before };
        let mut wanted = members.clone();
        if cell.treatment == Treatment::With {
            wanted.extend(wish.chosen.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))));
        }
        Value::Object(wanted)
    }

    /// The parts of the change that are not stored.
    fn lost(&self, wanted: &Value, wish: &Wish, after: &Value) -> Vec<String> {
        let stored = after.get(HOLDER).cloned().unwrap_or_default();
        let mut lost = Vec::new();
        for member in &self.union.members {
            let name = &member.name;
            match (wanted.get(name), stored.get(name)) {
                (Some(wanted), Some(stored)) if wanted != stored => lost.push(format!("`{name}` has another value")),
                (Some(_), None) => lost.push(format!("`{name}` is not stored")),
                (None, Some(_)) => lost.push(format!("`{name}` is still stored")),
                _ => {}
            }
        }
        let discriminator = self.union.discriminator.as_ref().filter(|of| wanted.get(&of.name).is_some());
        if let Some(discriminator) = discriminator {
            let (wanted, stored) = (discriminator.of(wanted), discriminator.of(&stored));
            if wanted != stored {
                lost.push(format!("`{}` is \"{stored}\" instead of \"{wanted}\"", discriminator.name));
            }
        }
        if wish.note && after.pointer(&format!("/metadata/labels/{NOTE}")).is_none() {
            lost.push("the change to another field is not stored".to_owned());
        }
        lost
    }

    /// A cell in words: what the client wants to do.
    #[must_use]
    pub fn intent(&self, cell: &Cell) -> String {
        let set = |member: &Member| match cell.stored {
            Stored::Nothing | Stored::Empty => format!("set {}", member.name),
            _ => format!("switch to {}", member.name),
        };
        match cell.intent {
            Intent::SetKnown => self.target(cell).map(set).unwrap_or_default(),
            Intent::SetAdded => set(&self.added),
            Intent::Clear => match self.union.none_value().filter(|_| cell.treatment == Treatment::With) {
                Some(value) if !value.is_empty() => format!("clear the union ({value})"),
                _ => "clear the union".to_owned(),
            },
            Intent::Echo => "send the union back".to_owned(),
            Intent::ChangeOther => "change another field".to_owned(),
        }
    }

    /// What is stored before a cell, in words.
    #[must_use]
    pub fn stored(&self, cell: &Cell) -> String {
        match cell.stored {
            Stored::Nothing => "no object".to_owned(),
            Stored::Empty => "no member".to_owned(),
            Stored::Known => self.known.first().map(|member| member.name.clone()).unwrap_or_default(),
            Stored::Added => self.added.name.clone(),
        }
    }

    /// Whether the discriminator may select the added member while it is unset: a server then cannot tell a client that dropped it from one
    /// that unsets it.
    #[must_use]
    pub fn is_optional(&self) -> bool {
        self.added.optional
    }
}
