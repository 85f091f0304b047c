//! Lists.

use super::error::{Error, Outcome};
use super::kinds::{Items, List, ListType, Value};
use std::sync::Arc;

impl<'a> List<'a> {
    /// A list of values.
    #[must_use]
    pub fn plain(values: Vec<Value<'a>>) -> Self {
        Self { items: Items::Values(Arc::new(values)), list_type: ListType::Plain }
    }

    /// Number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.items {
            Items::Data(_, len, _) => *len,
            Items::Values(values) => values.len(),
        }
    }

    /// Whether it has no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// An item.
    ///
    /// # Errors
    /// Returns an error where data do not fit the schema.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Outcome<Value<'a>>> {
        match &self.items {
            Items::Data(data, _, Some(shape)) => data.item(index).map(|item| Value::wrapped(item, shape)),
            Items::Data(data, _, None) => data.item(index).map(|item| Ok(Value::native(item))),
            Items::Values(values) => values.get(index).cloned().map(Ok),
        }
    }

    /// All items, each of which may be an error.
    pub fn iter(&self) -> impl Iterator<Item = Outcome<Value<'a>>> + '_ {
        (0..self.len()).map_while(|index| self.get(index))
    }

    /// All items, if none is an error.
    ///
    /// # Errors
    /// Returns the first.
    pub fn values(&self) -> Outcome<Vec<Value<'a>>> {
        self.iter().collect()
    }

    /// Appends in place where nobody else has the list.
    pub(crate) fn push(&mut self, value: Value<'a>) -> Outcome<()> {
        match &mut self.items {
            Items::Values(values) => Arc::make_mut(values).push(value),
            Items::Data(..) => {
                let mut values = self.values()?;
                values.push(value);
                self.items = Items::Values(Arc::new(values));
            }
        }
        Ok(())
    }

    /// `self + other`
    ///
    /// # Errors
    /// Returns an error where data do not fit the schema.
    pub fn concat(&self, other: &Self) -> Outcome<Self> {
        let mut values = self.values()?;
        match self.list_type {
            ListType::Plain | ListType::Atomic => values.extend(other.values()?),
            ListType::Set => {
                for value in other.iter() {
                    let value = value?;
                    if !values.iter().any(|known| known.equal(&value) == Ok(true)) {
                        values.push(value);
                    }
                }
            }
            ListType::Map(keys) => {
                for value in other.iter() {
                    let value = value?;
                    let key = map_key(&value, keys);
                    match values.iter_mut().find(|known| same_key(&map_key(known, keys), &key)) {
                        Some(known) => *known = value,
                        None => values.push(value),
                    }
                }
            }
        }
        Ok(Self { items: Items::Values(Arc::new(values)), list_type: self.list_type })
    }

    /// `self == other`
    pub(super) fn equals(&self, other: &Self) -> Outcome<bool> {
        if self.len() != other.len() {
            return Ok(false);
        }
        match self.list_type {
            ListType::Plain => {
                for (mine, yours) in self.iter().zip(other.iter()) {
                    if mine?.equal(&yours?) == Ok(false) {
                        return Ok(false);
                    }
                }
            }
            ListType::Atomic => {
                for (mine, yours) in self.iter().zip(other.iter()) {
                    let mine = mine?;
                    match yours {
                        Ok(yours) if mine.same_kind_equal(&yours)? => {}
                        Ok(_) => return Ok(false),
                        Err(error) => return mine.unequal_to(error),
                    }
                }
            }
            ListType::Set => {
                let mine = self.values()?;
                for yours in other.iter() {
                    let yours = yours?;
                    if !mine.iter().any(|mine| mine.equal(&yours) == Ok(true)) {
                        return Ok(false);
                    }
                }
            }
            ListType::Map(keys) => {
                let mine = self.values()?;
                for yours in other.iter() {
                    let yours = yours?;
                    let key = map_key(&yours, keys);
                    // Of several with one key the last counts.
                    let Some(mine) = mine.iter().rev().find(|mine| same_key(&map_key(mine, keys), &key)) else {
                        return Ok(false);
                    };
                    if !mine.same_kind_equal(&yours)? {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// `value in self`
    ///
    /// # Errors
    /// Returns an error where no item is equal and one cannot be compared.
    pub fn contains(&self, value: &Value<'a>) -> Outcome<bool> {
        let typed = !matches!(self.list_type, ListType::Plain);
        let mut failed = None;
        for item in self.iter() {
            let same = match item {
                Ok(item) if typed => item.same_kind_equal(value),
                Ok(item) => item.equal(value),
                Err(error) => Err(error),
            };
            match same {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        match failed {
            Some(error) if typed => Err(error),
            _ => Ok(false),
        }
    }
}

/// The fields that name an item, by their escaped names, as API servers read them.
fn map_key<'a>(value: &Value<'a>, keys: &[String]) -> Vec<Option<Value<'a>>> {
    keys.iter()
        .map(|key| match value {
            Value::Map(map) => map.raw(key),
            _ => None,
        })
        .collect()
}

fn same_key(a: &[Option<Value<'_>>], b: &[Option<Value<'_>>]) -> bool {
    a.iter().zip(b).all(|(a, b)| match (a, b) {
        (Some(a), Some(b)) => a.equal(b) == Ok(true),
        (None, None) => true,
        _ => false,
    })
}

/// The index that a value stands for.
///
/// # Errors
/// Returns an error for anything but whole numbers.
pub(crate) fn index_of(value: &Value<'_>) -> Outcome<i64> {
    match value {
        Value::Int(index) => Ok(*index),
        Value::Double(index) => super::numbers::exact_int(*index).ok_or_else(|| {
            Error::new(format!("unsupported index value {} in list", super::numbers::double_text(*index)))
        }),
        Value::Uint(index) => {
            i64::try_from(*index).map_err(|_| Error::new(format!("unsupported index value {index} in list")))
        }
        other => Err(Error::new(format!("unsupported index type '{}' in list", other.type_name()))),
    }
}
