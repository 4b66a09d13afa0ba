//! What the webhook's certificate says.

use jiff::Timestamp;
use x509_parser::extensions::GeneralName;
use x509_parser::pem::Pem;
use x509_parser::prelude::X509Certificate;

/// A certificate, as far as the API server looks at it.
#[derive(Debug)]
pub(super) struct Certificate {
    der: Vec<u8>,
    /// From when it is valid.
    pub(super) not_before: Option<Timestamp>,
    /// Until when it is valid.
    pub(super) not_after: Option<Timestamp>,
    /// The DNS names that it is for.
    pub(super) names: Vec<String>,
}

/// The certificates of a PEM text. `None` when there is none, or one cannot be read.
pub(super) fn read(pem: &[u8]) -> Option<Vec<Certificate>> {
    let mut all = Vec::new();
    for block in Pem::iter_from_buffer(pem) {
        let block = block.ok()?;
        if block.label == "CERTIFICATE" {
            all.push(Certificate::of(block.contents)?);
        }
    }
    (!all.is_empty()).then_some(all)
}

impl Certificate {
    fn of(der: Vec<u8>) -> Option<Self> {
        let parsed = parse(&der)?;
        let time = |t: x509_parser::time::ASN1Time| Timestamp::from_second(t.timestamp()).ok();
        let names = parsed.subject_alternative_name().ok().flatten();
        let names = names.iter().flat_map(|n| &n.value.general_names);
        Some(Certificate {
            not_before: time(parsed.validity().not_before),
            not_after: time(parsed.validity().not_after),
            names: names
                .filter_map(|name| match name {
                    GeneralName::DNSName(name) => Some(name.to_string()),
                    _ => None,
                })
                .collect(),
            der,
        })
    }

    /// Whether one of the authorities has signed it, or is this very certificate. `chain` are the
    /// certificates that are served with it.
    pub(super) fn is_signed_by(&self, authorities: &[Certificate], chain: &[Certificate]) -> bool {
        let mut at = self;
        // A chain is no longer than the certificates there are.
        for _ in 0..=chain.len() {
            if authorities
                .iter()
                .any(|a| a.der == at.der || a.has_signed(at))
            {
                return true;
            }
            match chain.iter().find(|c| c.der != at.der && c.has_signed(at)) {
                Some(issuer) => at = issuer,
                None => return false,
            }
        }
        false
    }

    fn has_signed(&self, other: &Certificate) -> bool {
        let (Some(own), Some(other)) = (parse(&self.der), parse(&other.der)) else {
            return false;
        };
        own.subject().as_raw() == other.issuer().as_raw()
            && other.verify_signature(Some(own.public_key())).is_ok()
    }

    /// Whether it is for a host. A `*` stands for one label.
    pub(super) fn is_for(&self, host: &str) -> bool {
        let rest = host.split_once('.').map(|(_, rest)| rest);
        self.names.iter().any(|name| {
            let wild = name.strip_prefix("*.");
            name.eq_ignore_ascii_case(host)
                || wild.is_some_and(|w| rest.is_some_and(|rest| rest.eq_ignore_ascii_case(w)))
        })
    }
}

fn parse(der: &[u8]) -> Option<X509Certificate<'_>> {
    x509_parser::parse_x509_certificate(der)
        .ok()
        .map(|(_, c)| c)
}
