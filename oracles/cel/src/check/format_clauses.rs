//! Literal format strings: each clause against the type of its argument.

use super::checker::Checker;
use crate::syntax::{Kind, Literal, NodeId};
use crate::types::{Kind as TypeKind, Type};

/// Reports calls of `format` whose clauses do not fit their arguments, where both are written as literals.
pub(super) fn validate(checker: &mut Checker<'_>) {
    for id in checker.reachable() {
        let Some(Kind::Call { function, target: Some(target), args }) = checker.ast.kind(id) else { continue };
        let Some(Kind::Literal(Literal::String(format))) = checker.ast.kind(*target) else { continue };
        let [arg] = args.as_slice() else { continue };
        let Some(Kind::List { elements, .. }) = checker.ast.kind(*arg) else { continue };
        if &**function != "format" {
            continue;
        }
        match clauses(checker, format.as_bytes(), elements) {
            Err((place, message)) => checker.report(place.unwrap_or(id), message),
            Ok(seen) if elements.len() > seen => {
                let message =
                    format!("too many arguments supplied to string.format (expected {seen}, got {})", elements.len());
                checker.report(id, message);
            }
            Ok(_) => {}
        }
    }
}

type Fault = (Option<NodeId>, String);

/// Reads the clauses, in bytes as API servers do, and returns how many there are.
fn clauses(checker: &Checker<'_>, format: &[u8], elements: &[NodeId]) -> Result<usize, Fault> {
    let (mut at, mut seen) = (0, 0);
    while let Some(byte) = format.get(at) {
        at += 1;
        if *byte != b'%' {
            continue;
        }
        match format.get(at) {
            Some(b'%') => at += 1,
            None => return Err((None, "unexpected end of string".to_owned())),
            Some(_) => {
                let element = elements.get(seen).ok_or_else(|| (None, format!("index {seen} out of range")))?;
                seen += 1;
                let letter = skip_precision(format, &mut at)?;
                at += 1;
                clause(checker, letter, *element)?;
            }
        }
    }
    Ok(seen)
}

/// Skips `.2` and returns the letter of the clause.
fn skip_precision(format: &[u8], at: &mut usize) -> Result<u8, Fault> {
    let wrong =
        |what: &str| (None, format!("could not parse formatting clause: error while parsing precision: {what}"));
    if format.get(*at) != Some(&b'.') {
        return Ok(format.get(*at).copied().unwrap_or_default());
    }
    let start = *at + 1;
    *at = start;
    while format.get(*at).is_some_and(u8::is_ascii_digit) {
        *at += 1;
    }
    let letter = *format.get(*at).ok_or_else(|| wrong("could not find end of precision specifier"))?;
    let digits: String = format.get(start..*at).unwrap_or_default().iter().map(|byte| char::from(*byte)).collect();
    let fault = match digits.parse::<i64>() {
        Ok(_) => return Ok(letter),
        Err(_) if digits.is_empty() => "invalid syntax",
        Err(_) => "value out of range",
    };
    Err(wrong(&format!("error while converting precision to integer: strconv.Atoi: parsing {digits:?}: {fault}")))
}

/// What a clause takes, and what it says of anything else.
fn clause(checker: &Checker<'_>, letter: u8, arg: NodeId) -> Result<(), Fault> {
    use TypeKind::{Bool, Bytes, Double, Int, String, Uint};
    let (kinds, text): (&[TypeKind], &str) = match letter {
        b's' => {
            return text_clause(checker, arg).map_err(|culprit| {
                let takes = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps";
                fault(checker, culprit, takes)
            });
        }
        b'd' => (&[Int, Uint], "decimal clause can only be used on integers"),
        b'f' => (&[Double, String], "fixed-point clause can only be used on doubles"),
        b'e' => (&[Double, String], "scientific clause can only be used on doubles"),
        b'b' => (&[Int, Uint, Bool], "only integers and bools can be formatted as binary"),
        b'x' | b'X' => {
            (&[Int, Uint, String, Bytes], "only integers, byte buffers, and strings can be formatted as hex")
        }
        b'o' => (&[Int, Uint], "octal clause can only be used on integers"),
        other => {
            let message =
                format!("could not parse formatting clause: unrecognized formatting clause \"{}\"", char::from(other));
            return Err((None, message));
        }
    };
    let kind = checker.ty(arg).kind();
    if kind == TypeKind::Dyn || kinds.contains(&kind) { Ok(()) } else { Err(fault(checker, arg, text)) }
}

fn fault(checker: &Checker<'_>, culprit: NodeId, takes: &str) -> Fault {
    let name = checker.ty(culprit).runtime_name();
    (Some(culprit), format!("error during formatting: {takes}, was given {name}"))
}

/// `%s` looks into literal lists and maps.
fn text_clause(checker: &Checker<'_>, arg: NodeId) -> Result<(), NodeId> {
    let ty: Type = checker.ty(arg);
    if matches!(ty.kind(), TypeKind::Opaque | TypeKind::Object | TypeKind::Any | TypeKind::Error | TypeKind::Param) {
        return Err(arg);
    }
    match checker.ast.kind(arg) {
        Some(Kind::List { elements, .. }) => elements.iter().try_for_each(|element| text_clause(checker, *element)),
        Some(Kind::Map(entries)) => entries.iter().try_for_each(|entry| {
            text_clause(checker, entry.key)?;
            text_clause(checker, entry.value)
        }),
        _ => Ok(()),
    }
}
