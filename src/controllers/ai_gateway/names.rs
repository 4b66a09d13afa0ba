//! Names of the Secrets and volumes of a Gateway.
//!
//! Answers for the controller's Secret and volume names; `truncate_and_append` is its rule for names
//! that may be too long.

use sha2::{Digest, Sha256};

/// The longest name of a Secret.
pub const MAX_SECRET_NAME: usize = 253;
/// The longest name of a volume.
const MAX_VOLUME_NAME: usize = 63;
/// How many parts a bundle has at most.
pub const MAX_PARTS: usize = 8;

/// The names that belong to one Gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    base: String,
    hash: String,
}

impl Names {
    /// The names of a Gateway.
    pub fn of(namespace: &str, name: &str) -> Self {
        let digest = Sha256::digest(format!("{namespace}/{name}"));
        let hash = digest[..6].iter().map(|b| format!("{b:02x}")).collect();
        Names {
            base: format!("{name}-{namespace}"),
            hash,
        }
    }

    /// The Secret with the whole document: the only one of v1.0.0, the legacy one of v1.1.0.
    pub fn legacy_secret(&self) -> &str {
        &self.base
    }

    /// The Secret with the bundle's index.
    pub fn index_secret(&self) -> String {
        truncate_and_append(&self.base, &self.hash, MAX_SECRET_NAME)
    }

    /// The Secret with part `index`.
    pub fn part_secret(&self, index: usize) -> String {
        let tail = format!("{}-part-{index:03}", self.hash);
        let room = MAX_SECRET_NAME - tail.len() - 1;
        match cut(&self.base, room).trim_end_matches('-') {
            "" => tail,
            base => format!("{base}-{tail}"),
        }
    }

    /// The volume of the bundle.
    pub fn bundle_volume(&self) -> String {
        let suffix = "-bundle";
        let room = MAX_VOLUME_NAME - suffix.len();
        truncate_and_append(&format!("ai-gateway-{}", self.base), &self.hash, room) + suffix
    }

    /// The volume of the legacy Secret as v1.1.0 names it.
    pub fn legacy_volume(&self) -> String {
        truncate_and_append(
            &format!("ai-gateway-{}", self.base),
            &self.hash,
            MAX_VOLUME_NAME,
        )
    }

    /// The volume of the Secret as v1.0.0 names it, however long.
    pub fn plain_volume(&self) -> String {
        format!("ai-gateway-{}", self.base)
    }
}

/// The path of a part in the bundle's index and in the pod.
pub fn part_path(index: usize) -> String {
    format!("parts/{index:03}")
}

/// A header's name in lower case as Go's `strings.ToLower` gives it: each character by itself, so that
/// a final sigma stays an ordinary one and `İ` becomes `i`.
pub fn header_name(text: &str) -> String {
    text.chars()
        .filter_map(|c| c.to_lowercase().next())
        .collect()
}

fn truncate_and_append(base: &str, hash: &str, max: usize) -> String {
    let base = base.trim_matches('-');
    if base.len() + 1 + hash.len() <= max {
        return format!("{base}-{hash}");
    }
    match cut(base, max.saturating_sub(1 + hash.len())).trim_matches('-') {
        "" => hash.to_string(),
        cut => format!("{cut}-{hash}"),
    }
}

/// The first `len` bytes; names are ASCII, anything else is cut at the character before.
fn cut(text: &str, len: usize) -> &str {
    let mut end = len.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_an_ordinary_gateway() {
        let names = Names::of("default", "gw");
        assert_eq!(names.legacy_secret(), "gw-default");
        assert_eq!(names.index_secret(), "gw-default-3d45476e8d68");
        assert_eq!(names.part_secret(0), "gw-default-3d45476e8d68-part-000");
        assert_eq!(
            names.bundle_volume(),
            "ai-gateway-gw-default-3d45476e8d68-bundle"
        );
        assert_eq!(names.legacy_volume(), "ai-gateway-gw-default-3d45476e8d68");
        assert!(
            Names::of("ns1", "gateway")
                .index_secret()
                .ends_with("c6d39be275c7")
        );
    }

    #[test]
    fn header_names_are_put_in_lower_case_one_character_at_a_time() {
        assert_eq!(header_name("X-Team"), "x-team");
        assert_eq!(header_name("İ-ΑΣ"), "i-ασ");
    }

    #[test]
    fn names_that_are_too_long_are_cut_before_the_hash() {
        let long = Names::of("default", &"gw".repeat(300));
        assert_eq!(
            long.index_secret(),
            format!("{}-5751046a2499", "gw".repeat(120))
        );
        let long = Names::of("default", &"gw".repeat(200));
        let expected = format!("{}g-32c5e16657f8-part-005", "gw".repeat(115));
        assert_eq!(long.part_secret(5), expected);
    }
}
