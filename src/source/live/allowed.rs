//! Which requests may leave the program: an allow-list, so that what nobody thought of is refused.

use http::header::{HeaderMap, UPGRADE};
use http::{Method, Request, Uri};

use crate::world::kind::Kind;

/// Query parameters that reading needs. `watch` is a GET as well, and not among them.
const PARAMETERS: [&str; 4] = ["continue", "fieldSelector", "labelSelector", "limit"];

/// Checks a request.
///
/// # Errors
/// What is wrong with it, for a person.
pub(super) fn check<B>(request: &Request<B>) -> Result<(), String> {
    let refused = |what: &str| Err(format!("{} {}: {what}", request.method(), request.uri()));
    if request.method() != Method::GET {
        return refused("only GET requests are made");
    }
    if is_upgrade(request.headers()) {
        return refused("connections are not upgraded");
    }
    if !is_query_allowed(request.uri()) {
        return refused("this query is not made");
    }
    if !is_path_allowed(request.uri().path()) {
        return refused("this path is not read");
    }
    Ok(())
}

fn is_upgrade(headers: &HeaderMap) -> bool {
    let websocket = |name: &str| name.starts_with("sec-websocket");
    headers.contains_key(UPGRADE) || headers.keys().any(|name| websocket(name.as_str()))
}

fn is_query_allowed(uri: &Uri) -> bool {
    let parameters = uri.query().unwrap_or_default().split('&');
    parameters.filter(|p| !p.is_empty()).all(|parameter| {
        let name = parameter.split('=').next().unwrap_or_default();
        PARAMETERS.contains(&name)
    })
}

/// The version, discovery, lists of kinds that are read, and single objects of those kinds. Nothing
/// follows an object's name: `exec`, `attach`, `portforward` and `proxy` are GET requests too.
fn is_path_allowed(path: &str) -> bool {
    let Some(path) = path.strip_prefix('/') else {
        return false;
    };
    let segments: Vec<&str> = path.split('/').collect();
    if !segments.iter().all(|s| is_plain(s)) {
        return false;
    }
    match segments[..] {
        ["version"] | ["api" | "apis"] | ["api", "v1"] => true,
        ["apis", group, version] => is_group(group) && is_version(version),
        ["api", "v1", ref resource @ ..] => is_resource_allowed("", resource),
        ["apis", group, version, ref resource @ ..] => {
            is_version(version) && is_resource_allowed(group, resource)
        }
        _ => false,
    }
}

fn is_resource_allowed(group: &str, segments: &[&str]) -> bool {
    let find = |plural: &str, namespaced: bool| {
        let mut kinds = Kind::ALL.iter().filter(|k| k.group() == group);
        kinds.any(|k| k.plural() == plural && (k.is_namespaced() || !namespaced))
    };
    // Secrets are read one by one.
    let is_secret = |plural: &str| group.is_empty() && plural == Kind::Secret.plural();
    match segments {
        ["namespaces", _, plural] => find(plural, true) && !is_secret(plural),
        ["namespaces", _, plural, _] => find(plural, true),
        [plural] => find(plural, false) && !is_secret(plural),
        [plural, _] => Kind::ALL
            .iter()
            .any(|k| k.group() == group && k.plural() == *plural && !k.is_namespaced()),
        _ => false,
    }
}

/// Names of objects and groups need no escapes; an escape could hide a slash.
fn is_plain(segment: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b':' | b'_');
    !segment.is_empty() && segment != "." && segment != ".." && segment.bytes().all(plain)
}

fn is_group(group: &str) -> bool {
    Kind::ALL
        .iter()
        .any(|k| k.group() == group && !group.is_empty())
}

fn is_version(version: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let Some(rest) = version.strip_prefix('v') else {
        return false;
    };
    let stage = rest.find(|c: char| !c.is_ascii_digit());
    let (major, stage) = rest.split_at(stage.unwrap_or(rest.len()));
    let minor = stage
        .strip_prefix("alpha")
        .or_else(|| stage.strip_prefix("beta"));
    digits(major) && (stage.is_empty() || minor.is_some_and(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(uri: &str) -> Request<()> {
        Request::get(uri).body(()).unwrap()
    }

    #[test]
    fn what_reading_needs_passes() {
        for uri in [
            "/version",
            "/api",
            "/apis",
            "/apis/aigateway.envoyproxy.io/v1beta1",
            "/api/v1/pods?limit=500&labelSelector=a&continue=b",
            "/apis/apps/v1/deployments",
            "/apis/gateway.networking.k8s.io/v1/namespaces/a/gateways",
            "/apis/gateway.networking.k8s.io/v1/gatewayclasses/eg",
            "/api/v1/namespaces",
            "/api/v1/namespaces/team-a",
            "/api/v1/namespaces/team-a/secrets/key.with.dots",
            "https://127.0.0.1:6443/apis/apps/v1/deployments",
        ] {
            assert_eq!(check(&get(uri)), Ok(()), "{uri}");
        }
    }

    #[test]
    fn nothing_else_passes() {
        for uri in [
            "/",
            "/healthz",
            "/logs",
            "/metrics",
            "/openapi/v3",
            "/api/v2/pods",
            "/api/v1/secrets",
            "/api/v1/namespaces/team-a/secrets",
            "/api/v1/namespaces/team-a/secrets/",
            "/api/v1/watch/pods",
            "/api/v1/pods?watch=true",
            "/api/v1/pods?limit=5&watch=1",
            "/api/v1/pods?%77atch=true",
            "/api/v1/pods?follow",
            "/api/v1/namespaces/a/pods/b/exec",
            "/api/v1/namespaces/a/pods/b/attach",
            "/api/v1/namespaces/a/pods/b/portforward",
            "/api/v1/namespaces/a/pods/b/proxy",
            "/api/v1/namespaces/a/pods/b/log",
            "/api/v1/namespaces/a/services/b/proxy/x",
            "/api/v1/namespaces/a/serviceaccounts/b/token",
            "/api/v1/namespaces/a/serviceaccounts/b",
            "/api/v1/nodes/a/proxy",
            "/api/v1/proxy/nodes/a",
            "/apis/apps/v1/deployments/a",
            "/apis/apps/v1/namespaces/a/deployments/b/scale",
            "/apis/apps/v1x/deployments",
            "/apis/apps/deployments",
            "/apis/batch/v1",
            "/apis/batch/v1/jobs",
            "/apis//v1",
            "/api/v1/namespaces/../secrets",
            "/api/v1/namespaces/a%2Fsecrets",
            "/api/v1//pods",
        ] {
            assert!(check(&get(uri)).is_err(), "{uri}");
        }
    }

    #[test]
    fn other_methods_and_upgrades_do_not_pass() {
        for method in [
            "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "CONNECT", "TRACE",
        ] {
            let request = Request::builder().method(method).uri("/api/v1/pods");
            assert!(check(&request.body(()).unwrap()).is_err(), "{method}");
        }
        for header in ["upgrade", "sec-websocket-key", "Sec-WebSocket-Protocol"] {
            let request = Request::get("/api/v1/pods").header(header, "x");
            assert!(check(&request.body(()).unwrap()).is_err(), "{header}");
        }
    }
}
