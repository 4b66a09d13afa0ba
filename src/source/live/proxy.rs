//! Which proxy leads to a cluster, as `kubectl` finds it.

use std::net::IpAddr;

use http::Uri;

/// The proxy for a server: what the kubeconfig says, else the environment unless `NO_PROXY` or a
/// loopback address speaks against it.
///
/// # Errors
/// The text of the proxy when it is no URL.
pub(super) fn proxy(
    server: &Uri,
    configured: Option<&str>,
    environment: impl Fn(&str) -> Option<String>,
) -> Result<Option<Uri>, String> {
    let read = |text: &str| text.parse::<Uri>().map_err(|_| text.to_string()).map(Some);
    if let Some(text) = configured.filter(|text| !text.is_empty()) {
        return read(text);
    }
    let variable = |name: &str| {
        let value = environment(&name.to_uppercase()).filter(|v| !v.is_empty());
        value.or_else(|| environment(name).filter(|v| !v.is_empty()))
    };
    let name = match server.scheme_str() {
        Some("http") => "http_proxy",
        _ => "https_proxy",
    };
    let Some(proxy) = variable(name) else {
        return Ok(None);
    };
    let exempt = variable("no_proxy").unwrap_or_default();
    let host = server.host().unwrap_or_default();
    if is_loopback(host) || is_exempt(host, port(server), &exempt) {
        return Ok(None);
    }
    match proxy.contains("://") {
        true => read(&proxy),
        false => read(&format!("http://{proxy}")),
    }
}

fn port(server: &Uri) -> u16 {
    let default = match server.scheme_str() {
        Some("http") => 80,
        _ => 443,
    };
    server.port_u16().unwrap_or(default)
}

fn address(host: &str) -> Option<IpAddr> {
    host.trim_matches(['[', ']']).parse().ok()
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || address(host).is_some_and(|a| a.is_loopback())
}

fn is_exempt(host: &str, port: u16, list: &str) -> bool {
    let entries = list.split(',').map(str::trim).filter(|e| !e.is_empty());
    entries
        .into_iter()
        .any(|entry| entry == "*" || matches(&host.to_lowercase(), port, &entry.to_lowercase()))
}

fn matches(host: &str, port: u16, entry: &str) -> bool {
    if let Some(own) = address(host) {
        return match entry.split_once('/') {
            Some((network, bits)) => in_network(own, network, bits),
            None => address(entry) == Some(own),
        };
    }
    let entry = match entry.rsplit_once(':') {
        Some((name, own)) if own.parse() == Ok(port) => name,
        Some(_) => return false,
        None => entry,
    };
    let domain = entry.trim_start_matches("*.").trim_start_matches('.');
    let below = host
        .strip_suffix(domain)
        .is_some_and(|rest| rest.ends_with('.'));
    below || (host == domain && !entry.starts_with(['.', '*']))
}

fn in_network(address: IpAddr, network: &str, bits: &str) -> bool {
    let (Ok(network), Ok(bits)) = (network.parse::<IpAddr>(), bits.parse::<u32>()) else {
        return false;
    };
    let wide = |address: IpAddr| match address {
        IpAddr::V4(a) => (u128::from(u32::from(a)) << 96, 32),
        IpAddr::V6(a) => (u128::from(a), 128),
    };
    let ((address, length), (network, other)) = (wide(address), wide(network));
    let mask = u128::MAX.checked_shl(128 - bits.min(128)).unwrap_or(0);
    length == other && bits <= length && (address ^ network) & mask == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(server: &str, configured: Option<&str>, environment: &[(&str, &str)]) -> String {
        let server = server.parse().unwrap();
        let look = |name: &str| {
            let mut pairs = environment.iter();
            pairs
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.to_string())
        };
        let found = proxy(&server, configured, look).unwrap();
        found.map(|uri| uri.to_string()).unwrap_or_default()
    }

    #[test]
    fn the_kubeconfig_wins_then_the_environment() {
        let both = [("HTTPS_PROXY", "http://env:1"), ("NO_PROXY", "*")];
        assert_eq!(
            found("https://c", Some("http://own:1"), &both),
            "http://own:1/"
        );
        assert_eq!(found("https://c", None, &both), "");
        assert_eq!(found("https://c", None, &both[..1]), "http://env:1/");
        assert_eq!(
            found("https://c", None, &[("https_proxy", "env:1")]),
            "http://env:1/"
        );
        assert_eq!(found("http://c", None, &both[..1]), "");
        assert_eq!(found("https://127.0.0.1:6443", None, &both[..1]), "");
        assert_eq!(found("https://localhost:6443", None, &both[..1]), "");
    }

    #[test]
    fn exemptions_are_names_domains_addresses_and_networks() {
        for (host, list, exempt) in [
            ("api.example.com", "example.com", true),
            ("api.example.com", ".example.com", true),
            ("api.example.com", "*.example.com", true),
            ("example.com", "example.com", true),
            ("example.com", ".example.com", false),
            ("badexample.com", "example.com", false),
            ("api.example.com", "other, API.example.com", true),
            ("api.example.com", "api.example.com:6443", true),
            ("api.example.com", "api.example.com:443", false),
            ("10.1.2.3", "10.0.0.0/8", true),
            ("10.1.2.3", "10.1.2.4/31", false),
            ("10.1.2.3", "10.1.2.3", true),
            ("10.1.2.3", "0.0.0.0/0", true),
            ("[fd00::1]", "fd00::/8", true),
            ("10.1.2.3", "fd00::/8", false),
        ] {
            assert_eq!(is_exempt(host, 6443, list), exempt, "{host} {list}");
        }
    }
}
