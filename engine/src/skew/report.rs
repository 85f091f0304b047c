//! The result of a play: how many cells kept the change of the client, by union and member.

use super::types::Declared;
use serde::Serialize;
use std::ops::AddAssign;
use takeover_unions::Origin;
use takeover_unions::play::{Cell, Outcome, PlayError, Played, Treatment, Verdict};

/// The result: every union with its members, and every cell.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Skew {
    /// The unions that were played, by struct.
    pub unions: Vec<SkewedUnion>,
    /// What was skipped, with the reason.
    pub left_out: Vec<String>,
    /// The unions that cannot be played.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedUnion>,
    /// Every cell; empty unless requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<CellRow>,
}

/// A union that cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedUnion {
    /// Its struct.
    pub owner: String,
    /// Its name where the struct has several.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Why not.
    pub reason: String,
}

/// A union.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkewedUnion {
    /// Its struct.
    pub owner: String,
    /// Its name where the struct has several.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Where the union was read from.
    pub origin: Origin,
    /// JSON name of its discriminator, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discriminator: Option<String>,
    /// Mistakes in its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The members that the older version lacks, one at a time.
    pub added: Vec<SkewedMember>,
}

/// A member that the older version lacks.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SkewedMember {
    /// Its JSON name.
    pub member: String,
    /// Whether the discriminator may select it while it is unset.
    pub optional: bool,
    /// The number of its first cell.
    pub first_cell: usize,
    /// Cells without a discriminator.
    pub without: Tally,
    /// Cells with a discriminator.
    pub with: Tally,
    /// Those that are lost silently with a discriminator.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lost_with: Vec<LostCell>,
    /// Cells with a discriminator that the client does not know.
    pub unaware: Tally,
    #[serde(skip)]
    played: Played,
}

/// A cell in which a change is lost silently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LostCell {
    /// Its number, from 1.
    pub number: usize,
    /// Its number in KEP-1027, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kep_case: Option<u8>,
}

/// How many cells there are of each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tally {
    /// All of them.
    pub cells: usize,
    /// The server stored the change.
    pub kept: usize,
    /// The server rejected the request.
    pub refused: usize,
    /// The server accepted the request and stored something else.
    pub lost: usize,
}

/// A cell with its verdict.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CellRow {
    /// Its number, from 1.
    pub number: usize,
    /// The struct of the union.
    pub owner: String,
    /// The member that the older version lacks.
    pub member: String,
    /// Client, server and request.
    #[serde(flatten)]
    pub cell: Cell,
    /// What is stored before, in words.
    pub before: String,
    /// What the client wants, in words.
    pub wants: String,
    /// Its number in KEP-1027, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kep_case: Option<u8>,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.cells += other.cells;
        self.kept += other.kept;
        self.refused += other.refused;
        self.lost += other.lost;
    }
}

impl Tally {
    fn count(&mut self, verdict: &Verdict) {
        self.cells += 1;
        match verdict {
            Verdict::Kept => self.kept += 1,
            Verdict::Refused(_) => self.refused += 1,
            Verdict::Lost(_) => self.lost += 1,
        }
    }
}

impl SkewedMember {
    /// The cells of a treatment.
    #[must_use]
    pub fn tally(&self, treatment: Treatment) -> Tally {
        match treatment {
            Treatment::Without => self.without,
            Treatment::With => self.with,
            Treatment::Unaware => self.unaware,
        }
    }
}

impl SkewedUnion {
    /// The cells of a treatment, over all members.
    #[must_use]
    pub fn tally(&self, treatment: Treatment) -> Tally {
        let mut sum = Tally::default();
        self.added.iter().for_each(|member| sum += member.tally(treatment));
        sum
    }

    /// Cells lost silently with the union as declared: with its discriminator if it has one, otherwise without.
    #[must_use]
    pub fn lost(&self) -> usize {
        let treatment = if self.discriminator.is_some() { Treatment::With } else { Treatment::Without };
        self.tally(treatment).lost
    }
}

impl Skew {
    /// The cells of a treatment, over all unions.
    #[must_use]
    pub fn tally(&self, treatment: Treatment) -> Tally {
        let mut sum = Tally::default();
        self.unions.iter().for_each(|union| sum += union.tally(treatment));
        sum
    }

    /// The cells with a discriminator of the members that may be unset while they are selected, or of all others.
    #[must_use]
    pub fn with_discriminator(&self, optional: bool) -> Tally {
        let mut sum = Tally::default();
        let members = self.unions.iter().flat_map(|union| &union.added);
        members.filter(|member| member.optional == optional).for_each(|member| sum += member.with);
        sum
    }

    /// The number of the last cell.
    #[must_use]
    pub fn len(&self) -> usize {
        Treatment::ALL.into_iter().map(|treatment| self.tally(treatment).cells).sum()
    }

    /// Whether nothing was played.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.unions.is_empty()
    }

    /// The cell with this number, and its requests.
    ///
    /// # Errors
    /// Returns an error when the cell cannot be played.
    pub fn cell(&self, number: usize) -> Result<Option<(CellRow, Outcome)>, PlayError> {
        for union in &self.unions {
            for member in &union.added {
                let Some(at) = number.checked_sub(member.first_cell) else { continue };
                let Some(cell) = member.played.cells().get(at).copied() else { continue };
                let outcome = member.played.play(&cell)?;
                let row = row(number, &union.owner, member, cell, outcome.verdict.clone());
                return Ok(Some((row, outcome)));
            }
        }
        Ok(None)
    }

    /// Fills in every cell.
    ///
    /// # Errors
    /// Returns an error when a cell cannot be played.
    pub fn fill(&mut self) -> Result<(), PlayError> {
        let mut rows = Vec::new();
        for union in &self.unions {
            for member in &union.added {
                for (cell, number) in member.played.cells().into_iter().zip(member.first_cell..) {
                    let verdict = member.played.play(&cell)?.verdict;
                    rows.push(row(number, &union.owner, member, cell, verdict));
                }
            }
        }
        self.cells = rows;
        Ok(())
    }

    /// Plays a union once for each of the members that the older version lacks; one that cannot be played is noted.
    pub(super) fn play(&mut self, declared: &Declared, added: &[&str]) {
        match self.played(declared, added) {
            Ok(union) => self.unions.push(union),
            Err(error) => {
                let (owner, name) = (declared.union.owner.clone(), declared.union.name.clone());
                // The tags' own mistakes are the cause of whatever else fails.
                let reason = if declared.faults.is_empty() { error.to_string() } else { declared.faults.join("; ") };
                self.failed.push(FailedUnion { owner, name, reason });
            }
        }
    }

    fn played(&self, declared: &Declared, added: &[&str]) -> Result<SkewedUnion, PlayError> {
        let union = &declared.union;
        let mut members = Vec::new();
        let mut first_cell = self.len() + 1;
        for name in added {
            let played = declared.played(name)?;
            let (mut without, mut with, mut unaware) = <(Tally, Tally, Tally)>::default();
            let mut lost_with = Vec::new();
            for (cell, number) in played.cells().into_iter().zip(first_cell..) {
                let verdict = played.play(&cell)?.verdict;
                if cell.treatment == Treatment::With && verdict.is_lost() {
                    lost_with.push(LostCell { number, kep_case: cell.kep_case() });
                }
                let tally = match cell.treatment {
                    Treatment::Without => &mut without,
                    Treatment::With => &mut with,
                    Treatment::Unaware => &mut unaware,
                };
                tally.count(&verdict);
            }
            let optional = union.member(name).is_some_and(|member| member.optional);
            let member = (*name).to_owned();
            members.push(SkewedMember { member, optional, first_cell, without, with, lost_with, unaware, played });
            first_cell += without.cells + with.cells + unaware.cells;
        }
        Ok(SkewedUnion {
            owner: union.owner.clone(),
            name: union.name.clone(),
            origin: union.origin,
            discriminator: union.discriminator.as_ref().map(|of| of.name.clone()),
            faults: declared.faults.clone(),
            added: members,
        })
    }
}

fn row(number: usize, owner: &str, member: &SkewedMember, cell: Cell, verdict: Verdict) -> CellRow {
    CellRow {
        number,
        owner: owner.to_owned(),
        member: member.member.clone(),
        before: member.played.stored(&cell),
        wants: member.played.intent(&cell),
        kep_case: cell.kep_case(),
        cell,
        verdict,
    }
}
