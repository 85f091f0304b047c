//! Defaults that `+default` markers declare, as Kubernetes' generated defaulting applies them.
//!
//! A field that is unset takes its default: a nil pointer, or the zero value of any other type, so that a zero default of a
//! value changes nothing. Members of structs follow, also of those that a default has just set; a nil pointer to a struct
//! without a default of its own stays nil. An item of a list or a value of a map that is unset takes the default of its type, if there are
//! no defaults inside it. What is inside the values of a map takes none.
//!
//! Each struct has a plan, which only has the fields that a default can reach.

use crate::idl::Idl;
use serde_json::Value;
use std::sync::Arc;
use takeover_harness::form::Defaulter;
use takeover_harness::object::{Arena, ArenaVec, Node, from_bytes, from_value, replaced};
use takeover_harness::schema::{Kind, Presence, Schema, Slot, Struct, TypeId};

/// The defaults of a type and of everything in it.
#[derive(Clone, Debug)]
pub struct DeclaredDefaults {
    /// By type, and then those of inlined structs.
    plans: Vec<Plan>,
}

/// The position of a plan.
type PlanId = usize;

/// What is to be done for the fields of a struct.
#[derive(Clone, Debug, Default)]
struct Plan {
    /// Sorted by slot.
    steps: Vec<Step>,
}

/// What is to be done for one field of a struct.
#[derive(Clone, Debug)]
struct Step {
    slot: Slot,
    default: Option<Given>,
    below: Below,
    /// The type of the items or values of the field, and the default that they take.
    items: Option<(TypeId, Arc<Value>)>,
    /// Whether an unset field is changed.
    changes_unset: bool,
}

/// A default.
#[derive(Clone, Copy, Debug)]
enum Given {
    /// A scalar.
    Bool(bool),
    /// A scalar.
    Int(i64),
    /// The text that the type declares at a slot.
    Text(TypeId, Slot),
    /// What the type declares at a slot.
    Declared(TypeId, Slot),
}

/// Where further defaults stand below a field.
#[derive(Clone, Copy, Debug)]
enum Below {
    /// Nowhere.
    None,
    /// In a struct.
    Struct(PlanId),
    /// In a struct behind a pointer.
    Pointer(PlanId),
    /// In the structs of a list, and whether they are behind pointers.
    List(PlanId, bool),
    /// In every list or map inside a list or map. The plan has one step, for all of them.
    Nested(PlanId),
}

impl Below {
    fn plan(self) -> Option<PlanId> {
        match self {
            Self::None => None,
            Self::Struct(plan) | Self::Pointer(plan) | Self::List(plan, _) | Self::Nested(plan) => Some(plan),
        }
    }
}

impl DeclaredDefaults {
    /// The defaults that Go types declare at and below `root`; none when there are none.
    #[must_use]
    pub fn of(idl: &Idl, root: TypeId) -> Option<Self> {
        let item = &|ty: TypeId| idl.types.get(ty.0 as usize)?.item_default.as_ref();
        let declares = declaring(&idl.schema, item);
        declares.get(root.0 as usize).filter(|declares| **declares)?;
        Some(Self { plans: Planner::new(&idl.schema, &declares, item).finish() })
    }

    /// The struct with its defaults; `None` when it has them already.
    fn fill<'a>(&self, plan: PlanId, node: Node<'a>, is_pointer: bool, within: Within<'a>) -> Option<Node<'a>> {
        let steps = &self.plans.get(plan)?.steps;
        let fields = node.fields();
        let (mut filled, mut rest): (Option<ArenaVec<'a, (Slot, Node<'a>)>>, _) = (None, fields);
        for step in steps {
            let before = rest.iter().take_while(|(slot, _)| *slot < step.slot).count();
            let (passed, next) = rest.split_at_checked(before)?;
            if let Some(filled) = &mut filled {
                filled.extend_from_slice_copy(passed);
            }
            let (value, after) = match next.split_first() {
                Some(((slot, value), after)) if *slot == step.slot => (*value, after),
                _ => (Node::Unset, next),
            };
            rest = after;
            if value.is_unset() && !step.changes_unset {
                continue;
            }
            match (self.member(step, value, within), &mut filled) {
                (None, Some(filled)) if !value.is_unset() => filled.push((step.slot, value)),
                (None, _) => {}
                (Some(value), filled) => {
                    let filled = filled.get_or_insert_with(|| {
                        let mut copy = ArenaVec::with_capacity_in(fields.len() + steps.len(), within.arena);
                        copy.extend_from_slice_copy(fields.get(..fields.len() - next.len()).unwrap_or_default());
                        copy
                    });
                    filled.push((step.slot, value));
                }
            }
        }
        let mut filled = filled?;
        filled.extend_from_slice_copy(rest);
        let pointer = is_pointer || matches!(node, Node::Struct { pointer: true, .. });
        Some(Node::Struct { fields: filled.into_bump_slice(), pointer })
    }

    /// A list or map of lists or maps with defaults set; `None` if nothing changes.
    fn nested<'a>(&self, plan: PlanId, value: Node<'a>, within: Within<'a>) -> Option<Node<'a>> {
        let step = self.plans.get(plan)?.steps.first()?;
        match value {
            Node::List(nodes) => replaced(nodes, within.arena, |node| self.member(step, *node, within)).map(Node::List),
            Node::Map(entries) => {
                let entry = |(key, node): &(&'a str, Node<'a>)| Some((*key, self.member(step, *node, within)?));
                replaced(entries, within.arena, entry).map(Node::Map)
            }
            _ => None,
        }
    }

    /// The field of a step with its defaults; `None` when it has them already.
    fn member<'a>(&self, step: &Step, value: Node<'a>, within: Within<'a>) -> Option<Node<'a>> {
        let given = step.default.filter(|_| value.is_unset()).and_then(|default| default.node(within));
        let value = given.unwrap_or(value);
        let items = step.items.as_ref().and_then(|(ty, default)| with_items(value, *ty, default, within));
        let value = items.unwrap_or(value);
        let each = |plan, is_pointer| {
            move |node: Node<'a>| {
                let is_nil = is_pointer && !matches!(node, Node::Struct { .. });
                if is_nil { None } else { self.fill(plan, node, is_pointer, within) }
            }
        };
        let below = match (step.below, value) {
            (Below::Struct(plan), value) => self.fill(plan, value, false, within),
            (Below::Pointer(plan), value @ Node::Struct { .. }) => self.fill(plan, value, true, within),
            (Below::List(plan, is_pointer), Node::List(nodes)) => {
                let each = each(plan, is_pointer);
                replaced(nodes, within.arena, |node| each(*node)).map(Node::List)
            }
            (Below::Nested(plan), value) => self.nested(plan, value, within),
            _ => None,
        };
        below.or(items).or(given)
    }
}

/// The types of an object, and where its values are.
#[derive(Clone, Copy)]
struct Within<'a> {
    schema: &'a Schema,
    arena: &'a Arena,
}

impl Given {
    fn node<'a>(self, within: Within<'a>) -> Option<Node<'a>> {
        match self {
            Self::Bool(value) => Some(Node::Bool(value)),
            Self::Int(value) => Some(Node::Int(value)),
            Self::Text(declarer, slot) => {
                let field = within.schema.as_struct(declarer)?.1.field(slot)?;
                Some(Node::Text(field.default.as_ref()?.as_str()?))
            }
            Self::Declared(declarer, slot) => {
                let field = within.schema.as_struct(declarer)?.1.field(slot)?;
                from_value(within.schema, field.ty, field.default.as_ref()?, within.arena).ok()
            }
        }
    }
}

/// Returns the list or map with defaults for its unset items or values, or `None` if all are set.
fn with_items<'a>(value: Node<'a>, ty: TypeId, default: &Value, within: Within<'a>) -> Option<Node<'a>> {
    let arena = within.arena;
    // A default outlives its use only as a copy in the arena.
    let made = || from_bytes(within.schema, ty, arena.alloc_str(&default.to_string()).as_bytes(), arena).ok();
    match value {
        Node::List(items) if items.iter().any(Node::is_unset) => {
            let made = made()?;
            replaced(items, arena, |item| item.is_unset().then_some(made)).map(Node::List)
        }
        Node::Map(entries) if entries.iter().any(|(_, value)| value.is_unset()) => {
            let made = made()?;
            replaced(entries, arena, |(key, value)| value.is_unset().then_some((*key, made))).map(Node::Map)
        }
        _ => None,
    }
}

/// By type, whether a marker stands in it or below it.
fn declaring<'d>(schema: &Schema, item: &dyn Fn(TypeId) -> Option<&'d Value>) -> Vec<bool> {
    let types: Vec<&Kind> = schema.iter().map(|(_, ty)| &ty.kind).collect();
    spread(types.len(), |at, declares| {
        let below = |ty: TypeId| is(declares, ty.0 as usize);
        match types.get(at) {
            Some(Kind::Struct(members)) => {
                members.fields.iter().any(|field| field.default.is_some() || below(field.ty))
            }
            Some(Kind::Pointer(inner) | Kind::Named(inner)) => below(*inner),
            Some(Kind::List(inner) | Kind::Map { value: inner, .. }) => below(*inner) || item(*inner).is_some(),
            _ => false,
        }
    })
}

fn is(known: &[bool], at: usize) -> bool {
    known.get(at).copied().unwrap_or_default()
}

/// What holds for each of `len` things, where that may follow from what holds for others.
fn spread(len: usize, holds: impl Fn(usize, &[bool]) -> bool) -> Vec<bool> {
    let mut known = vec![false; len];
    // Types may be recursive: repeat until nothing is added.
    loop {
        let mut added = false;
        for at in 0..len {
            if !is(&known, at) && holds(at, &known) {
                known.iter_mut().skip(at).take(1).for_each(|known| *known = true);
                added = true;
            }
        }
        if !added {
            return known;
        }
    }
}

/// Makes plans.
struct Planner<'p, 'd> {
    schema: &'p Schema,
    /// By type, whether a marker stands in it or below it.
    declares: &'p [bool],
    /// The default that the items of a type take.
    item: &'p dyn Fn(TypeId) -> Option<&'d Value>,
    plans: Vec<Plan>,
}

impl<'p, 'd> Planner<'p, 'd> {
    /// Plans of the structs of all types.
    fn new(schema: &'p Schema, declares: &'p [bool], item: &'p dyn Fn(TypeId) -> Option<&'d Value>) -> Self {
        let mut planner = Self { schema, declares, item, plans: vec![Plan::default(); schema.len()] };
        for (id, ty) in schema.iter() {
            if let Kind::Struct(members) = &ty.kind {
                let steps = planner.steps(id, members, &[]);
                planner.plans.iter_mut().skip(id.0 as usize).take(1).for_each(|plan| plan.steps.clone_from(&steps));
            }
        }
        planner
    }

    /// The steps of the fields that the struct `declarer` declares, which is inlined at `around` in objects of type `of`.
    fn steps(&mut self, declarer: TypeId, of: &Struct, around: &[Slot]) -> Vec<Step> {
        let schema = self.schema;
        let Some((_, fields)) = schema.as_struct(declarer).filter(|(id, _)| is(self.declares, id.0 as usize)) else {
            return Vec::new();
        };
        let mut steps = Vec::new();
        for (slot, field) in (0..).zip(&fields.fields) {
            let mut slots = around.to_vec();
            slots.push(slot);
            let mut step = Step { slot, default: None, below: Below::None, items: None, changes_unset: false };
            match field.presence {
                Presence::Inlined => {
                    let inlined = Plan { steps: self.steps(field.ty, of, &slots) };
                    // An embedded pointer that is nil stays nil.
                    step.below = match schema.native(field.ty).1 {
                        Kind::Pointer(_) => Below::Pointer(self.plans.len()),
                        _ => Below::Struct(self.plans.len()),
                    };
                    self.plans.push(inlined);
                }
                // A field that another one hides is not there.
                Presence::Named if of.member(&field.json_name).is_some_and(|member| *member.slots == *slots) => {
                    step.default = self.given(declarer, slot);
                    let (below, items) = self.below(field.ty);
                    (step.below, step.items) = (below, items);
                }
                _ => continue,
            }
            steps.push(step);
        }
        steps
    }

    /// The default of a field; none if it is the value of an unset one.
    fn given(&self, declarer: TypeId, slot: Slot) -> Option<Given> {
        let field = self.schema.as_struct(declarer)?.1.field(slot)?;
        let arena = Arena::new();
        let default = field.default.as_ref()?;
        match from_value(self.schema, field.ty, default, &arena).ok()? {
            Node::Unset => None,
            Node::Text(text) if default.as_str() == Some(text) => Some(Given::Text(declarer, slot)),
            Node::Bool(value) => Some(Given::Bool(value)),
            Node::Int(value) => Some(Given::Int(value)),
            _ => Some(Given::Declared(declarer, slot)),
        }
    }

    /// Where defaults stand below a type, and the default of its items.
    fn below(&mut self, ty: TypeId) -> (Below, Option<(TypeId, Arc<Value>)>) {
        let (schema, declares, item) = (self.schema, self.declares, self.item);
        let inside = |ty: TypeId| Some(schema.as_struct(ty)?.0.0 as usize);
        let each = |ty: TypeId| Some((inside(ty)?, matches!(schema.native(ty).1, Kind::Pointer(_))));
        // Of items with defaults inside, Kubernetes' generator does not ask the type for one of their own.
        let items = |ty: TypeId| {
            let default = item(ty).filter(|_| !is(declares, ty.0 as usize))?;
            Some((ty, Arc::new(default.clone())))
        };
        match schema.native(ty) {
            (id, Kind::Struct(_)) => (Below::Struct(id.0 as usize), None),
            (_, Kind::Pointer(inner)) => (inside(*inner).map_or(Below::None, Below::Pointer), None),
            (_, Kind::List(item)) => match each(*item) {
                Some((plan, is_pointer)) => (Below::List(plan, is_pointer), items(*item)),
                None => (self.nested(*item), items(*item)),
            },
            // Go cannot change a struct in a map, so Kubernetes' generator enters no value of a map.
            (_, Kind::Map { value, .. }) => (Below::None, items(*value)),
            _ => (Below::None, None),
        }
    }

    /// The places of defaults in lists or maps inside a list or map, down to a struct with a marker.
    fn nested(&mut self, ty: TypeId) -> Below {
        let is_nested = matches!(self.schema.native(ty).1, Kind::List(_) | Kind::Map { .. });
        if !is_nested || !is(self.declares, ty.0 as usize) {
            return Below::None;
        }
        let (below, items) = self.below(ty);
        let steps = vec![Step { slot: 0, default: None, below, items, changes_unset: false }];
        self.plans.push(Plan { steps });
        Below::Nested(self.plans.len() - 1)
    }

    /// The plans without the steps that do nothing.
    fn finish(mut self) -> Vec<Plan> {
        let plans = &self.plans;
        let any = |at: usize, of: &dyn Fn(&Step) -> bool| plans.get(at).is_some_and(|plan| plan.steps.iter().any(of));
        let leads = |step: &Step, known: &[bool]| step.below.plan().is_some_and(|plan| is(known, plan));
        let acts = |step: &Step, known: &[bool]| step.default.is_some() || step.items.is_some() || leads(step, known);
        let changes = |step: &Step, known: &[bool]| {
            step.default.is_some() || (matches!(step.below, Below::Struct(_)) && leads(step, known))
        };
        let acting = spread(plans.len(), |at, known| any(at, &|step| acts(step, known)));
        let changing = spread(plans.len(), |at, known| any(at, &|step| changes(step, known)));
        for plan in &mut self.plans {
            plan.steps.retain(|step| acts(step, &acting));
            for step in &mut plan.steps {
                step.changes_unset = changes(step, &changing);
                if !leads(step, &acting) {
                    step.below = Below::None;
                }
            }
        }
        self.plans
    }
}

impl Defaulter for DeclaredDefaults {
    fn apply<'a>(&self, schema: &'a Schema, root: TypeId, object: Node<'a>, arena: &'a Arena) -> Node<'a> {
        let Some((ty, _)) = schema.as_struct(root) else { return object };
        let is_pointer = matches!(schema.native(root).1, Kind::Pointer(_));
        self.fill(ty.0 as usize, object, is_pointer, Within { schema, arena }).unwrap_or(object)
    }
}
