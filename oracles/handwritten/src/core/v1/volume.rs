//! Volumes of a pod: each has a name of its own and exactly one source.

use super::names::validate_short_name;
use super::volume_claim::validate_ephemeral;
use super::volume_files::{validate_config_map, validate_downward_api, validate_secret};
use super::volume_projected::{TokenPaths, has_outside_token, validate_projected};
use super::volume_sources as sources;
use crate::types::core::v1::Volume;
use std::collections::BTreeMap;
use takeover_harness::error::{ErrorList, FieldError};
use takeover_harness::path::Path;

/// Most bytes of the name of a volume and its portal, which end up in one name with a colon between.
const PORTAL_LIMIT: usize = 64;

/// The volumes that containers can refer to: those without fault. As most pods have one or two, only many take a map.
#[derive(Default)]
pub(super) struct Mountable<'v> {
    few: [Option<&'v Volume<'v>>; 4],
    many: BTreeMap<&'v str, &'v Volume<'v>>,
}

impl<'v> Mountable<'v> {
    /// The volume of this name.
    pub(super) fn get(&self, name: &str) -> Option<&'v Volume<'v>> {
        let mut few = self.few.iter().map_while(|volume| *volume);
        few.find(|volume| volume.name == name).or_else(|| self.many.get(name).copied())
    }

    fn insert(&mut self, volume: &'v Volume<'v>) {
        match self.few.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some(volume),
            None => {
                self.many.insert(volume.name, volume);
            }
        }
    }
}

/// Checks the volumes of a pod template; `stored` are those of the stored template, none on create. Answers with the volumes
/// without fault, by name: those that containers can refer to.
pub(super) fn validate_volumes<'v>(
    volumes: &'v [Volume],
    stored: &[Volume],
    path: &Path<'_>,
    errors: &mut ErrorList,
) -> Mountable<'v> {
    let tokens = if has_outside_token(stored) { TokenPaths::Tolerated } else { TokenPaths::Checked };
    let mut names = Mountable::default();
    for (index, volume) in volumes.iter().enumerate() {
        let before = errors.len();
        let at = path.index(index);
        validate_source(volume, tokens, &at, errors);
        let name = at.child("name");
        if volume.name.is_empty() {
            errors.push(FieldError::required(&name, ""));
        } else {
            validate_short_name(volume.name, &name, errors);
        }
        if names.get(volume.name).is_some() {
            errors.push(FieldError::duplicate(&name, volume.name));
        }
        // Only a volume without fault takes its name.
        if errors.len() == before {
            names.insert(volume);
        }
    }
    names
}

/// The sources of one volume, of which the first is checked and every other refused.
struct OneSource<'a> {
    found: bool,
    path: &'a Path<'a>,
    errors: &'a mut ErrorList,
}

impl OneSource<'_> {
    /// A source that is checked and refused under its own name.
    fn or<S>(&mut self, source: Option<&S>, member: &str, check: impl FnOnce(&S, &Path<'_>, &mut ErrorList)) {
        self.or_named(source, [member, member], check);
    }

    /// A source that is checked under the first name and refused under the second.
    fn or_named<S>(
        &mut self,
        source: Option<&S>,
        [checked, refused]: [&str; 2],
        check: impl FnOnce(&S, &Path<'_>, &mut ErrorList),
    ) {
        let Some(source) = source else { return };
        if std::mem::replace(&mut self.found, true) {
            let detail = "may not specify more than 1 volume type";
            self.errors.push(FieldError::forbidden(&self.path.child(refused), detail));
        } else {
            check(source, &self.path.child(checked), self.errors);
        }
    }
}

/// Checks that a volume has one source, in Kubernetes' order, with the paths that Kubernetes gives: three differ from the
/// names of the members.
fn validate_source(volume: &Volume, tokens: TokenPaths, path: &Path<'_>, errors: &mut ErrorList) {
    let mut one = OneSource { found: false, path, errors };
    one.or(volume.empty_dir, "emptyDir", sources::validate_empty_dir);
    one.or(volume.host_path, "hostPath", sources::validate_host_path);
    one.or(volume.git_repo, "gitRepo", sources::validate_git_repo);
    let disk = ["persistentDisk", "gcePersistentDisk"];
    one.or_named(volume.gce_persistent_disk, disk, sources::validate_gce_disk);
    one.or(volume.aws_elastic_block_store, "awsElasticBlockStore", sources::validate_aws_disk);
    one.or(volume.secret, "secret", validate_secret);
    one.or(volume.nfs, "nfs", sources::validate_nfs);
    one.or(volume.iscsi, "iscsi", sources::validate_iscsi);
    if let Some(iscsi) = volume.iscsi
        && iscsi.initiator_name.is_some()
        && volume.name.len() + 1 + iscsi.target_portal.len() > PORTAL_LIMIT
    {
        let detail = "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if \
                      iscsi.initiatorName is specified.";
        one.errors.push(FieldError::invalid(&path.child("name"), volume.name, detail));
    }
    one.or(volume.glusterfs, "glusterfs", sources::validate_glusterfs);
    one.or(volume.flocker, "flocker", sources::validate_flocker);
    one.or(volume.persistent_volume_claim, "persistentVolumeClaim", |claim, path, errors| {
        sources::require(claim.claim_name, "claimName", path, errors);
    });
    one.or(volume.rbd, "rbd", sources::validate_rbd);
    one.or(volume.cinder, "cinder", sources::validate_cinder);
    one.or_named(volume.cephfs, ["cephfs", "cephFS"], sources::validate_cephfs);
    one.or(volume.quobyte, "quobyte", sources::validate_quobyte);
    one.or_named(volume.downward_api, ["downwardAPI", "downwarAPI"], validate_downward_api);
    one.or(volume.fc, "fc", sources::validate_fc);
    one.or(volume.flex_volume, "flexVolume", sources::validate_flex_volume);
    one.or(volume.config_map, "configMap", validate_config_map);
    one.or(volume.azure_file, "azureFile", sources::validate_azure_file);
    one.or(volume.vsphere_volume, "vsphereVolume", |disk, path, errors| {
        sources::require(disk.volume_path, "volumePath", path, errors);
    });
    one.or(volume.photon_persistent_disk, "photonPersistentDisk", |disk, path, errors| {
        sources::require(disk.pd_id, "pdID", path, errors);
    });
    one.or(volume.portworx_volume, "portworxVolume", |disk, path, errors| {
        sources::require(disk.volume_id, "volumeID", path, errors);
    });
    one.or(volume.azure_disk, "azureDisk", sources::validate_azure_disk);
    one.or(volume.storageos, "storageos", sources::validate_storageos);
    one.or(volume.projected, "projected", |projected, path, errors| {
        validate_projected(projected, tokens, path, errors);
    });
    one.or(volume.scale_io, "scaleIO", sources::validate_scale_io);
    one.or(volume.csi, "csi", sources::validate_csi);
    one.or(volume.ephemeral, "ephemeral", validate_ephemeral);
    one.or(volume.image, "image", sources::validate_image);
    if !one.found {
        one.errors.push(FieldError::required(path, "must specify a volume type"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The errors of a list of volumes: type, field and detail.
    fn errors_of(volumes: &Value, stored: &Value) -> Vec<String> {
        let (volumes, stored): (&[Volume<'_>], &[Volume<'_>]) =
            (crate::types::read_json(volumes), crate::types::read_json(stored));
        let mut errors = ErrorList::new();
        validate_volumes(volumes, stored, &Path::ROOT.child("v"), &mut errors);
        let line = |error: &FieldError| {
            format!("{:?} {} {}", error.error_type, error.field, error.detail).trim_end().to_owned()
        };
        errors.iter().map(line).collect()
    }

    /// Every row is a source under its name, and the starts of its errors.
    fn check(rows: &[(Value, &[&str])]) {
        for (source, expected) in rows {
            let mut volume = source.clone();
            volume.as_object_mut().expect("a source").insert("name".to_owned(), json!("a"));
            let found = errors_of(&json!([volume]), &json!([]));
            assert_eq!(found.len(), expected.len(), "{source}: {found:?}");
            for (found, expected) in found.iter().zip(*expected) {
                assert!(found.starts_with(expected), "{source}: {found}");
            }
        }
    }

    #[test]
    fn volumes_have_names_of_their_own() {
        for (volumes, expected) in [
            (json!([{"name": "a", "emptyDir": {}}, {"name": "b", "emptyDir": {}}]), &[][..]),
            (json!([{"name": "a", "emptyDir": {}}, {"name": "a", "emptyDir": {}}]), &["Duplicate v[1].name"]),
            // A volume with a fault does not take its name.
            (
                json!([{"name": "a", "nfs": {"path": "/"}}, {"name": "a", "emptyDir": {}}]),
                &["Required v[0].nfs.server"],
            ),
            (json!([{"name": "", "emptyDir": {}}]), &["Required v[0].name"]),
            (json!([{"name": "a.b", "emptyDir": {}}]), &["Invalid v[0].name must not contain dots"]),
        ] {
            assert_eq!(errors_of(&volumes, &json!([])), expected, "{volumes}");
        }
    }

    #[test]
    fn a_volume_has_one_source() {
        let twice = "may not specify more than 1 volume type";
        check(&[
            (json!({}), &["Required v[0] must specify a volume type"]),
            (json!({"emptyDir": {}, "secret": {}}), &[&format!("Forbidden v[0].secret {twice}")]),
            (json!({"emptyDir": {}, "cephfs": {}}), &[&format!("Forbidden v[0].cephFS {twice}")]),
            (json!({"emptyDir": {}, "downwardAPI": {}}), &[&format!("Forbidden v[0].downwarAPI {twice}")]),
            (json!({"emptyDir": {}, "gcePersistentDisk": {}}), &[&format!("Forbidden v[0].gcePersistentDisk {twice}")]),
        ]);
    }

    #[test]
    fn local_sources_are_checked() {
        check(&[
            (json!({"emptyDir": {"sizeLimit": "0"}}), &[]),
            (json!({"emptyDir": {"sizeLimit": "-1"}}), &["Forbidden v[0].emptyDir.sizeLimit SizeLimit field"]),
            (json!({"hostPath": {"path": "/a", "type": ""}}), &[]),
            (json!({"hostPath": {"type": "X"}}), &["Required v[0].hostPath.path"]),
            (
                json!({"hostPath": {"path": "/a/../b", "type": "X"}}),
                &["Invalid v[0].hostPath.path must not contain '..'", "NotSupported v[0].hostPath.type"],
            ),
            (
                json!({"gitRepo": {"directory": "/a"}}),
                &["Required v[0].gitRepo.repository", "Invalid v[0].gitRepo.directory must be a relative path"],
            ),
            (json!({"image": {"pullPolicy": "Never"}}), &[]),
            (json!({"image": {"reference": "a"}}), &["Required v[0].image.pullPolicy"]),
            (json!({"image": {"pullPolicy": "X"}}), &["NotSupported v[0].image.pullPolicy"]),
            (json!({"csi": {"driver": "a", "nodePublishSecretRef": {"name": "b"}}}), &[]),
            (
                json!({"csi": {"nodePublishSecretRef": {}}}),
                &["Required v[0].csi.driver", "Required v[0].csi.nodePublishSecretRef.name"],
            ),
            (json!({"csi": {"driver": "a", "nodePublishSecretRef": {"name": "B"}}}), &["Invalid v[0].csi.name"]),
            (json!({"persistentVolumeClaim": {}}), &["Required v[0].persistentVolumeClaim.claimName"]),
            (
                json!({"flexVolume": {"driver": "d", "options": {"a": "", "x.K8s.io/a": "", "kubernetes.io": ""}}}),
                &["Invalid v[0].flexVolume.options[kubernetes.io]", "Invalid v[0].flexVolume.options[x.K8s.io/a]"],
            ),
        ]);
    }

    #[test]
    fn network_sources_are_checked() {
        let iscsi = |iqn: &str| json!({"iscsi": {"targetPortal": "1.2.3.4", "iqn": iqn}});
        let (long, malformed) = ("a".repeat(65), &["Invalid v[0].iscsi.iqn must be valid format"][..]);
        check(&[
            (
                json!({"nfs": {}}),
                &[
                    "Required v[0].nfs.server",
                    "Required v[0].nfs.path",
                    "Invalid v[0].nfs.path must be an absolute path",
                ],
            ),
            (iscsi("iqn.2014-12.example.server:storage.target00"), &[]),
            (iscsi("iqn.x.iqn.2014-12.example:a:b"), &[]),
            (iscsi("eui.0123456789abcdef"), &[]),
            (iscsi(&format!("naa.{}", "0".repeat(32))), &[]),
            (iscsi("iqn.2014-12.example"), malformed),
            (iscsi("iqn.2014-1.example:a"), malformed),
            (iscsi("iqn.2014-12.example:a b"), malformed),
            (iscsi("iqn.2014-12."), malformed),
            (iscsi("eui.0123456789abcde"), malformed),
            (iscsi("naa.0123456789abcdef"), malformed),
            (iscsi("日本"), &["Invalid v[0].iscsi.iqn must be valid format starting with iqn, eui, or naa"]),
            (
                json!({"iscsi": {"lun": 256, "chapAuthSession": true, "initiatorName": "x"}}),
                &[
                    "Required v[0].iscsi.targetPortal",
                    "Required v[0].iscsi.iqn",
                    "Invalid v[0].iscsi.lun must be between 0 and 255, inclusive",
                    "Required v[0].iscsi.secretRef",
                    "Invalid v[0].iscsi.initiatorname must be valid format starting with iqn",
                ],
            ),
            (
                json!({"iscsi": {"targetPortal": long, "iqn": "iqn.2014-12.a:b", "initiatorName": "iqn.2014-12.a:b"}}),
                &["Invalid v[0].name Total length of <volume name>:<iscsi.targetPortal>"],
            ),
            (json!({"glusterfs": {}}), &["Required v[0].glusterfs.endpoints", "Required v[0].glusterfs.path"]),
            (json!({"rbd": {}}), &["Required v[0].rbd.monitors", "Required v[0].rbd.image"]),
            (json!({"cephfs": {}}), &["Required v[0].cephfs.monitors"]),
            (json!({"quobyte": {"registry": "a:1,[::1]:2,:", "volume": "v"}}), &[]),
            (json!({"quobyte": {}}), &["Required v[0].quobyte.registry", "Required v[0].quobyte.volume"]),
            (json!({"quobyte": {"registry": "a,::1:2,[a:1", "volume": "v"}}), &["Invalid v[0].quobyte.registry"; 3]),
            (json!({"quobyte": {"registry": "a", "tenant": long, "volume": "v"}}), &["Required v[0].quobyte.tenant"]),
            (json!({"fc": {"wwids": ["a"]}}), &[]),
            (json!({"fc": {}}), &["Required v[0].fc.targetWWNs must specify either"]),
            (
                json!({"fc": {"targetWWNs": ["a"], "wwids": ["a"]}}),
                &["Invalid v[0].fc.targetWWNs targetWWNs and wwids", "Required v[0].fc.lun"],
            ),
            (json!({"fc": {"targetWWNs": ["a"], "lun": -1}}), &["Invalid v[0].fc.lun"]),
            (json!({"flocker": {}}), &["Required v[0].flocker one of"]),
            (
                json!({"flocker": {"datasetName": "a/b", "datasetUUID": "c"}}),
                &["Invalid v[0].flocker datasetName", "Invalid v[0].flocker.datasetName must not contain '/'"],
            ),
            (
                json!({"storageos": {"volumeNamespace": "A", "secretRef": {}}}),
                &[
                    "Required v[0].storageos.volumeName",
                    "Invalid v[0].storageos.volumeNamespace",
                    "Required v[0].storageos.secretRef.name",
                ],
            ),
        ]);
    }

    #[test]
    fn disks_of_clouds_are_checked() {
        let partition = "partition must be between 1 and 255, inclusive";
        let azure = |kind: &str, uri: &str| json!({"azureDisk": {"diskName": "d", "diskURI": uri, "kind": kind}});
        check(&[
            (json!({"gcePersistentDisk": {"pdName": "d", "partition": 0}}), &[]),
            (
                json!({"gcePersistentDisk": {"partition": 256}}),
                &["Required v[0].persistentDisk.pdName", &format!("Invalid v[0].persistentDisk.{partition}")],
            ),
            (
                json!({"awsElasticBlockStore": {"partition": -1}}),
                &[
                    "Required v[0].awsElasticBlockStore.volumeID",
                    &format!("Invalid v[0].awsElasticBlockStore.{partition}"),
                ],
            ),
            (
                json!({"cinder": {"secretRef": {}}}),
                &["Required v[0].cinder.volumeID", "Required v[0].cinder.secretRef.name"],
            ),
            (json!({"azureFile": {}}), &["Required v[0].azureFile.secretName", "Required v[0].azureFile.shareName"]),
            (azure("Shared", "https://a"), &[]),
            (azure("Managed", "/subscriptions/a"), &[]),
            (
                azure("Managed", "https://a"),
                &["NotSupported v[0].azureDisk.diskURI supported values: \"/subscriptions/"],
            ),
            (azure("X", "https://a"), &["NotSupported v[0].azureDisk.kind supported values: \"Dedicated\""]),
            (
                json!({"azureDisk": {"cachingMode": "X"}}),
                &[
                    "Required v[0].azureDisk.diskName",
                    "Required v[0].azureDisk.diskURI",
                    "NotSupported v[0].azureDisk.cachingMode",
                ],
            ),
            (json!({"vsphereVolume": {}}), &["Required v[0].vsphereVolume.volumePath"]),
            (json!({"photonPersistentDisk": {}}), &["Required v[0].photonPersistentDisk.pdID"]),
            (json!({"portworxVolume": {}}), &["Required v[0].portworxVolume.volumeID"]),
            (
                json!({"scaleIO": {"gateway": "g"}}),
                &["Required v[0].scaleIO.system", "Required v[0].scaleIO.volumeName"],
            ),
        ]);
    }

    #[test]
    fn a_token_may_stay_outside_of_its_volume() {
        let token = |path: &str| {
            let source = json!({"serviceAccountToken": {"path": path, "expirationSeconds": 600}});
            json!([{"name": "a", "projected": {"sources": [source]}}])
        };
        let found = errors_of(&token("../a"), &token("a"));
        assert_eq!(found, ["Invalid v[0].projected.path must not contain '..'"]);
        assert_eq!(errors_of(&token("../a"), &token("/a")), [""; 0]);
    }
}
