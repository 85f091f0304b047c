//! Comprehensions.

use super::plan::Fold;
use super::run::{Run, Slot};
use crate::value::{Error, Outcome, Value};

impl<'p, 'a> Run<'p, 'a> {
    pub(super) fn fold(&mut self, fold: &'p Fold) -> Outcome<Value<'a>> {
        // The accumulator is computed on first use.
        self.set(fold.accu, Slot::Lazy(&fold.init));
        let range = self.step(&fold.range)?;
        match (&range, fold.var2) {
            (Value::List(list), None) => {
                for item in list.iter() {
                    if !self.turn(fold, item, None)? {
                        break;
                    }
                }
            }
            (Value::List(list), Some(_)) => {
                for (index, item) in (0i64..).zip(list.iter()) {
                    if !self.turn(fold, Ok(Value::Int(index)), Some(item))? {
                        break;
                    }
                }
            }
            (Value::Map(map), var2) => {
                for key in map.keys() {
                    let value =
                        var2.map(|_| map.find(&key).and_then(|value| value.ok_or_else(|| Error::new("no such key"))));
                    if !self.turn(fold, Ok(key), value)? {
                        break;
                    }
                }
            }
            (other, None) => {
                return Err(Error::new(format!("got '{}', expected iterable type", go_type(other))));
            }
            (other, Some(_)) => {
                return Err(Error::new(format!("unsupported comprehension range type: {}", go_type(other))));
            }
        }
        let result = self.step(&fold.result);
        self.set(fold.accu, Slot::Unset);
        result
    }

    /// One turn; false ends the loop.
    fn turn(&mut self, fold: &'p Fold, first: Outcome<Value<'a>>, second: Option<Outcome<Value<'a>>>) -> Outcome<bool> {
        self.tick()?;
        self.set(fold.var, Slot::Ready(first));
        if let (Some(slot), Some(second)) = (fold.var2, second) {
            self.set(slot, Slot::Ready(second));
        }
        match self.step(&fold.condition) {
            Ok(Value::Bool(false)) => return Ok(false),
            Err(error) if error.is_fatal() => return Err(error),
            _ => {}
        }
        let next = self.step(&fold.step);
        if let Err(error) = &next
            && error.is_fatal()
        {
            return Err(error.clone());
        }
        self.set(fold.accu, Slot::Ready(next));
        Ok(true)
    }
}

/// The name of a value's type in Go.
fn go_type(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "types.Null",
        Value::Bool(_) => "types.Bool",
        Value::Int(_) => "types.Int",
        Value::Uint(_) => "types.Uint",
        Value::Double(_) => "types.Double",
        Value::String(_) => "types.String",
        Value::Bytes(_) => "types.Bytes",
        Value::Timestamp(_) => "types.Timestamp",
        Value::Duration(_) => "types.Duration",
        Value::Type(_) => "*types.Type",
        Value::Optional(_) => "*types.Optional",
        other => other.type_name(),
    }
}
