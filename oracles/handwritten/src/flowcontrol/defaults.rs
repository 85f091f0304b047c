//! Defaults of priority levels.

use takeover_harness::object::{Edit, Node};

/// Annotation of `v1beta3`: zero shares are meant. It stands for the zero and is no annotation in the form of `v1`.
pub(super) const KEEP_ZERO_SHARES: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";
/// Shares of a limited level.
const SHARES: Node<'static> = Node::Int(30);

/// Defaults of `v1`, where no shares at all are a choice.
pub fn default_level(level: &mut Edit<'_>) {
    level.edit("spec", |spec| {
        default_spec(spec);
        spec.edit_if_set("limited", |limited| limited.set_default("nominalConcurrencyShares", SHARES));
    });
}

/// Defaults of `v1beta3`, where an annotation tells chosen zero shares from unset ones.
pub fn default_level_v1beta3(level: &mut Edit<'_>) {
    let annotations = level.inside("metadata").map(|meta| meta.get("annotations"));
    let keep = annotations.is_some_and(|annotations| annotations.entry(KEEP_ZERO_SHARES).is_some());
    level.edit("spec", |spec| {
        default_spec(spec);
        if !keep {
            spec.edit_if_set("limited", |limited| limited.set_default("nominalConcurrencyShares", SHARES));
        }
    });
}

/// Defaults of `v1beta1` and `v1beta2`.
pub fn default_level_v1beta2(level: &mut Edit<'_>) {
    level.edit("spec", |spec| {
        default_spec(spec);
        spec.edit_if_set("limited", |limited| limited.set_default("assuredConcurrencyShares", SHARES));
    });
}

fn default_spec(spec: &mut Edit<'_>) {
    spec.edit_if_set("exempt", |exempt| {
        exempt.set_default("nominalConcurrencyShares", Node::Int(0));
        exempt.set_default("lendablePercent", Node::Int(0));
    });
    spec.edit_if_set("limited", |limited| {
        limited.set_default("lendablePercent", Node::Int(0));
        limited.edit("limitResponse", |response| {
            response.edit_if_set("queuing", |queuing| {
                queuing.set_default("queues", Node::Int(64));
                queuing.set_default("handSize", Node::Int(8));
                queuing.set_default("queueLengthLimit", Node::Int(50));
            });
        });
    });
}
