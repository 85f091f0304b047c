//! Estimated costs of calls: the libraries' estimates first, then those of CEL.

use super::estimate::{CallCost, Coster, Operand};
use super::range::Range;
use crate::syntax::{Kind, Literal, NodeId};
use crate::types::{Kind as TypeKind, Type};

/// Cost of reading a string, a code point.
const TRAVERSAL: f64 = 0.1;
/// Cost of applying a pattern, a code point of it.
const PATTERN: f64 = 0.25;
const ONE: Range = Range::fixed(1);

fn cost(cost: Range) -> Option<CallCost> {
    Some(CallCost { cost, size: None })
}

fn sized(cost: Range, size: Range) -> Option<CallCost> {
    Some(CallCost { cost, size: Some(size) })
}

impl Coster<'_> {
    /// What a call costs with its arguments, without its receiver.
    pub(super) fn function(
        &mut self,
        id: NodeId,
        function: &str,
        overload: &str,
        target: Option<&Operand>,
        args: &[Operand],
        costs: &[Range],
    ) -> CallCost {
        let given = costs.iter().fold(Range::ZERO, |sum, cost| sum.plus(*cost));
        let call =
            self.list_library(overload, target, args).or_else(|| self.kubernetes(function, overload, target, args));
        if let Some(call) = call {
            return CallCost { cost: call.cost.plus(given), size: call.size };
        }
        match (overload, costs) {
            ("logical_or" | "logical_and", [left, right]) => {
                return CallCost { cost: Range { min: left.min, max: left.plus(*right).max }, size: None };
            }
            ("conditional", [condition, first, second]) => {
                let cost = condition.plus(first.or(*second));
                let sizes = args.iter().skip(1).map(known).reduce(Range::or);
                self.join_entries(id, args.get(1), args.get(2));
                return CallCost { cost, size: sizes };
            }
            _ => {}
        }
        let call = self.standard(id, overload, target, args).unwrap_or(CallCost { cost: ONE, size: None });
        CallCost { cost: call.cost.plus(given), size: call.size }
    }

    fn join_entries(&mut self, id: NodeId, left: Option<&Operand>, right: Option<&Operand>) {
        if let (Some(left), Some(right)) = (left, right)
            && let (Some(left), Some(right)) = (self.entry_size(left.id), self.entry_size(right.id))
        {
            self.set_entry_size(id, Some(left.or(right)));
        }
    }

    fn standard(&mut self, id: NodeId, overload: &str, target: Option<&Operand>, args: &[Operand]) -> Option<CallCost> {
        let size = args.first().map(known);
        match overload {
            "string_format" => cost(known(target?).scaled(TRAVERSAL)),
            "string_to_bytes" => {
                let size = size?;
                sized(size.scaled(TRAVERSAL), Range { min: size.min, max: size.max.wrapping_mul(4) })
            }
            "bytes_to_string" => {
                let size = size?;
                sized(size.scaled(TRAVERSAL), Range { min: size.min / 4, max: size.max })
            }
            "strings_quote" => {
                let size = size?;
                let max = size.max.wrapping_mul(2).wrapping_add(2);
                sized(size.scaled(TRAVERSAL), Range { min: size.min.wrapping_add(2), max })
            }
            "starts_with_string" | "ends_with_string" => cost(size?.scaled(TRAVERSAL)),
            "in_list" => cost(known(args.get(1)?).scaled(1.0)),
            "matches_string" => {
                let text = known(target?).plus(ONE).scaled(TRAVERSAL);
                cost(text.times(size?.scaled(PATTERN)))
            }
            "contains_string" => cost(known(target?).scaled(TRAVERSAL).times(size?.scaled(TRAVERSAL))),
            "add_string" | "add_bytes" | "add_list" => {
                let joined = size?.plus(known(args.get(1)?));
                self.join_entries(id, args.first(), args.get(1));
                sized(if overload == "add_list" { ONE } else { joined.scaled(TRAVERSAL) }, joined)
            }
            "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes"
            | "equals"
            | "not_equals" => {
                let smaller = size?.max.min(known(args.get(1)?).max);
                cost(Range { min: u64::from(smaller > 0), max: smaller }.scaled(TRAVERSAL))
            }
            _ => None,
        }
    }

    /// The list and set libraries of CEL, which have estimates for overloads.
    fn list_library(&self, overload: &str, target: Option<&Operand>, args: &[Operand]) -> Option<CallCost> {
        let list = |factor: f64, size: Range| sized(size.scaled(factor).plus(Range::fixed(11)), size);
        let sizes = || Some(self.size_of(args.first()?).times(self.size_of(args.get(1)?)));
        match overload {
            "list_sets_contains_list" | "list_sets_intersects_list" => cost(sizes()?.plus(ONE)),
            "list_sets_equivalent_list" => cost(sizes()?.scaled(2.0).plus(ONE)),
            "list_slice" => {
                let size = self.size_of(target?);
                let (start, end) = (self.written(args.first()?, 0), self.written(args.get(1)?, size.max));
                list(1.0, Range::fixed(end.wrapping_sub(start)))
            }
            "lists_range" => list(1.0, Range::fixed(self.written(args.first()?, u64::MAX))),
            "list_reverse" => list(1.0, self.size_of(target?)),
            "list_flatten" | "list_flatten_int" => {
                let depth = args.first().map_or(1, |depth| self.written(depth, u64::MAX));
                #[expect(clippy::cast_precision_loss, reason = "API servers multiply as float64")]
                let depth = depth as f64;
                list(depth, self.size_of(target?))
            }
            "list_distinct" => {
                let size = self.size_of(target?);
                list(2.0, size.times(size))
            }
            _ => {
                let (element, by) = match overload.strip_prefix("list_")?.split_once('_')? {
                    (element, "sort") => (element, target?),
                    (element, "sortByAssociatedKeys") => (element, args.first()?),
                    _ => return None,
                };
                let size = self.size_of(by);
                let factor = if matches!(element, "string" | "bytes") { 2.0 + TRAVERSAL } else { 2.0 };
                list(factor, size.times(size))
            }
        }
    }

    /// The libraries of Kubernetes, which estimate by the names of functions.
    fn kubernetes(
        &self,
        function: &str,
        overload: &str,
        target: Option<&Operand>,
        args: &[Operand],
    ) -> Option<CallCost> {
        let first = || Some(self.size_of(args.first()?));
        match function {
            "check" => cost(Range::fixed(350_000)),
            "serviceAccount"
            | "path"
            | "group"
            | "resource"
            | "subresource"
            | "namespace"
            | "name"
            | "allowed"
            | "reason"
            | "error"
            | "errored"
            | "masked"
            | "prefixLength"
            | "family"
            | "isUnspecified"
            | "isLoopback"
            | "isLinkLocalMulticast"
            | "isLinkLocalUnicast"
            | "isGlobalUnicast"
            | "format.named"
            | "sign"
            | "asInteger"
            | "isInteger"
            | "asApproximateFloat"
            | "isGreaterThan"
            | "isLessThan"
            | "compareTo"
            | "add"
            | "sub"
            | "major"
            | "minor"
            | "patch"
            | "getScheme"
            | "getHostname"
            | "getHost"
            | "getPort"
            | "getEscapedPath"
            | "getQuery" => cost(ONE),
            "fieldSelector" | "labelSelector" => {
                let length = first()?;
                cost(Range::fixed(10).plus(length.scaled(TRAVERSAL)).plus(length.scaled(0.5).scaled(50.0)))
            }
            "isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" => {
                let list = target?;
                let Some((element, size)) = self.elements(list) else {
                    return cost(self.size_of(list).scaled(TRAVERSAL));
                };
                let text = matches!(element.kind(), TypeKind::String | TypeKind::Bytes);
                let compare = if text { ONE.plus(size.scaled(TRAVERSAL)) } else { ONE };
                cost(self.size_of(list).times(compare))
            }
            "url" => sized(first()?.scaled(TRAVERSAL), first()?),
            "lowerAscii" | "upperAscii" | "substring" | "trim" => {
                let size = self.size_of(target?);
                sized(size.scaled(TRAVERSAL), size)
            }
            "replace" => {
                let size = self.size_of(target?);
                let result = replaced(size, first()?, self.size_of(args.get(1)?));
                sized(size.scaled(2.0 * TRAVERSAL), result)
            }
            "split" => {
                let size = self.size_of(target?);
                let written = args.get(1).and_then(|limit| match self.ast.kind(limit.id) {
                    Some(Kind::Literal(Literal::Int(limit))) => Some(limit.cast_unsigned()),
                    _ => None,
                });
                sized(size.scaled(2.0 * TRAVERSAL), Range { min: 0, max: written.unwrap_or(size.max) })
            }
            "join" => {
                let list = target?;
                let count = self.size_of(list);
                let mut size = self.elements(list).map_or(Range::ZERO, |(_, element)| count.times(element));
                if let Some(separator) = args.first() {
                    let gaps = Range { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
                    size = size.plus(self.size_of(separator).times(gaps));
                }
                sized(size.scaled(TRAVERSAL), size)
            }
            "find" | "findAll" => {
                let size = self.size_of(target?);
                let text = size.plus(ONE).scaled(TRAVERSAL);
                sized(text.times(first()?.scaled(PATTERN)), Range { min: 0, max: size.max })
            }
            "ip" if overload == "cidr_ip" => cost(ONE),
            "ip" | "cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver" => {
                cost(first()?.scaled(TRAVERSAL))
            }
            "ip.isCanonical" => cost(first()?.scaled(2.0 * TRAVERSAL)),
            "containsIP" | "containsCIDR" => {
                let argument = first()?;
                let address = Range { min: 4, max: 16 };
                let mut sum = address.plus(address).scaled(TRAVERSAL);
                if function == "containsCIDR" {
                    sum = sum.plus(address.scaled(TRAVERSAL)).plus(ONE);
                }
                if matches!(overload, "cidr_contains_ip_string" | "cidr_contains_cidr_string") {
                    sum = sum.plus(argument.scaled(TRAVERSAL));
                }
                cost(sum)
            }
            "validate" => cost(first()?.scaled(TRAVERSAL).scaled(128.0 * PATTERN)),
            "_==_" => self.equality(args),
            _ => None,
        }
    }

    /// Equality of types whose values are small.
    fn equality(&self, args: &[Operand]) -> Option<CallCost> {
        let [left, right] = args else { return None };
        let (left, right_type) = (self.type_of(left.id)?, self.type_of(right.id)?);
        if left.runtime_name() != right_type.runtime_name() {
            return None;
        }
        match (left.kind(), left.runtime_name().as_str()) {
            (TypeKind::Opaque, "net.IP" | "net.CIDR") => cost(ONE),
            (TypeKind::Object, "kubernetes.NamedFormat") => cost(Range { min: 1, max: 64 }.scaled(TRAVERSAL)),
            (TypeKind::Object, "kubernetes.URL") => {
                let size = right.size.unwrap_or(ONE);
                cost(Range { min: 1, max: size.max }.scaled(TRAVERSAL))
            }
            (TypeKind::Object, name) if name == "kubernetes.Quantity" || name == "kubernetes.Semver" => cost(ONE),
            (TypeKind::Object, name) if name.starts_with("kubernetes.authorization.") => cost(ONE),
            _ => None,
        }
    }

    /// The type of a list's elements, and their size.
    fn elements(&self, list: &Operand) -> Option<(Type, Range)> {
        let ty = self.type_of(list.id)?;
        let element = ty.key_and_value().map(|(key, _)| key).or_else(|| ty.parameters().first())?.clone();
        let path = if list.path.is_empty() { None } else { Some(list.path.copied_then("@items")) };
        let size = path.and_then(|path| self.declared_size(&path)).unwrap_or(Range::UNKNOWN);
        Some((element, size))
    }

    fn size_of(&self, operand: &Operand) -> Range {
        operand.size.or_else(|| self.declared_size(&operand.path)).unwrap_or(Range::UNKNOWN)
    }

    /// The value of a literal that is no negative int, or `otherwise` for anything that is no int.
    fn written(&self, operand: &Operand, otherwise: u64) -> u64 {
        match self.ast.kind(operand.id) {
            Some(Kind::Literal(Literal::Int(value))) => u64::try_from(*value).unwrap_or_default(),
            _ => otherwise,
        }
    }
}

fn known(operand: &Operand) -> Range {
    operand.size.unwrap_or(Range::UNKNOWN)
}

/// The size of a text after its parts of one size were replaced by parts of another.
fn replaced(size: Range, old: Range, new: Range) -> Range {
    let (mut count, mut kept) = (Range::ZERO, Range::ZERO);
    if old.min == 0 {
        // An empty text is found around each character.
        count.max = size.max.saturating_add(1);
        kept.max = size.max;
    } else if new.max <= old.min {
        kept.max = size.max;
    } else {
        count.max = divided_up(size.max, old.min);
    }
    if old.max == 0 {
        count.min = size.min.saturating_add(1);
        kept.min = size.min;
    } else if old.max <= new.min {
        kept.min = size.min;
    } else {
        count.min = divided_up(size.min, old.max);
    }
    count.times(new).plus(kept)
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "API servers divide as float64"
)]
fn divided_up(dividend: u64, divisor: u64) -> u64 {
    (dividend as f64 / divisor as f64).ceil() as u64
}
