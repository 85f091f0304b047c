//! What has to be known of a review before it is answered. Reading stops where the object begins.

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use takeover_harness::subject::SubjectId;

/// Longest text that is taken over into an answer, in bytes.
const LONGEST: usize = 512;

/// What has to be known of a review before it is answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Envelope {
    /// `apiVersion` of the review.
    pub api_version: Option<String>,
    /// `kind` of the review.
    pub kind: Option<String>,
    /// `request.uid`.
    pub uid: Option<String>,
    /// `request.operation`.
    pub operation: Option<String>,
    /// Version and kind of the object in the review.
    pub object: Option<Kind>,
    /// `request.subResource`; empty for the main resource.
    pub subresource: String,
}

/// A group, version and kind.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Kind {
    #[serde(default)]
    group: String,
    version: String,
    kind: String,
}

impl Kind {
    /// `v1`, `apps/v1`.
    #[must_use]
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// The kind.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.kind
    }
}

impl Envelope {
    /// Reads as much as the beginning of `body` gives, whatever follows: a body that is broken later, cut off, or too long still has
    /// a uid.
    #[must_use]
    pub fn read(body: &[u8]) -> Self {
        let mut envelope = Self::default();
        // What was read before an error, or before the object, is all that is wanted.
        let _ = serde_json::Deserializer::from_slice(body).deserialize_map(Outer(&mut envelope));
        for text in [&mut envelope.api_version, &mut envelope.kind, &mut envelope.uid, &mut envelope.operation] {
            text.take_if(|text| text.is_empty() || text.len() > LONGEST);
        }
        envelope
    }

    /// The subject that the review is of.
    #[must_use]
    pub fn subject(&self) -> Option<SubjectId> {
        let object = self.object.as_ref()?;
        Some(SubjectId::new(object.api_version(), object.kind()).with_subresource(self.subresource.as_str()))
    }

    /// Whether nothing is left that the object could be followed by.
    fn is_full(&self) -> bool {
        self.api_version.is_some()
            && self.kind.is_some()
            && self.uid.is_some()
            && self.operation.is_some()
            && self.object.is_some()
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum OuterName {
    ApiVersion,
    Kind,
    Request,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "camelCase")]
enum InnerName {
    Uid,
    Kind,
    SubResource,
    Operation,
    Object,
    OldObject,
    #[serde(other)]
    Other,
}

/// A text, or nothing where something else stands: that must not hide the uid behind it.
struct Text(Option<String>);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrElse)
    }
}

struct TextOrElse;

impl<'de> Visitor<'de> for TextOrElse {
    type Value = Text;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_str<E>(self, text: &str) -> Result<Text, E> {
        Ok(Text(Some(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Text, E> {
        Ok(Text(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Text, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Text, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Text(None))
    }
}

struct Outer<'e>(&'e mut Envelope);

impl<'de> Visitor<'de> for Outer<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an AdmissionReview")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key()? {
            match name {
                OuterName::ApiVersion => self.0.api_version = map.next_value::<Text>()?.0,
                OuterName::Kind => self.0.kind = map.next_value::<Text>()?.0,
                OuterName::Request => map.next_value_seed(Inner(self.0))?,
                OuterName::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

struct Inner<'e>(&'e mut Envelope);

impl<'de> DeserializeSeed<'de> for Inner<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Inner<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an AdmissionRequest")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key()? {
            match name {
                InnerName::Uid => self.0.uid = map.next_value::<Text>()?.0,
                InnerName::Kind => self.0.object = Some(map.next_value()?),
                InnerName::SubResource => self.0.subresource = map.next_value::<Text>()?.0.unwrap_or_default(),
                InnerName::Operation => self.0.operation = map.next_value::<Text>()?.0,
                InnerName::Object | InnerName::OldObject if self.0.is_full() => {
                    return Err(A::Error::custom("nothing more is wanted"));
                }
                InnerName::Object | InnerName::OldObject | InnerName::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Envelope;
    use takeover_harness::subject::SubjectId;

    const REVIEW: &str = r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1",
        "kind":{"group":"apps","version":"v1","kind":"Deployment"},"subResource":"status","operation":"UPDATE",
        "object":{"a":[1,2]},"oldObject":null}}"#;

    #[test]
    fn a_review_gives_what_its_answer_needs() {
        let envelope = Envelope::read(REVIEW.as_bytes());
        assert_eq!(envelope.uid.as_deref(), Some("u-1"));
        assert_eq!(envelope.operation.as_deref(), Some("UPDATE"));
        assert_eq!(envelope.subject(), Some(SubjectId::new("apps/v1", "Deployment").with_subresource("status")));
    }

    #[test]
    fn order_does_not_matter_and_what_follows_the_object_may_be_missing() {
        let whole = Envelope::read(REVIEW.as_bytes());
        let turned = r#"{"request":{"oldObject":{},"object":{"a":1},"operation":"UPDATE","subResource":"status",
            "kind":{"kind":"Deployment","version":"v1","group":"apps"},"uid":"u-1"},
            "apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}"#;
        assert_eq!(Envelope::read(turned.as_bytes()), whole);
        let cut = REVIEW.find("[1,2").unwrap();
        assert_eq!(Envelope::read(&REVIEW.as_bytes()[..cut]), whole);
    }

    #[test]
    fn every_beginning_and_every_broken_byte_is_read_without_harm() {
        for end in 0..REVIEW.len() {
            let _ = Envelope::read(&REVIEW.as_bytes()[..end]);
            let mut broken = REVIEW.as_bytes().to_vec();
            broken[end] = 0xff;
            let envelope = Envelope::read(&broken);
            assert!(envelope.uid.is_none_or(|uid| uid.len() < 10));
        }
    }

    #[test]
    fn whatever_stands_where_a_text_should_hides_no_uid() {
        for other in ["null", "7", "-7", "0.5", "true", "[[\"a\"],{}]", "{\"a\":[1,{\"b\":null}]}"] {
            let review = format!(
                "{{\"kind\":{other},\"apiVersion\":{other},\"request\":{{\"operation\":{other},\"subResource\":{other},\"uid\":\"u-1\"}}}}"
            );
            let expected = Envelope { uid: Some("u-1".to_owned()), ..Envelope::default() };
            assert_eq!(Envelope::read(review.as_bytes()), expected, "{other}");
        }
    }

    #[test]
    fn texts_that_are_no_names_are_not_taken_over() {
        let long = format!(r#"{{"apiVersion":"","kind":7,"request":{{"uid":"{}"}}}}"#, "u".repeat(600));
        assert_eq!(Envelope::read(long.as_bytes()), Envelope::default());
        let deep = format!(r#"{{"request":{{"uid":"u-1","other":{}"#, "[".repeat(100_000));
        assert_eq!(Envelope::read(deep.as_bytes()).uid.as_deref(), Some("u-1"));
    }
}
