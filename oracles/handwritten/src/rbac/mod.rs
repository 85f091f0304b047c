//! `rbac.authorization.k8s.io`.

mod bindings;
mod cluster_role;
mod cluster_role_binding;
mod role;
mod role_binding;
mod rules;

pub use cluster_role::ClusterRoles;
pub use cluster_role_binding::{ClusterRoleBindings, ClusterRoleBindingsV1alpha1};
pub use role::Roles;
pub use role_binding::{RoleBindings, RoleBindingsV1alpha1};
