//! Calls: which function, and which of its overloads.

use super::checked::Reference;
use super::checker::Checker;
use crate::syntax::{Kind, Literal, NodeId};
use crate::types::{Function, Mapping, Type, function};

impl Checker<'_> {
    pub(super) fn call(&mut self, id: NodeId, name: &str, target: Option<NodeId>, args: &[NodeId]) {
        if name == "_?._" {
            return self.optional_select(id, args);
        }
        args.iter().for_each(|arg| self.node(*arg));
        let Some(target) = target else {
            return match self.function(name) {
                Some(function) => self.resolve(id, function, None, args),
                None => self.no_function(id, name),
            };
        };
        // `a.b.c()` is the function `a.b.c` before it is `c` of `a.b`.
        let qualified = self.qualified_name(target).and_then(|prefix| self.function(&format!("{prefix}.{name}")));
        if let Some(function) = qualified {
            return self.resolve(id, function, None, args);
        }
        self.node(target);
        match self.function(name) {
            Some(function) => self.resolve(id, function, Some(target), args),
            None => self.no_function(id, name),
        }
    }

    fn function(&self, name: &str) -> Option<&'static Function> {
        function(name.strip_prefix('.').unwrap_or(name))
    }

    fn no_function(&mut self, id: NodeId, name: &str) {
        self.undeclared(id, name);
        self.set(id, Type::Error);
    }

    fn optional_select(&mut self, id: NodeId, args: &[NodeId]) {
        let [operand, field] = args else {
            let message =
                format!("unsupported optional field selection: incorrect signature. argument count: {}", args.len());
            return self.report(id, message);
        };
        let Some(Kind::Literal(Literal::String(name))) = self.ast.kind(*field) else {
            return self.report(*field, "unsupported optional field selection".to_owned());
        };
        let ty = self.field(id, *operand, name, true);
        let ty = self.mapping.substitute(&ty, false);
        self.set(id, ty);
        let overloads = vec!["select_optional_field"];
        self.refer(id, Reference::Call { function: "_?._", member: false, overloads });
    }

    fn resolve(&mut self, id: NodeId, function: &'static Function, target: Option<NodeId>, args: &[NodeId]) {
        match self.overloads(id, function, target, args) {
            Some((ty, overloads)) => {
                self.set(id, ty);
                self.refer(id, Reference::Call { function: function.name, member: target.is_some(), overloads });
            }
            None => self.set(id, Type::Error),
        }
    }

    /// The overloads that fit, and the type of their results.
    fn overloads(
        &mut self,
        id: NodeId,
        function: &'static Function,
        target: Option<NodeId>,
        args: &[NodeId],
    ) -> Option<(Type, Vec<&'static str>)> {
        if matches!(function.name, "_&&_" | "_||_") {
            return self.logical(function, args);
        }
        let given: Vec<Type> = target.iter().chain(args).map(|arg| self.ty(*arg)).collect();
        let mut result: Option<Type> = None;
        let mut overloads = Vec::new();
        for overload in function.overloads.iter().filter(|overload| overload.member == target.is_some()) {
            let fresh = Mapping::instantiate(&overload.names, || self.fresh());
            let parameters: Vec<Type> =
                overload.parameters.iter().map(|parameter| fresh.substitute(parameter, false)).collect();
            if !self.mapping.all_assignable(&given, &parameters) {
                continue;
            }
            overloads.push(overload.id);
            let of_overload = self.mapping.substitute(&fresh.substitute(&overload.result, false), false);
            result = Some(match result {
                None => of_overload,
                Some(result) if result.is_dyn() || of_overload == result => result,
                Some(_) => Type::Dyn,
            });
        }
        if result.is_none() {
            let mut given = given.iter().map(|ty| self.mapping.substitute(ty, true).to_string());
            let receiver = target.and_then(|_| given.next()).map(|receiver| receiver + ".").unwrap_or_default();
            let given = given.collect::<Vec<_>>().join(", ");
            self.report(
                id,
                format!("found no matching overload for '{}' applied to '{receiver}({given})'", function.name),
            );
        }
        result.map(|result| (result, overloads))
    }

    /// `&&` and `||` tell each argument that is no bool.
    fn logical(&mut self, function: &'static Function, args: &[NodeId]) -> Option<(Type, Vec<&'static str>)> {
        let mut fits = true;
        for arg in args {
            let ty = self.ty(*arg);
            if !self.mapping.assignable(&ty, &Type::Bool) {
                self.mismatch(*arg, &Type::Bool, &ty);
                fits = false;
            }
        }
        let overloads = function.overloads.iter().map(|overload| overload.id).collect();
        fits.then_some((Type::Bool, overloads))
    }
}
