//! Which controls the cases so far exposed.

/// Exposed controls, by their index in a catalogue. What is exposed costs nothing from then on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exposure {
    exposed: Exposed,
    /// Groups of controls of which one is not exposed yet.
    open: Vec<usize>,
}

/// The exposed controls alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exposed {
    marks: Vec<bool>,
    fresh: Vec<usize>,
}

impl Exposed {
    /// Whether the control is exposed. One that does not exist is, so that nothing waits for it.
    #[must_use]
    pub fn contains(&self, control: usize) -> bool {
        self.marks.get(control).copied().unwrap_or(true)
    }

    /// Marks the control.
    pub fn insert(&mut self, control: usize) {
        if let Some(mark) = self.marks.get_mut(control).filter(|mark| !**mark) {
            *mark = true;
            self.fresh.push(control);
        }
    }
}

impl Exposure {
    /// Nothing exposed of `controls` controls in `groups` groups.
    #[must_use]
    pub fn new(controls: usize, groups: usize) -> Self {
        Self { exposed: Exposed { marks: vec![false; controls], fresh: Vec::new() }, open: (0..groups).collect() }
    }

    /// Whether the control is exposed.
    #[must_use]
    pub fn contains(&self, control: usize) -> bool {
        self.exposed.contains(control)
    }

    /// Whether everything is exposed that can be.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.open.is_empty()
    }

    /// Shows `watch` every group with a control that is not exposed; it says whether the group still has one.
    pub fn watch(&mut self, mut watch: impl FnMut(usize, &mut Exposed) -> bool) {
        let Self { exposed, open } = self;
        open.retain(|group| watch(*group, exposed));
    }

    /// Takes out the controls that were exposed since the last call.
    pub fn fresh(&mut self) -> impl Iterator<Item = usize> + '_ {
        self.exposed.fresh.drain(..)
    }
}
