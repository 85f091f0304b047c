//! Questions to try an oracle with: from files, or generated from types.

use anyhow::{Context as _, bail, ensure};
use std::path::{Path, PathBuf};
use takeover_corpora::generate::Generator;
use takeover_corpora::load::{Input, Limits, load};
use takeover_engine::catalogue::{OracleDescription, PairCatalogue, PairDescription, WebhookDescription};
use takeover_external::exec::conformance::ExampleQuestion;
use takeover_harness::case::{Case, Options};
use takeover_harness::catalogue::Catalogue as _;
use takeover_harness::form::Sent;
use takeover_harness::object::{Arena, Node, to_value_with_empty};
use takeover_harness::oracle::Objects;
use takeover_harness::pair::Pair;
use takeover_harness::readiness::CandidateMay;
use takeover_harness::subject::{PairId, SubjectId};
use takeover_oracles::registry::Registry;

/// Seed of the generated questions.
const SEED: u64 = 1;

/// How many questions are generated.
const GENERATED: usize = 20;

/// The questions of files: each object as its creation and as an update that changes nothing, and cases as they are written.
///
/// # Errors
/// When a file cannot be read, or has no object.
pub fn of_files(files: &[PathBuf]) -> anyhow::Result<Vec<ExampleQuestion>> {
    let inputs = files.iter().map(Input::named).collect();
    let cases = load(inputs, Limits::default()).cases();
    cases
        .map(|loaded| {
            let loaded = loaded?;
            let subject = SubjectId::new(loaded.api_version, loaded.kind).with_subresource(loaded.subresource);
            let Case { operation, object, old, options, .. } = loaded.case;
            let old_object = old.map(|old| old.to_value()).transpose()?;
            let (object, options) = (object.to_value()?, states(&options));
            Ok(ExampleQuestion { subject, operation, object, old_object, options })
        })
        .collect::<anyhow::Result<_>>()
        .context("failed to read the examples")
}

/// Generated questions about a kind of these types, or of the built-in ones: valid as far as the types say, decoded and with defaults.
///
/// # Errors
/// When `kind` does not name version and kind, or the types cannot be read or lack it.
pub fn of_types(types: Option<&Path>, kind: &str) -> anyhow::Result<Vec<ExampleQuestion>> {
    let Ok(id) = kind.parse::<PairId>() else {
        bail!("--kind `{kind}` must name version and kind, such as 'shop.example.com/v1 Widget'")
    };
    ensure!(id.name.is_empty(), "--kind `{kind}` must not name a pair");
    let pair = typed(id.subject, types)?;
    let generator = Generator::of(&pair, Vec::new(), SEED);
    let clean = (0..=generator.systematic_len() / 1_024).flat_map(|number| generator.chunk(number, SEED));
    let questions = clean.filter(takeover_corpora::generate::GeneratedCase::is_clean);
    let examples: Vec<_> = questions.filter_map(|made| as_asked(&pair, &made.case)).take(GENERATED).collect();
    ensure!(!examples.is_empty(), "no valid object of `{}` could be generated: use --example", pair.id.subject);
    Ok(examples)
}

/// A pair for its types. The catalogue reads types for pairs only; the oracles of this one are never asked, and there is no such host.
fn typed(subject: SubjectId, types: Option<&Path>) -> anyhow::Result<Pair> {
    let nobody = OracleDescription::Webhook(WebhookDescription {
        url: "http://takeover.invalid".to_owned(),
        ..Default::default()
    });
    let description = PairDescription {
        name: "examples".to_owned(),
        api_version: subject.api_version,
        kind: subject.kind,
        subresource: subject.subresource,
        types: types.map(Path::to_owned),
        go_types: None,
        reference: nobody.clone(),
        candidate: nobody,
        compare: None,
        candidate_may: CandidateMay::Agree,
    };
    let catalogue = PairCatalogue::new(Registry::of_builtin()?, std::slice::from_ref(&description))?;
    Ok(catalogue.pair(&description.id()?)?)
}

/// A case as an oracle is asked about it; none if its objects do not decode.
fn as_asked(pair: &Pair, case: &Case) -> Option<ExampleQuestion> {
    let subject = pair.id.subject.clone();
    let arena = Arena::new();
    let (objects, _) = pair.form.objects(&subject, case, &Sent::default(), &arena).ok()?;
    let Objects { schema, root, new, old, .. } = objects;
    let value = |node: Node<'_>| to_value_with_empty(schema, root, &node);
    let (object, old_object) = (value(new), old.map(value));
    let mut options = case.options.clone();
    pair.define_options(&mut options);
    let options = states(&options);
    Some(ExampleQuestion { subject: subject.clone(), operation: case.operation, object, old_object, options })
}

fn states(options: &Options) -> std::collections::BTreeMap<String, bool> {
    options.iter().map(|(name, on)| (name.to_owned(), on)).collect()
}
