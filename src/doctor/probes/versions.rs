//! Versions of the controller, of Kubernetes, and the CRDs.

use crate::doctor::case::Case;
use crate::doctor::probe::Diagnosis;
use crate::world::coverage::resource;
use crate::world::kind::Kind;

/// The controller's version is one that is known.
///
/// Every other answer is given for a version of the controller, read from the tag of its image or the
/// labels of its chart. A version that is not known is answered as the newest known one, so the
/// answers may be wrong: give `--controller-version`.
pub(in crate::doctor) fn controller_version(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::Deployment) {
        return Vec::new();
    }
    if case.controllers().is_empty() {
        let text = format!(
            "there is no controller; answered as {}",
            case.options.version
        );
        return vec![Diagnosis::note(text)];
    }
    let found = case.findings.iter().find(|f| f.code == "unknown-version");
    let found = found.map(|finding| {
        let mut diagnosis = Diagnosis::unknown(&finding.message)
            .fix("aigwctl doctor … --controller-version VERSION");
        diagnosis.object = finding.object.as_ref().map(ToString::to_string);
        diagnosis
    });
    found.into_iter().collect()
}

/// The AI Gateway's CRDs are installed and serve the version that the controller reads.
///
/// They come from a chart of their own, which must be upgraded before the controller: with old CRDs
/// the API server drops fields it does not know, or the controller cannot watch `v1beta1` at all and
/// exits.
pub(in crate::doctor) fn crds_served(case: &Case<'_>) -> Vec<Diagnosis> {
    if !case.reads(Kind::CustomResourceDefinition) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for kind in Kind::ALL.iter().filter(|kind| kind.is_ai_gateway()) {
        let name = resource(*kind);
        let version = if *kind == Kind::QuotaPolicy {
            "v1alpha1"
        } else {
            "v1beta1"
        };
        let install = "helm upgrade -i aieg-crd oci://docker.io/envoyproxy/ai-gateway-crds-helm \
                       --version VERSION";
        let Some(crd) = case.world.get(Kind::CustomResourceDefinition, "", &name) else {
            let text = format!("the CRD {name} is not installed");
            all.push(
                Diagnosis::failure(text)
                    .about_name(Kind::CustomResourceDefinition, "", &name)
                    .so("the controller cannot start")
                    .fix(install),
            );
            continue;
        };
        let mut versions = crd.spec().get("versions").items();
        let served = versions
            .any(|v| v.get("name").str() == Some(version) && v.get("served").bool() == Some(true));
        if !served {
            let text = format!("the CRD {name} does not serve {version}");
            all.push(
                Diagnosis::failure(text)
                    .about(crd)
                    .seen(crd, "spec.versions", "no served version of that name")
                    .so("the controller cannot watch the kind")
                    .fix(install),
            );
        }
        let stored = crd.field().get("status").get("storedVersions");
        if stored.items().any(|v| v.str() == Some("v1alpha1")) && version == "v1beta1" {
            let text = format!("objects of {name} may still be stored as v1alpha1");
            all.push(Diagnosis::note(text).about(crd).seen(
                crd,
                "status.storedVersions",
                "v1alpha1",
            ));
        }
    }
    all
}

/// The controller reads the version of Kubernetes as a plain number.
///
/// From 1.33 on the sidecar is an init container that is restarted. A minor version such as `33+` is
/// no number to the controller, and the sidecar is put among the ordinary containers instead: it is
/// not missing, only elsewhere.
pub(in crate::doctor) fn kubernetes_version(case: &Case<'_>) -> Vec<Diagnosis> {
    let Some(version) = &case.world.kubernetes_version else {
        let text = "the version of Kubernetes is not in the input; 1.33 or newer is assumed";
        return vec![Diagnosis::note(text).fix("kubectl get --raw /version > version.json")];
    };
    if version.minor.parse::<u32>().is_ok() && version.major.parse::<u32>().is_ok() {
        return Vec::new();
    }
    let text = format!(
        "the controller cannot read the version {}.{} of Kubernetes",
        version.major, version.minor
    );
    vec![
        Diagnosis::note(text)
            .saw("version.json", "minor", &version.minor)
            .so("the sidecar is put into containers, not into initContainers"),
    ]
}
