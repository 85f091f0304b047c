//! Objects as apply configurations.

use super::model::{Configuration, Configurations, Shape};
use serde_json::{Map, Number, Value};
use std::fmt;
use takeover_harness::path::Path;

/// A value that has no place in the configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Its path.
    pub field: String,
    /// What is wrong with it.
    pub fault: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.fault)
    }
}

impl std::error::Error for Misfit {}

impl Configurations {
    /// The configuration that sets what an object has, as the generated types read and write it: without nulls, `managedFields` and
    /// `selfLink`. Empty lists, maps and structs stay.
    ///
    /// # Errors
    /// Returns the first value that the configuration has no member for, or that is not of its type.
    pub fn take(&self, of: &Configuration, object: &Value) -> Result<Value, Misfit> {
        self.members(of, object, &Path::ROOT)
    }

    fn members(&self, of: &Configuration, value: &Value, path: &Path<'_>) -> Result<Value, Misfit> {
        let Value::Object(members) = value else { return Err(misfit(path, "an object", value)) };
        let is_metadata = super::read::is_metadata(of);
        let mut taken = Map::new();
        for (name, value) in members.iter().filter(|(_, value)| !value.is_null()) {
            let path = path.child(name);
            match of.members.iter().find(|member| member.name == *name) {
                Some(member) => {
                    taken.insert(name.clone(), self.value(&member.shape, value, &path)?);
                }
                None if of.keeps_unknown => drop(taken.insert(name.clone(), value.clone())),
                None if is_metadata && super::read::OF_SERVER.contains(&name.as_str()) => {}
                None => {
                    let fault = format!("`{}` has no such member", of.name);
                    return Err(Misfit { field: path.to_field(), fault });
                }
            }
        }
        Ok(Value::Object(taken))
    }

    fn value(&self, shape: &Shape, value: &Value, path: &Path<'_>) -> Result<Value, Misfit> {
        let fits = |fits: bool, what: &str| if fits { Ok(value.clone()) } else { Err(misfit(path, what, value)) };
        let is_integer =
            |bits: u8, signed: bool| value.as_number().is_some_and(|number| is_in_range(number, bits, signed));
        match (shape, value) {
            (Shape::Any, _) => Ok(value.clone()),
            (Shape::Boolean, _) => fits(value.is_boolean(), "a boolean"),
            (Shape::Text(_), _) => fits(value.is_string(), "a string"),
            (Shape::Float { .. }, _) => fits(value.is_number(), "a number"),
            (Shape::IntOrString, Value::Number(number)) => {
                fits(is_in_range(number, 32, true), "an integer of 32 bits or a string")
            }
            (Shape::IntOrString, _) => fits(value.is_string(), "an integer of 32 bits or a string"),
            (Shape::Integer { bits, signed }, _) if is_integer(*bits, *signed) => Ok(value.clone()),
            (Shape::Integer { bits, signed }, _) => {
                let sign = if *signed { "" } else { "unsigned " };
                Err(misfit(path, &format!("an {sign}integer of {bits} bits"), value))
            }
            (Shape::List(item), Value::Array(items)) => {
                let taken = items.iter().enumerate().map(|(at, value)| self.value(item, value, &path.index(at)));
                Ok(Value::Array(taken.collect::<Result<_, _>>()?))
            }
            (Shape::List(_), _) => Err(misfit(path, "a list", value)),
            (Shape::Map(of), Value::Object(entries)) => {
                let taken =
                    entries.iter().map(|(key, value)| Ok((key.clone(), self.value(of, value, &path.key(key))?)));
                Ok(Value::Object(taken.collect::<Result<_, _>>()?))
            }
            (Shape::Map(_), _) => Err(misfit(path, "a map", value)),
            (Shape::Struct(index), _) => match self.get(*index) {
                Some(of) => self.members(of, value, path),
                None => Ok(value.clone()),
            },
        }
    }
}

fn is_in_range(number: &Number, bits: u8, signed: bool) -> bool {
    match (number.as_i64(), number.as_u64()) {
        (Some(number), _) if signed => {
            let most = i64::MAX >> (64 - u32::from(bits.clamp(1, 64)));
            (-most - 1..=most).contains(&number)
        }
        (_, Some(number)) if !signed => number <= u64::MAX >> (64 - u32::from(bits.clamp(1, 64))),
        _ => false,
    }
}

fn misfit(path: &Path<'_>, wanted: &str, value: &Value) -> Misfit {
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Misfit { field: path.to_field(), fault: format!("must be {wanted}, is {is}") }
}
