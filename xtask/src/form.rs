//! `--format`: the forms that a report is registered with, by name.

use crate::output;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use takeover_reports::{Form, Look};

/// Reads the name of a form; `--help` lists all of them.
pub fn one_of<R: 'static>(forms: &'static [Form<R>]) -> impl TypedValueParser<Value = &'static Form<R>> {
    let values = forms.iter().map(|form| PossibleValue::new(form.name).help(form.help));
    PossibleValuesParser::new(values).try_map(move |name| Form::find(forms, &name).ok_or("there is no such format"))
}

/// A report in a form, as it is printed to standard output.
///
/// # Errors
/// When it cannot be encoded.
pub fn printed<R>(report: &R, form: &Form<R>) -> anyhow::Result<String> {
    Ok((form.write)(report, output::look())?)
}

/// A report in a form, as it is written to a file.
///
/// # Errors
/// When it cannot be encoded.
pub fn written<R>(report: &R, form: &Form<R>) -> anyhow::Result<String> {
    Ok((form.write)(report, Look::plain(WIDTH))?)
}

/// Columns of tables in files.
const WIDTH: usize = 140;
