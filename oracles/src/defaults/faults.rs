//! Faults planted in markers, and which cases expose them.

use super::markers::Marker;
use super::zero::is_zero_scalar;
use serde_json::Value;
use takeover_harness::control::{Control, Controls, Exposure};
use takeover_harness::error::FieldError;
use takeover_harness::object::to_value;
use takeover_harness::oracle::{Answer, Question, View};
use takeover_harness::path::pattern;
use takeover_harness::side::Side;

/// What is wrong with a marker, or with the defaulting that is made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// It is missing.
    Dropped,
    /// It has another value.
    OtherValue,
    /// It sets the struct around the field.
    AtParent,
    /// It sets only the first item of a list.
    FirstItemAlone,
    /// It replaces an explicit zero behind a pointer.
    ReplacesZero,
    /// It replaces what is set.
    ReplacesValue,
}

impl Fault {
    const ALL: [Self; 6] = [
        Self::Dropped,
        Self::OtherValue,
        Self::AtParent,
        Self::FirstItemAlone,
        Self::ReplacesZero,
        Self::ReplacesValue,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Dropped => "default dropped",
            Self::OtherValue => "another default",
            Self::AtParent => "default of the parent",
            Self::FirstItemAlone => "default of the first item alone",
            Self::ReplacesZero => "explicit zero replaced",
            Self::ReplacesValue => "set value replaced",
        }
    }

    /// Whether the marker can have the fault.
    fn fits(self, marker: &Marker) -> bool {
        match self {
            Self::FirstItemAlone => marker.rule.path.contains("[*]"),
            Self::ReplacesZero => marker.is_pointer && marker.rule.boundaries.iter().any(|class| class.class == "zero"),
            // The only other value of a boolean is zero.
            Self::ReplacesValue => marker.rule.chain != "default=true",
            _ => true,
        }
    }
}

/// The faults of all markers.
pub(super) struct Faults {
    catalogue: Vec<Control>,
    planted: Vec<(Fault, Marker)>,
}

impl Faults {
    pub(super) fn of(markers: &[Marker]) -> Self {
        let fitting = |marker: &Marker| {
            let marker = marker.clone();
            Fault::ALL.into_iter().filter(move |fault| fault.fits(&marker))
        };
        let planted: Vec<(Fault, Marker)> =
            markers.iter().flat_map(|marker| fitting(marker).map(|fault| (fault, marker.clone()))).collect();
        let control = |(fault, marker): &(Fault, Marker)| Control {
            rule: marker.rule.id,
            side: Side::Candidate,
            name: fault.name().to_owned(),
            equivalent: None,
        };
        Self { catalogue: planted.iter().map(control).collect(), planted }
    }
}

impl Controls for Faults {
    fn catalogue(&self) -> &[Control] {
        &self.catalogue
    }

    fn exposure(&self) -> Exposure {
        Exposure::new(self.planted.len(), self.planted.len())
    }

    fn judge(&self, question: &Question<'_>, _: &View<'_>, found: &Answer, exposure: &mut Exposure) {
        let mut sent: Option<Value> = None;
        exposure.watch(|at, exposed| {
            let Some((fault, marker)) = self.planted.get(at) else { return false };
            let mut own = found.errors.iter().filter(|error| error.rule == Some(marker.rule.id));
            let is_exposed = match fault {
                Fault::Dropped | Fault::OtherValue | Fault::AtParent => own.next().is_some(),
                Fault::FirstItemAlone => own.any(is_of_later_item),
                Fault::ReplacesZero | Fault::ReplacesValue => {
                    let objects = &question.objects;
                    let sent = sent.get_or_insert_with(|| to_value(objects.schema, objects.root, &objects.new));
                    let wanted = |value: &Value| match fault {
                        Fault::ReplacesZero => is_zero_scalar(value),
                        _ => !is_zero_scalar(value) && marker.rule.chain != format!("default={value}"),
                    };
                    marker.any_value(sent, &wanted)
                }
            };
            if is_exposed {
                exposed.insert(at);
            }
            !is_exposed
        });
    }
}

fn is_of_later_item(error: &FieldError) -> bool {
    pattern(&error.field) != error.field && !error.field.contains("[0]")
}
