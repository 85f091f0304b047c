//! NetworkPolicy.

use crate::kind::{Checks, Gate, Prepare, Request, STRICT_ADDRESSES, Served};
use crate::meta::{self, NameRule, Scope};
use crate::names::{dns_subdomain_start, subdomain_name};
use crate::net::{Addresses, Cidr, validate_cidr};
use crate::ports::{port_name, port_number};
use crate::prepare;
use crate::report::not_supported;
use crate::selector::{SelectorValues, validate_label_selector};
use crate::types::IntOrString;
use crate::types::networking::v1::{IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort, NetworkPolicySpec};
use takeover_harness::error::{BadValue, ErrorList, FieldError};
use takeover_harness::object::{Edit, Node};
use takeover_harness::path::Path;

/// Directions of traffic that a policy may be about.
const POLICY_TYPES: [&str; 2] = ["Ingress", "Egress"];
/// Protocols of ports.
const PROTOCOLS: [&str; 3] = ["TCP", "UDP", "SCTP"];
/// How policies are named.
const NAME: NameRule = NameRule::Plain { name: subdomain_name, start: dns_subdomain_start };

/// Judges NetworkPolicies as a Kubernetes 1.36 server does.
#[derive(Clone, Copy, Debug)]
pub struct NetworkPolicies;

impl Served for NetworkPolicies {
    type Kind = Self;

    const DEFAULTS: Option<fn(&mut Edit<'_>)> = Some(default_policy);
    const PREPARE: Option<Prepare> = Some(prepare::count_spec_changes);
}

/// A policy without types is about incoming traffic, and about outgoing traffic when it says anything about it.
fn default_policy(policy: &mut Edit<'_>) {
    policy.edit("spec", |spec| {
        if spec.get("policyTypes").items().is_empty() {
            let types = [Node::Text("Ingress"), Node::Text("Egress")];
            let count = if spec.get("egress").items().is_empty() { 1 } else { 2 };
            let types = spec.arena().alloc_slice_copy(&types);
            spec.set("policyTypes", Node::List(types.get(..count).unwrap_or_default()));
        }
        for rules in ["ingress", "egress"] {
            spec.edit_each(rules, |rule| rule.edit_each("ports", |port| port.set_default_text("protocol", "TCP")));
        }
    });
}

impl Checks for NetworkPolicies {
    type Object<'a> = NetworkPolicy<'a>;

    const SCOPE: Scope = Scope::Namespaced;
    const GATES: &'static [Gate] = &[STRICT_ADDRESSES];

    fn create(new: &NetworkPolicy, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_create(&new.metadata, Self::SCOPE, NAME, &Path::ROOT.child("metadata"), errors);
        let tolerated =
            Tolerated { values: SelectorValues::Checked, addresses: request.addresses(), cidrs: Vec::new() };
        validate_spec(new.spec, &tolerated, errors);
    }

    fn update(new: &NetworkPolicy, old: &NetworkPolicy, request: &Request<'_>, errors: &mut ErrorList) {
        meta::validate_update(&new.metadata, &old.metadata, &Path::ROOT.child("metadata"), errors);
        validate_spec(new.spec, &Tolerated::of(old, request), errors);
    }
}

/// What a new policy may get wrong because the stored one does.
struct Tolerated<'a> {
    values: SelectorValues,
    addresses: Addresses,
    cidrs: Vec<&'a str>,
}

impl<'a> Tolerated<'a> {
    /// Any fault of the stored pod selector excuses bad values in every selector, and every stored range excuses itself
    /// wherever it stands.
    fn of(old: &NetworkPolicy<'a>, request: &Request<'_>) -> Self {
        let mut faults = ErrorList::new();
        let selector = old.spec.map(|spec| &spec.pod_selector);
        validate_label_selector(selector, SelectorValues::Checked, &Path::ROOT, &mut faults);
        let values = if faults.is_empty() { SelectorValues::Checked } else { SelectorValues::Tolerated };
        let sources = old.spec.and_then(|spec| spec.ingress).unwrap_or_default().iter().filter_map(|rule| rule.from);
        let targets = old.spec.and_then(|spec| spec.egress).unwrap_or_default().iter().filter_map(|rule| rule.to);
        let blocks = sources.chain(targets).flatten().filter_map(|peer| peer.ip_block);
        let cidrs = blocks.flat_map(|block| std::iter::once(&block.cidr).chain(block.except.unwrap_or_default()));
        Self { values, addresses: request.addresses(), cidrs: cidrs.copied().collect() }
    }
}

fn validate_spec(spec: Option<&NetworkPolicySpec>, tolerated: &Tolerated<'_>, errors: &mut ErrorList) {
    let Some(spec) = spec else { return };
    let path = Path::ROOT.child("spec");
    validate_label_selector(Some(&spec.pod_selector), tolerated.values, &path.child("podSelector"), errors);
    let rules = path.child("ingress");
    for (index, rule) in spec.ingress.into_iter().flatten().enumerate() {
        let rule_path = rules.index(index);
        validate_ports(rule.ports, &rule_path.child("ports"), errors);
        validate_peers(rule.from, tolerated, &rule_path.child("from"), errors);
    }
    let rules = path.child("egress");
    for (index, rule) in spec.egress.into_iter().flatten().enumerate() {
        let rule_path = rules.index(index);
        validate_ports(rule.ports, &rule_path.child("ports"), errors);
        validate_peers(rule.to, tolerated, &rule_path.child("to"), errors);
    }
    validate_types(spec.policy_types.unwrap_or_default(), &path.child("policyTypes"), errors);
}

fn validate_types(types: &[&str], path: &Path<'_>, errors: &mut ErrorList) {
    if types.len() > POLICY_TYPES.len() {
        let found = BadValue::from(serde_json::Value::from(types));
        errors.push(FieldError::invalid(path, found, "may not specify more than two policyTypes"));
        return;
    }
    for (index, policy_type) in types.iter().enumerate() {
        if !POLICY_TYPES.contains(policy_type) {
            errors.push(not_supported(&path.index(index), *policy_type, &POLICY_TYPES));
        }
    }
}

fn validate_ports(ports: Option<&[NetworkPolicyPort]>, path: &Path<'_>, errors: &mut ErrorList) {
    for (index, port) in ports.unwrap_or_default().iter().enumerate() {
        validate_port(port, &path.index(index), errors);
    }
}

fn validate_port(port: &NetworkPolicyPort, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(protocol) = port.protocol.filter(|protocol| !PROTOCOLS.contains(protocol)) {
        errors.push(not_supported(&path.child("protocol"), protocol, &PROTOCOLS));
    }
    let (first, last) = (path.child("port"), path.child("endPort"));
    match (port.port, port.end_port) {
        (Some(IntOrString::Int(number)), end) => {
            if let Some(problem) = port_number(number) {
                errors.push(FieldError::invalid(&first, number, problem));
            }
            let Some(end) = end else { return };
            if end < number {
                // The error shows the start of the range, not its end.
                errors.push(FieldError::invalid(&last, number, "must be greater than or equal to `port`"));
            }
            if let Some(problem) = port_number(end) {
                errors.push(FieldError::invalid(&last, end, problem));
            }
        }
        (Some(IntOrString::String(name)), end) => {
            if let Some(end) = end {
                errors.push(FieldError::invalid(&last, end, "may not be specified when `port` is non-numeric"));
            }
            for problem in port_name(name) {
                errors.push(FieldError::invalid(&first, name, problem));
            }
        }
        (None, Some(end)) => {
            errors.push(FieldError::invalid(&last, end, "may not be specified when `port` is not specified"));
        }
        (None, None) => {}
    }
}

fn validate_peers(
    peers: Option<&[NetworkPolicyPeer]>,
    tolerated: &Tolerated<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    for (index, peer) in peers.unwrap_or_default().iter().enumerate() {
        validate_peer(peer, tolerated, &path.index(index), errors);
    }
}

fn validate_peer(peer: &NetworkPolicyPeer, tolerated: &Tolerated<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let selectors = [("podSelector", peer.pod_selector), ("namespaceSelector", peer.namespace_selector)];
    for (name, selector) in selectors {
        validate_label_selector(selector, tolerated.values, &path.child(name), errors);
    }
    let selects = selectors.iter().any(|(_, selector)| selector.is_some());
    match peer.ip_block {
        Some(block) => {
            validate_block(block, tolerated, &path.child("ipBlock"), errors);
            if selects {
                errors.push(FieldError::forbidden(path, "may not specify both ipBlock and another peer"));
            }
        }
        None if !selects => errors.push(FieldError::required(path, "must specify a peer")),
        None => {}
    }
}

fn validate_block(block: &IPBlock, tolerated: &Tolerated<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let at = path.child("cidr");
    if block.cidr.is_empty() {
        errors.push(FieldError::required(&at, "").covered());
        return;
    }
    validate_cidr(block.cidr, tolerated.addresses, &tolerated.cidrs, &at, errors);
    let Some(cidr) = Cidr::parse_sloppy(block.cidr) else { return };
    let list = path.child("except");
    for (index, except) in block.except.into_iter().flatten().enumerate() {
        let at = list.index(index);
        validate_cidr(except, tolerated.addresses, &tolerated.cidrs, &at, errors);
        if Cidr::parse_sloppy(except).is_some_and(|except| !cidr.strictly_contains(&except)) {
            errors.push(FieldError::invalid(&at, *except, "must be a strict subset of `cidr`"));
        }
    }
}
