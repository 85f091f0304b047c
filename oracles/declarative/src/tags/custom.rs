//! `customValidation`: handwritten functions called by the engine.

use super::def::{TYPES_AND_FIELDS, TagDef};
use crate::compile::build::{Build, Validations};
use crate::compile::context::Context;
use crate::compile::problem::Problem;
use crate::eval::{At, Check, Emission, Sink};
use crate::grammar::Tag;
use crate::settings::{CustomValidation, CustomValue};
use std::fmt;

pub(super) const TAGS: &[TagDef] = &[TagDef {
    name: "customValidation",
    no_mutants: Some("what a function does is not known, so its rule is dropped and nothing else"),
    places: TYPES_AND_FIELDS,
    summary: "Calls a handwritten function.",
    semantics: "The function is named `ValidateCustom_<Type>` on types and `ValidateCustom_<Type>_<GoField>` on \
                fields, and is looked up in the table of plug-ins. On fields it is skipped on updates that leave the \
                field as it was; on types it is not. Without a plug-in the rule reports nothing, and is refused in strict \
                mode.",
    errors: &["whatever the function returns"],
    example: "+k8s:customValidation",
    go: "@\n\
         Schedule string `json:\"schedule\"`",
    compile: custom,
    ..TagDef::DEFAULT
}];

fn custom(build: &mut Build<'_>, context: &Context, _: &Tag) -> Result<Validations, Problem> {
    let owner = context.member.map_or(context.ty, |member| member.owner);
    let type_name = build.info(owner).map(|info| info.go_name.as_ref()).unwrap_or_default();
    let name = match context.member.and_then(|member| build.field(member)) {
        Some((field, _)) => format!("ValidateCustom_{type_name}_{}", field.go_name),
        None => format!("ValidateCustom_{type_name}"),
    };
    match build.settings.custom.get(&name) {
        None if build.settings.strict => Err(Problem::new(format!("there is no plug-in `{name}`"))),
        // A rule stands there all the same: what wraps it (an option that is not defined) has its say without the function.
        function => Ok(context.rule("customValidation", Custom { name, function }).into()),
    }
}

struct Custom {
    name: String,
    function: Option<CustomValidation>,
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Custom").field(&self.name).finish()
    }
}

impl Check for Custom {
    fn check(&self, at: &At<'_>, sink: &mut Sink<'_>) {
        let At { schema, operation, options, path, value, old } = *at;
        let Some(function) = &self.function else { return };
        for error in function(&CustomValue { schema, operation, options, path, value, old }) {
            sink.report(|| error);
        }
    }

    fn reports(&self) -> Vec<Emission> {
        Vec::new()
    }

    fn judges_nil(&self) -> bool {
        true
    }

    fn has_parameters(&self) -> bool {
        false
    }
}
