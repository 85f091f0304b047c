//! What expressions of one request see, and what running them costs.

use super::variables::Variables;
use crate::language::Expression;
use serde_json::Value as Json;
use std::sync::Arc;
use takeover_cel::value::{Access, Answerer, Stage, Value, native};
use takeover_cel::{Bindings, Limits};

/// What a policy is evaluated on.
#[derive(Clone, Copy)]
pub(crate) struct Inputs<'a> {
    /// The new object.
    pub(crate) object: Option<&'a Json>,
    /// The stored one.
    pub(crate) old_object: Option<&'a Json>,
    /// The param.
    pub(crate) params: Option<&'a Json>,
    /// The request, as validations see it.
    pub(crate) request: &'a Json,
    /// The request, as match conditions see it.
    pub(crate) request_of_conditions: &'a Json,
    /// The namespace.
    pub(crate) namespace: Option<&'a Json>,
    /// Who asks for what.
    pub(crate) asked: &'a Access,
    /// Who answers what users may do.
    pub(crate) answerer: &'a Answerer,
}

/// The expressions of a policy, by kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Conditions,
    Validations,
    Messages,
    Annotations,
}

impl<'a> Inputs<'a> {
    fn bindings(&self, group: Group) -> Bindings<'a> {
        let of = |json: Option<&'a Json>| Ok(json.map_or(Value::Null, |json| native(json)));
        let conditions = group == Group::Conditions;
        let request = if conditions { self.request_of_conditions } else { self.request };
        let bindings = Bindings::default()
            .with("object", of(self.object))
            .with("oldObject", of(self.old_object))
            .with("params", of(self.params))
            .with("request", of(Some(request)))
            .with("namespaceObject", of(self.namespace.filter(|_| !conditions)))
            .with("variables", Ok(Value::Members(Arc::from("variables"))));
        if !matches!(group, Group::Conditions | Group::Validations) {
            return bindings;
        }
        let answered = |stage| Access { stage, authorizer: Some(self.answerer.clone()), ..self.asked.clone() };
        let user = Access { user: self.asked.user.clone(), ..Access::default() };
        let authorizer = Access { authorizer: Some(self.answerer.clone()), ..user };
        bindings
            .with("authorizer", Ok(Value::Access(Arc::new(authorizer))))
            .with("authorizer.requestResource", Ok(Value::Access(Arc::new(answered(Stage::Resource)))))
    }
}

/// The budget is spent: nothing else runs.
pub(super) struct OutOfBudget;

/// What API servers say when the budget is spent.
pub(super) const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// The value of an expression, or why it has none.
pub(super) type Valued<'a> = Result<Value<'a>, String>;

/// Runs expressions in turn; a place without one gives nothing. What they cost is taken from `budget`.
pub(super) fn run<'a, 'c>(
    expressions: impl Iterator<Item = Option<&'c Expression>>,
    variables: &'c [(String, Expression)],
    inputs: &Inputs<'a>,
    group: Group,
    budget: &mut u64,
) -> Result<Vec<Option<Valued<'a>>>, OutOfBudget> {
    let bindings = inputs.bindings(group);
    let members = Variables::new(variables, &bindings);
    let mut results = Vec::new();
    for expression in expressions {
        let Some(expression) = expression else {
            results.push(None);
            continue;
        };
        let program = match &expression.program {
            Ok(program) => program,
            Err(failure) => {
                results.push(Some(Err(format!("compilation error: {failure}"))));
                continue;
            }
        };
        let evaluation = program.evaluate_with(&bindings, &members, &Limits::default());
        for cost in [members.take_cost(), evaluation.cost] {
            *budget = budget.checked_sub(cost).ok_or(OutOfBudget)?;
        }
        let failed = |error| format!("expression '{}' resulted in error: {error}", expression.text);
        results.push(Some(evaluation.value.map_err(failed)));
    }
    Ok(results)
}
