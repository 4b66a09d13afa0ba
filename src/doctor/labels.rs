//! Label selectors as the API server matches them.

use crate::world::field::Field;

/// Whether a selector matches labels. An absent or empty one matches everything; one with an operator
/// that does not exist matches nothing.
pub(super) fn matches<'l>(selector: &Field<'_>, label: &dyn Fn(&str) -> Option<&'l str>) -> bool {
    let mut wanted = selector.get("matchLabels").entries();
    let mut expressions = selector.get("matchExpressions").items();
    wanted.all(|(key, value)| label(key) == value.str())
        && expressions.all(|e| {
            let has = label(e.get("key").str_or_empty());
            let among = || e.get("values").items().any(|v| v.str() == has);
            match e.get("operator").str_or_empty() {
                "In" => has.is_some() && among(),
                "NotIn" => has.is_none() || !among(),
                "Exists" => has.is_some(),
                "DoesNotExist" => has.is_none(),
                _ => false,
            }
        })
}

/// The first requirement of a selector that labels do not meet, as text.
pub(super) fn unmet<'l>(
    selector: &Field<'_>,
    label: &dyn Fn(&str) -> Option<&'l str>,
) -> Option<String> {
    for (key, value) in selector.get("matchLabels").entries() {
        if label(key) != value.str() {
            return Some(format!("{key}={}", value.str_or_empty()));
        }
    }
    (!matches(selector, label)).then(|| {
        let expressions = selector.get("matchExpressions").items();
        let texts = expressions.map(|e| {
            let values: Vec<_> = e.get("values").items().map(|v| v.str_or_empty()).collect();
            let (key, operator) = (e.get("key"), e.get("operator"));
            format!(
                "{} {} [{}]",
                key.str_or_empty(),
                operator.str_or_empty(),
                values.join(", ")
            )
        });
        texts.collect::<Vec<_>>().join(", ")
    })
}
