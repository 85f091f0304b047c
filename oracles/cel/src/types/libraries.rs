//! Functions that Kubernetes 1.36 adds for rules of custom resources, in the order in which the checker tries them.

use super::signature::Row;

/// Each function by name, with the identifiers and signatures of its overloads.
pub(super) const FUNCTIONS: &[(&str, &[Row])] = &[
    (
        "@sortByAssociatedKeys",
        &[
            ("list_int_sortByAssociatedKeys", "list(T).(list(int)) -> list(T)"),
            ("list_uint_sortByAssociatedKeys", "list(T).(list(uint)) -> list(T)"),
            ("list_double_sortByAssociatedKeys", "list(T).(list(double)) -> list(T)"),
            ("list_bool_sortByAssociatedKeys", "list(T).(list(bool)) -> list(T)"),
            ("list_google.protobuf.Duration_sortByAssociatedKeys", "list(T).(list(duration)) -> list(T)"),
            ("list_google.protobuf.Timestamp_sortByAssociatedKeys", "list(T).(list(timestamp)) -> list(T)"),
            ("list_string_sortByAssociatedKeys", "list(T).(list(string)) -> list(T)"),
            ("list_bytes_sortByAssociatedKeys", "list(T).(list(bytes)) -> list(T)"),
        ],
    ),
    ("_?._", &[("select_optional_field", "(dyn, string) -> optional_type(V)")]),
    (
        "_[?_]",
        &[
            ("list_optindex_optional_int", "(list(V), int) -> optional_type(V)"),
            ("optional_list_optindex_optional_int", "(optional_type(list(V)), int) -> optional_type(V)"),
            ("map_optindex_optional_value", "(map(K, V), K) -> optional_type(V)"),
            ("optional_map_optindex_optional_value", "(optional_type(map(K, V)), K) -> optional_type(V)"),
        ],
    ),
    (
        "_[_]",
        &[
            ("optional_list_index_int", "(optional_type(list(V)), int) -> optional_type(V)"),
            ("optional_map_index_value", "(optional_type(map(K, V)), K) -> optional_type(V)"),
        ],
    ),
    (
        "add",
        &[
            ("quantity_add", "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity"),
            ("quantity_add_int", "kubernetes.Quantity.(int) -> kubernetes.Quantity"),
        ],
    ),
    ("allowed", &[("decision_allowed", "kubernetes.authorization.Decision.() -> bool")]),
    ("asApproximateFloat", &[("quantity_get_float", "kubernetes.Quantity.() -> double")]),
    ("asInteger", &[("quantity_get_int", "kubernetes.Quantity.() -> int")]),
    (
        "cel.@mapInsert",
        &[
            ("@mapInsert_map_key_value", "(map(K, V), K, V) -> map(K, V)"),
            ("@mapInsert_map_map", "(map(K, V), map(K, V)) -> map(K, V)"),
        ],
    ),
    ("charAt", &[("string_char_at_int", "string.(int) -> string")]),
    (
        "check",
        &[
            ("pathcheck_check", "kubernetes.authorization.PathCheck.(string) -> kubernetes.authorization.Decision"),
            (
                "resourcecheck_check",
                "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.Decision",
            ),
        ],
    ),
    ("cidr", &[("string_to_cidr", "(string) -> net.CIDR")]),
    (
        "compareTo",
        &[
            ("quantity_compare_to", "kubernetes.Quantity.(kubernetes.Quantity) -> int"),
            ("semver_compare_to", "kubernetes.Semver.(kubernetes.Semver) -> int"),
        ],
    ),
    (
        "containsCIDR",
        &[
            ("cidr_contains_cidr_string", "net.CIDR.(string) -> bool"),
            ("cidr_contains_cidr", "net.CIDR.(net.CIDR) -> bool"),
        ],
    ),
    (
        "containsIP",
        &[
            ("cidr_contains_ip_string", "net.CIDR.(string) -> bool"),
            ("cidr_contains_ip_ip", "net.CIDR.(net.IP) -> bool"),
        ],
    ),
    ("distinct", &[("list_distinct", "list(T).() -> list(T)")]),
    ("error", &[("decision_error", "kubernetes.authorization.Decision.() -> string")]),
    ("errored", &[("decision_errored", "kubernetes.authorization.Decision.() -> bool")]),
    ("family", &[("ip_family", "net.IP.() -> int")]),
    (
        "fieldSelector",
        &[(
            "authorizer_fieldselector",
            "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
        )],
    ),
    ("find", &[("string_find_string", "string.(string) -> string")]),
    (
        "findAll",
        &[
            ("string_find_all_string", "string.(string) -> list(string)"),
            ("string_find_all_string_int", "string.(string, int) -> list(string)"),
        ],
    ),
    ("first", &[("list_first", "list(V).() -> optional_type(V)")]),
    (
        "flatten",
        &[("list_flatten", "list(list(T)).() -> list(T)"), ("list_flatten_int", "list(dyn).(int) -> list(dyn)")],
    ),
    ("format", &[("string_format", "string.(list(dyn)) -> string")]),
    ("format.byte", &[("format.byte", "() -> kubernetes.NamedFormat")]),
    ("format.date", &[("format.date", "() -> kubernetes.NamedFormat")]),
    ("format.datetime", &[("format.datetime", "() -> kubernetes.NamedFormat")]),
    ("format.dns1035Label", &[("format.dns1035Label", "() -> kubernetes.NamedFormat")]),
    ("format.dns1035LabelPrefix", &[("format.dns1035LabelPrefix", "() -> kubernetes.NamedFormat")]),
    ("format.dns1123Label", &[("format.dns1123Label", "() -> kubernetes.NamedFormat")]),
    ("format.dns1123LabelPrefix", &[("format.dns1123LabelPrefix", "() -> kubernetes.NamedFormat")]),
    ("format.dns1123Subdomain", &[("format.dns1123Subdomain", "() -> kubernetes.NamedFormat")]),
    ("format.dns1123SubdomainPrefix", &[("format.dns1123SubdomainPrefix", "() -> kubernetes.NamedFormat")]),
    ("format.labelValue", &[("format.labelValue", "() -> kubernetes.NamedFormat")]),
    ("format.named", &[("format-named", "(string) -> optional_type(kubernetes.NamedFormat)")]),
    ("format.qualifiedName", &[("format.qualifiedName", "() -> kubernetes.NamedFormat")]),
    ("format.uri", &[("format.uri", "() -> kubernetes.NamedFormat")]),
    ("format.uuid", &[("format.uuid", "() -> kubernetes.NamedFormat")]),
    ("getEscapedPath", &[("url_get_escaped_path", "kubernetes.URL.() -> string")]),
    ("getHost", &[("url_get_host", "kubernetes.URL.() -> string")]),
    ("getHostname", &[("url_get_hostname", "kubernetes.URL.() -> string")]),
    ("getPort", &[("url_get_port", "kubernetes.URL.() -> string")]),
    ("getQuery", &[("url_get_query", "kubernetes.URL.() -> map(string, list(string))")]),
    ("getScheme", &[("url_get_scheme", "kubernetes.URL.() -> string")]),
    (
        "group",
        &[("authorizer_group", "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.GroupCheck")],
    ),
    ("hasValue", &[("optional_hasValue", "optional_type(V).() -> bool")]),
    (
        "indexOf",
        &[
            ("list_a_index_of_int", "list(A).(A) -> int"),
            ("string_index_of_string", "string.(string) -> int"),
            ("string_index_of_string_int", "string.(string, int) -> int"),
        ],
    ),
    ("ip", &[("string_to_ip", "(string) -> net.IP"), ("cidr_ip", "net.CIDR.() -> net.IP")]),
    ("ip.isCanonical", &[("ip_is_canonical", "(string) -> bool")]),
    ("isCIDR", &[("is_cidr", "(string) -> bool")]),
    ("isGlobalUnicast", &[("ip_is_global_unicast", "net.IP.() -> bool")]),
    (
        "isGreaterThan",
        &[
            ("quantity_is_greater_than", "kubernetes.Quantity.(kubernetes.Quantity) -> bool"),
            ("semver_is_greater_than", "kubernetes.Semver.(kubernetes.Semver) -> bool"),
        ],
    ),
    ("isIP", &[("is_ip", "(string) -> bool")]),
    ("isInteger", &[("quantity_is_integer", "kubernetes.Quantity.() -> bool")]),
    (
        "isLessThan",
        &[
            ("quantity_is_less_than", "kubernetes.Quantity.(kubernetes.Quantity) -> bool"),
            ("semver_is_less_than", "kubernetes.Semver.(kubernetes.Semver) -> bool"),
        ],
    ),
    ("isLinkLocalMulticast", &[("ip_is_link_local_multicast", "net.IP.() -> bool")]),
    ("isLinkLocalUnicast", &[("ip_is_link_local_unicast", "net.IP.() -> bool")]),
    ("isLoopback", &[("ip_is_loopback", "net.IP.() -> bool")]),
    ("isQuantity", &[("is_quantity_string", "(string) -> bool")]),
    ("isSemver", &[("is_semver_string", "(string) -> bool"), ("is_semver_string_bool", "(string, bool) -> bool")]),
    (
        "isSorted",
        &[
            ("list_int_is_sorted_bool", "list(int).() -> bool"),
            ("list_uint_is_sorted_bool", "list(uint).() -> bool"),
            ("list_double_is_sorted_bool", "list(double).() -> bool"),
            ("list_bool_is_sorted_bool", "list(bool).() -> bool"),
            ("list_duration_is_sorted_bool", "list(duration).() -> bool"),
            ("list_timestamp_is_sorted_bool", "list(timestamp).() -> bool"),
            ("list_string_is_sorted_bool", "list(string).() -> bool"),
            ("list_bytes_is_sorted_bool", "list(bytes).() -> bool"),
        ],
    ),
    ("isURL", &[("is_url_string", "(string) -> bool")]),
    ("isUnspecified", &[("ip_is_unspecified", "net.IP.() -> bool")]),
    ("join", &[("list_join", "list(string).() -> string"), ("list_join_string", "list(string).(string) -> string")]),
    (
        "labelSelector",
        &[(
            "authorizer_labelselector",
            "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
        )],
    ),
    ("last", &[("list_last", "list(V).() -> optional_type(V)")]),
    (
        "lastIndexOf",
        &[
            ("list_a_last_index_of_int", "list(A).(A) -> int"),
            ("string_last_index_of_string", "string.(string) -> int"),
            ("string_last_index_of_string_int", "string.(string, int) -> int"),
        ],
    ),
    ("lists.range", &[("lists_range", "(int) -> list(int)")]),
    ("lowerAscii", &[("string_lower_ascii", "string.() -> string")]),
    ("major", &[("semver_major", "kubernetes.Semver.() -> int")]),
    ("masked", &[("cidr_masked", "net.CIDR.() -> net.CIDR")]),
    (
        "max",
        &[
            ("list_int_max_int", "list(int).() -> int"),
            ("list_uint_max_uint", "list(uint).() -> uint"),
            ("list_double_max_double", "list(double).() -> double"),
            ("list_bool_max_bool", "list(bool).() -> bool"),
            ("list_duration_max_duration", "list(duration).() -> duration"),
            ("list_timestamp_max_timestamp", "list(timestamp).() -> timestamp"),
            ("list_string_max_string", "list(string).() -> string"),
            ("list_bytes_max_bytes", "list(bytes).() -> bytes"),
        ],
    ),
    (
        "min",
        &[
            ("list_int_min_int", "list(int).() -> int"),
            ("list_uint_min_uint", "list(uint).() -> uint"),
            ("list_double_min_double", "list(double).() -> double"),
            ("list_bool_min_bool", "list(bool).() -> bool"),
            ("list_duration_min_duration", "list(duration).() -> duration"),
            ("list_timestamp_min_timestamp", "list(timestamp).() -> timestamp"),
            ("list_string_min_string", "list(string).() -> string"),
            ("list_bytes_min_bytes", "list(bytes).() -> bytes"),
        ],
    ),
    ("minor", &[("semver_minor", "kubernetes.Semver.() -> int")]),
    (
        "name",
        &[(
            "resourcecheck_name",
            "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
        )],
    ),
    (
        "namespace",
        &[(
            "resourcecheck_namespace",
            "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
        )],
    ),
    ("optional.none", &[("optional_none", "() -> optional_type(V)")]),
    ("optional.of", &[("optional_of", "(V) -> optional_type(V)")]),
    ("optional.ofNonZeroValue", &[("optional_ofNonZeroValue", "(V) -> optional_type(V)")]),
    ("optional.unwrap", &[("optional_unwrap", "(list(optional_type(V))) -> list(V)")]),
    ("or", &[("optional_or_optional", "optional_type(V).(optional_type(V)) -> optional_type(V)")]),
    ("orValue", &[("optional_orValue_value", "optional_type(V).(V) -> V")]),
    ("patch", &[("semver_patch", "kubernetes.Semver.() -> int")]),
    (
        "path",
        &[("authorizer_path", "kubernetes.authorization.Authorizer.(string) -> kubernetes.authorization.PathCheck")],
    ),
    ("prefixLength", &[("cidr_prefix_length", "net.CIDR.() -> int")]),
    ("quantity", &[("string_to_quantity", "(string) -> kubernetes.Quantity")]),
    ("reason", &[("decision_reason", "kubernetes.authorization.Decision.() -> string")]),
    (
        "replace",
        &[
            ("string_replace_string_string", "string.(string, string) -> string"),
            ("string_replace_string_string_int", "string.(string, string, int) -> string"),
        ],
    ),
    (
        "resource",
        &[(
            "groupcheck_resource",
            "kubernetes.authorization.GroupCheck.(string) -> kubernetes.authorization.ResourceCheck",
        )],
    ),
    ("reverse", &[("list_reverse", "list(T).() -> list(T)")]),
    (
        "semver",
        &[
            ("string_to_semver", "(string) -> kubernetes.Semver"),
            ("string_bool_to_semver", "(string, bool) -> kubernetes.Semver"),
        ],
    ),
    (
        "serviceAccount",
        &[(
            "authorizer_serviceaccount",
            "kubernetes.authorization.Authorizer.(string, string) -> kubernetes.authorization.Authorizer",
        )],
    ),
    ("sets.contains", &[("list_sets_contains_list", "(list(T), list(T)) -> bool")]),
    ("sets.equivalent", &[("list_sets_equivalent_list", "(list(T), list(T)) -> bool")]),
    ("sets.intersects", &[("list_sets_intersects_list", "(list(T), list(T)) -> bool")]),
    ("sign", &[("quantity_sign", "(kubernetes.Quantity) -> int")]),
    ("slice", &[("list_slice", "list(T).(int, int) -> list(T)")]),
    (
        "sort",
        &[
            ("list_int_sort", "list(int).() -> list(int)"),
            ("list_uint_sort", "list(uint).() -> list(uint)"),
            ("list_double_sort", "list(double).() -> list(double)"),
            ("list_bool_sort", "list(bool).() -> list(bool)"),
            ("list_google.protobuf.Duration_sort", "list(duration).() -> list(duration)"),
            ("list_google.protobuf.Timestamp_sort", "list(timestamp).() -> list(timestamp)"),
            ("list_string_sort", "list(string).() -> list(string)"),
            ("list_bytes_sort", "list(bytes).() -> list(bytes)"),
        ],
    ),
    (
        "split",
        &[
            ("string_split_string", "string.(string) -> list(string)"),
            ("string_split_string_int", "string.(string, int) -> list(string)"),
        ],
    ),
    ("string", &[("ip_to_string", "(net.IP) -> string"), ("cidr_to_string", "(net.CIDR) -> string")]),
    ("strings.quote", &[("strings_quote", "(string) -> string")]),
    (
        "sub",
        &[
            ("quantity_sub", "kubernetes.Quantity.(kubernetes.Quantity) -> kubernetes.Quantity"),
            ("quantity_sub_int", "kubernetes.Quantity.(int) -> kubernetes.Quantity"),
        ],
    ),
    (
        "subresource",
        &[(
            "resourcecheck_subresource",
            "kubernetes.authorization.ResourceCheck.(string) -> kubernetes.authorization.ResourceCheck",
        )],
    ),
    (
        "substring",
        &[
            ("string_substring_int", "string.(int) -> string"),
            ("string_substring_int_int", "string.(int, int) -> string"),
        ],
    ),
    (
        "sum",
        &[
            ("list_int_sum_int", "list(int).() -> int"),
            ("list_uint_sum_uint", "list(uint).() -> uint"),
            ("list_double_sum_double", "list(double).() -> double"),
            ("list_duration_sum_duration", "list(duration).() -> duration"),
        ],
    ),
    ("trim", &[("string_trim", "string.() -> string")]),
    ("unwrapOpt", &[("optional_unwrapOpt", "list(optional_type(V)).() -> list(V)")]),
    ("upperAscii", &[("string_upper_ascii", "string.() -> string")]),
    ("url", &[("string_to_url", "(string) -> kubernetes.URL")]),
    ("validate", &[("format-validate", "kubernetes.NamedFormat.(string) -> optional_type(list(string))")]),
    ("value", &[("optional_value", "optional_type(V).() -> V")]),
];
