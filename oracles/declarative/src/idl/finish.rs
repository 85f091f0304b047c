//! What can be decided only when all types are known: definitions over structs, embedded fields, recursion by value,
//! defaults that name constants.

use super::constants::Value;
use super::diagnostic::{IdlDiagnostic, IdlError, IdlFault};
use super::graph::{DefaultRef, Embedded, Graph, Marked, Scope};
use super::model::{Idl, Position, TagLine};
use super::source::Span;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;
use takeover_harness::schema::{Field, Kind, Presence, Struct, TypeId};

/// Fields that are copied for definitions over structs, in one graph: far above any API, far below memory.
const MAX_COPIED_FIELDS: usize = 200_000;

/// Everything that could be loaded, with the faults that were found.
#[derive(Debug)]
pub struct Loaded {
    /// The type graph; types that could not be read are opaque.
    pub idl: Idl,
    /// Faults, by file in load order, then by place.
    pub diagnostics: Vec<IdlDiagnostic>,
}

impl Loaded {
    /// The type graph if there is no error; warnings are dropped.
    ///
    /// # Errors
    /// Returns every diagnostic if one of them is an error.
    pub fn into_result(self) -> Result<Idl, IdlError> {
        if self.diagnostics.iter().any(IdlDiagnostic::is_error) {
            Err(IdlError::new(self.diagnostics))
        } else {
            Ok(self.idl)
        }
    }
}

/// What a `+default` marker says; nothing for other tags.
pub(super) fn default_text(tag: &TagLine) -> Option<&str> {
    let text = tag.text.strip_prefix("default")?;
    if text.is_empty() { Some(text) } else { text.strip_prefix('=') }
}

/// A number as JSON: one without a fraction is an integer, so that fields of integers take it.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "what changes in the conversion stays a float"
)]
fn of_float(number: f64) -> serde_json::Value {
    let whole = number as i64;
    // As floats: an integer beyond 2^53 has been rounded already.
    if whole as f64 == number { serde_json::Value::from(whole) } else { serde_json::Value::from(number) }
}

impl Graph<'_> {
    /// Completes the graph.
    pub(super) fn finish(mut self) -> Loaded {
        let mut evaluated = 0;
        loop {
            self.drain();
            if evaluated >= self.packages.loaded.len() {
                break;
            }
            self.constants_of(evaluated);
            evaluated += 1;
        }
        self.settle_default_refs();
        // Constants named by defaults may have brought in further packages.
        while evaluated < self.packages.loaded.len() {
            self.drain();
            self.constants_of(evaluated);
            evaluated += 1;
        }
        self.drain();
        self.settle_definitions();
        self.settle_type_defaults();
        self.settle_embedded();
        self.break_cycles();
        self.break_endless_defaults();
        self.schema.link();
        let diagnostics = self.sorted_diagnostics();
        Loaded { idl: Idl { schema: self.schema, types: self.infos, packages: self.packages.described }, diagnostics }
    }

    fn sorted_diagnostics(&mut self) -> Vec<IdlDiagnostic> {
        let order: HashMap<Arc<str>, usize> = self
            .packages
            .loaded
            .iter()
            .flat_map(|package| package.units.iter())
            .enumerate()
            .map(|(at, unit)| (Arc::clone(&unit.source.name), at))
            .collect();
        let mut diagnostics = std::mem::take(&mut self.diagnostics);
        let place = |diagnostic: &IdlDiagnostic| {
            diagnostic.position().map(|at| (order.get(&at.file).copied(), at.line, at.column))
        };
        diagnostics.sort_by_cached_key(place);
        diagnostics.dedup_by(|a, b| a.position() == b.position() && a.message() == b.message());
        diagnostics
    }

    /// The default of a field or type from its markers. A reference to a constant is settled later.
    pub(super) fn default(&mut self, of: Marked, scope: &Scope, tags: &[TagLine]) -> Option<serde_json::Value> {
        let mut markers = tags.iter().filter_map(|tag| Some((default_text(tag)?, &tag.position)));
        let (text, position) = markers.next()?;
        let at = |position: &Position, tag_text: &str| {
            let start = scope.unit().map_or(0, |unit| unit.source.offset(position));
            Span { start, end: start + "+default=".len() + tag_text.len() }
        };
        let span = at(position, text);
        if let Some((second, position)) = markers.next() {
            let span = at(position, second);
            self.fault(scope, IdlFault::Default, span, "a field or type has one `+default` marker at most".to_owned());
        }
        if let Some(name) = text.strip_prefix("ref(").and_then(|rest| rest.strip_suffix(')')) {
            let name = name.to_owned();
            self.default_refs.push(DefaultRef { of, scope: scope.clone(), name, at: span });
            return None;
        }
        let fault = match serde_json::from_str(text) {
            Ok(serde_json::Value::Null) => "`+default=null` sets nothing".to_owned(),
            Ok(value) => return Some(value),
            Err(error) => format!("`{text}` is no JSON value: {error}"),
        };
        if let Some(unit) = scope.unit() {
            let diagnostic = IdlDiagnostic::at(IdlFault::Default, &unit.source, span, fault);
            self.diagnostics.push(diagnostic.help("write JSON after `+default=`, texts in double quotes"));
        }
        None
    }

    fn settle_default_refs(&mut self) {
        let mut known: HashMap<TypeId, Vec<(usize, serde_json::Value)>> = HashMap::new();
        for DefaultRef { of, scope, name, at } in std::mem::take(&mut self.default_refs) {
            let (package, constant) = match name.rsplit_once('.') {
                Some((path, constant)) => (self.package(path), constant),
                None => (Some(scope.index), name.as_str()),
            };
            let value = package.and_then(|index| self.constant(index, constant)).and_then(|found| match found.value {
                Value::Text(text) => Some(serde_json::Value::from(text.as_ref())),
                Value::Int(number) => i64::try_from(number).ok().map(serde_json::Value::from),
                Value::Float(number) => Some(of_float(number)),
                Value::Bool(value) => Some(serde_json::Value::from(value)),
                Value::Unknown => None,
            });
            match value {
                Some(value) => match of {
                    Marked::Field(owner, slot) => known.entry(owner).or_default().push((slot, value)),
                    Marked::Type(id) => drop(self.type_defaults.insert(id, value)),
                },
                None => {
                    let message = format!("`{name}` is not a constant with a known value");
                    self.fault(&scope, IdlFault::Default, at, message);
                }
            }
        }
        for (owner, values) in known {
            self.change_fields(owner, values, |field, value| field.default = Some(value));
        }
    }

    /// Gives pointer fields without a marker the default of their type, or of the type that they point to.
    fn settle_type_defaults(&mut self) {
        if self.type_defaults.is_empty() {
            return;
        }
        let mut changes: Vec<(TypeId, Vec<(usize, serde_json::Value)>)> = Vec::new();
        for (owner, ty) in self.schema.iter() {
            let (Kind::Struct(structure), Some(info)) = (&ty.kind, self.infos.get(owner.0 as usize)) else { continue };
            let fields = structure.fields.iter().zip(&info.fields).enumerate();
            let unmarked = fields.filter(|(_, (field, about))| {
                field.presence == Presence::Named && !about.tags.iter().any(|tag| default_text(tag).is_some())
            });
            let values =
                unmarked.filter_map(|(slot, (field, _))| Some((slot, self.default_of_pointer(field.ty)?.clone())));
            let values: Vec<_> = values.collect();
            if !values.is_empty() {
                changes.push((owner, values));
            }
        }
        for (owner, values) in changes {
            self.change_fields(owner, values, |field, value| field.default = Some(value));
        }
        self.settle_item_defaults();
        for (ty, default) in std::mem::take(&mut self.type_defaults) {
            if let Some(info) = self.infos.get_mut(ty.0 as usize) {
                info.default = Some(default);
            }
        }
    }

    /// Gives the types of list items and map values the default that their type declares.
    fn settle_item_defaults(&mut self) {
        let elements = self.schema.iter().filter_map(|(_, ty)| match &ty.kind {
            Kind::List(element) | Kind::Map { value: element, .. } => Some(*element),
            _ => None,
        });
        let own = |element: TypeId| {
            let is_struct = matches!(self.schema.kind(element), Kind::Struct(_));
            self.type_defaults.get(&element).filter(|_| !is_struct)
        };
        let of = |element| own(element).or_else(|| self.default_of_pointer(element));
        let known = elements.filter_map(|element| Some((element, of(element)?.clone())));
        for (element, default) in known.collect::<Vec<_>>() {
            if let Some(info) = self.infos.get_mut(element.0 as usize) {
                info.item_default = Some(default);
            }
        }
    }

    /// The default of a pointer whose field has no marker: that of the first type with one, on the way to what it points to. Kubernetes'
    /// generator asks the types of pointers alone. A definition over a named type inherits no marker.
    fn default_of_pointer(&self, ty: TypeId) -> Option<&serde_json::Value> {
        let (mut id, mut found, mut is_pointer, mut inherits) = (ty, None, false, true);
        for _ in 0..=self.infos.len() {
            if inherits {
                found = found.or_else(|| self.type_defaults.get(&id));
            }
            let info = self.infos.get(id.0 as usize)?;
            id = match self.schema.kind(id) {
                Kind::Named(inner) => {
                    inherits &= info.defined_over.is_none();
                    *inner
                }
                Kind::Pointer(inner) => {
                    is_pointer = true;
                    *inner
                }
                _ => break,
            };
        }
        found.filter(|_| is_pointer)
    }

    /// Changes fields of one struct, all at once: a struct is rebuilt for it.
    pub(super) fn change_fields<T>(&mut self, owner: TypeId, changes: Vec<(usize, T)>, change: impl Fn(&mut Field, T)) {
        let Kind::Struct(structure) = self.schema.kind(owner) else { return };
        let mut fields = structure.fields.clone();
        for (slot, value) in changes {
            if let Some(field) = fields.get_mut(slot) {
                change(field, value);
            }
        }
        self.schema.define(owner, Kind::Struct(Struct::new(fields)));
    }

    /// Gives every definition over a name its shape: a struct of its own, or a name for what it is defined over.
    fn settle_definitions(&mut self) {
        let ends = ends_of(&self.over);
        let mut embedded: HashMap<TypeId, Vec<Embedded>> = HashMap::new();
        for field in &self.embedded {
            embedded.entry(field.owner).or_default().push(*field);
        }
        let mut copied = 0;
        for (id, target) in std::mem::take(&mut self.over) {
            let end = ends.get(&id).copied().flatten();
            let mut fields = Vec::new();
            let kind = match end.map(|end| (end, self.schema.kind(end))) {
                None => {
                    self.fault_at_type(id, IdlFault::Recursive, "type is defined over itself");
                    Kind::Any
                }
                Some((end, Kind::Struct(structure))) => {
                    copied += structure.fields.len();
                    if copied > MAX_COPIED_FIELDS {
                        self.fault_at_type(id, IdlFault::TooComplex, "too many definitions over large structs");
                        Kind::Any
                    } else {
                        let structure = Struct::new(structure.fields.clone());
                        fields = self.infos.get(end.0 as usize).map(|info| info.fields.clone()).unwrap_or_default();
                        let copies = embedded.get(&end).into_iter().flatten();
                        self.embedded.extend(copies.map(|field| Embedded { owner: id, ..*field }));
                        Kind::Struct(structure)
                    }
                }
                Some(_) => Kind::Named(target),
            };
            let defined = self.infos.get(target.0 as usize).is_some_and(|info| !info.package.is_empty());
            if let Some(info) = self.infos.get_mut(id.0 as usize) {
                info.defined_over = defined.then_some(target);
                info.fields = fields;
            }
            self.schema.define(id, kind);
        }
    }

    /// A diagnostic at the name of a type.
    pub(super) fn fault_at_type(&mut self, id: TypeId, fault: IdlFault, message: &str) {
        let Some(info) = self.infos.get(id.0 as usize) else { return };
        let Some(position) = &info.position else { return };
        self.fault_at(&position.clone(), info.go_name.len(), fault, message);
    }

    pub(super) fn fault_at(&mut self, position: &Position, len: usize, fault: IdlFault, message: &str) {
        let unit = self.packages.loaded.iter().map(Rc::as_ref).flat_map(|package| package.units.iter());
        for unit in unit.filter(|unit| unit.source.name == position.file) {
            let start = unit.source.offset(position);
            let span = Span { start, end: start + len };
            self.diagnostics.push(IdlDiagnostic::at(fault, &unit.source, span, message));
        }
    }

    /// Embedded fields are inlined if they are structs, or may be; others are members under the name of their type.
    fn settle_embedded(&mut self) {
        let mut changes: HashMap<TypeId, Vec<Embedded>> = HashMap::new();
        for field in std::mem::take(&mut self.embedded) {
            changes.entry(field.owner).or_default().push(field);
        }
        for (owner, embedded) in changes {
            let Kind::Struct(structure) = self.schema.kind(owner) else { continue };
            let mut fields = structure.fields.clone();
            for Embedded { slot, exported, pointer, .. } in embedded {
                let Some(field) = fields.get_mut(slot) else { continue };
                if self.may_be_struct(field.ty) {
                    if pointer && !exported {
                        field.presence = Presence::Hidden;
                    }
                } else if exported {
                    field.presence = Presence::Named;
                    field.json_name = field.go_name.clone();
                } else {
                    field.presence = Presence::Hidden;
                }
            }
            self.schema.define(owner, Kind::Struct(Struct::new(fields)));
        }
    }

    fn may_be_struct(&self, ty: TypeId) -> bool {
        if self.schema.as_struct(ty).is_some() {
            return true;
        }
        let (id, kind) = match self.schema.native(ty) {
            (_, Kind::Pointer(inner)) => self.schema.native(*inner),
            other => other,
        };
        // Types of absent packages are taken for structs: nearly all embedded types are.
        matches!(kind, Kind::Any) && self.infos.get(id.0 as usize).is_some_and(|info| !info.processed)
    }

    /// Types that contain themselves without a pointer, list or map between have no finite value: Go refuses them, and
    /// here the field that closes the circle becomes opaque. So does a pointer to nothing but itself.
    fn break_cycles(&mut self) {
        let ids: Vec<TypeId> = self.schema.iter().map(|(id, _)| id).collect();
        let mut done: HashSet<TypeId> = HashSet::new();
        let mut cuts: Vec<(TypeId, usize, TypeId)> = Vec::new();
        for root in ids {
            if done.contains(&root) {
                continue;
            }
            // Depth first; a frame is a type and the next of its parts to look at.
            let mut open: Vec<(TypeId, usize)> = vec![(root, 0)];
            let mut on_path = HashSet::from([root]);
            while let Some((id, part)) = open.last_mut() {
                let (id, at) = (*id, *part);
                *part += 1;
                match self.part(id, at) {
                    None => {
                        done.insert(id);
                        on_path.remove(&id);
                        open.pop();
                    }
                    Some(next) if on_path.contains(&next) => cuts.push((id, at, next)),
                    Some(next) if done.contains(&next) => {}
                    Some(next) => {
                        on_path.insert(next);
                        open.push((next, 0));
                    }
                }
            }
        }
        self.cut(cuts);
    }

    /// The type of the `at`-th part that a value of `id` holds by itself.
    fn part(&self, id: TypeId, at: usize) -> Option<TypeId> {
        match self.schema.kind(id) {
            Kind::Named(inner) if at == 0 => Some(*inner),
            Kind::Pointer(inner) if at == 0 && !matches!(self.schema.kind(*inner), Kind::Struct(_)) => Some(*inner),
            Kind::Struct(structure) => structure.fields.get(at).map(|field| field.ty),
            _ => None,
        }
    }

    /// Makes these parts opaque: the type, its part, and the type the part leads back to.
    fn cut(&mut self, cuts: Vec<(TypeId, usize, TypeId)>) {
        let message = "type contains itself; put a pointer, a list or a map between";
        let mut fields: HashMap<TypeId, Vec<(usize, ())>> = HashMap::new();
        for (id, at, back) in cuts {
            let info = self.infos.get(id.0 as usize);
            if let Kind::Struct(_) = self.schema.kind(id) {
                if let Some(field) = info.and_then(|info| info.fields.get(at)) {
                    self.fault_at(&field.position.clone(), 1, IdlFault::Recursive, message);
                }
                fields.entry(id).or_default().push((at, ()));
            } else {
                let named = info.is_some_and(|info| info.position.is_some());
                self.fault_at_type(if named { id } else { back }, IdlFault::Recursive, message);
                let any = self.any();
                self.schema.define(id, Kind::Named(any));
            }
        }
        for (id, slots) in fields {
            let any = self.any();
            self.change_fields(id, slots, |field, ()| field.ty = any);
        }
    }
}

/// Where each chain of definitions ends; none for those that end in a circle.
fn ends_of(over: &[(TypeId, TypeId)]) -> HashMap<TypeId, Option<TypeId>> {
    let next: HashMap<TypeId, TypeId> = over.iter().copied().collect();
    let mut ends: HashMap<TypeId, Option<TypeId>> = HashMap::new();
    for (id, _) in over {
        let mut path = Vec::new();
        let mut on_path = HashSet::new();
        let mut at = *id;
        let end = loop {
            if let Some(known) = ends.get(&at) {
                break *known;
            }
            if !on_path.insert(at) {
                break None;
            }
            let Some(below) = next.get(&at) else { break Some(at) };
            path.push(at);
            at = *below;
        };
        ends.extend(path.into_iter().map(|id| (id, end)));
    }
    ends
}
