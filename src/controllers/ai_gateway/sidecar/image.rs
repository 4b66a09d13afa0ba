//! The sidecar's image.

use super::super::origin::Origin;
use super::super::part::{Leaf, Part, Scalar};
use super::super::settings::Settings;
use super::super::settings::flags::Id;

/// The image with the GatewayConfig's changes applied: its `image`, else its `imageRepository` with
/// the tag or digest of the flag's image, else the flag's image.
pub fn image<'w>(settings: &Settings<'w>, ext_proc: &Part<'w>) -> Part<'w> {
    let member = |key: &str| {
        ext_proc
            .get("kubernetes")
            .and_then(|kubernetes| kubernetes.get(key))
    };
    if let Some(image) = member("image") {
        return image.clone();
    }
    let base = settings.image();
    match member("imageRepository") {
        Some(Part::Leaf(Leaf {
            value: Scalar::Text(repository),
            origin,
            ..
        })) if !repository.is_empty() => {
            let text = format!("{repository}{}", suffix(base));
            Part::leaf(Scalar::Text(text.into()), composed(origin))
        }
        _ => Part::setting(base.to_string(), settings, Id::ExtProcImage),
    }
}

fn composed<'w>(origin: &Origin<'w>) -> Origin<'w> {
    Origin {
        rule: super::super::origin::Rule::Composed,
        ..origin.clone()
    }
}

/// The digest of an image, else its tag, with the separator. A colon before the last slash belongs
/// to a port.
fn suffix(image: &str) -> &str {
    if let Some(at) = image.find('@') {
        return &image[at..];
    }
    match image.rfind(':') {
        Some(at) if image.rfind('/').is_none_or(|slash| slash < at) => &image[at..],
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::suffix;

    #[test]
    fn the_suffix_is_the_digest_or_the_tag() {
        for (image, expected) in [
            ("docker.io/envoyproxy/ai-gateway-extproc:v1.1.0", ":v1.1.0"),
            ("img", ""),
            ("img:1", ":1"),
            ("localhost:5000/foo", ""),
            ("localhost:5000/foo:2", ":2"),
            ("repo@sha256:ab", "@sha256:ab"),
            ("repo:tag@sha256:ab", "@sha256:ab"),
            ("", ""),
        ] {
            assert_eq!(suffix(image), expected, "{image}");
        }
    }
}
