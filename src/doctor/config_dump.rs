//! What an Envoy answers to `GET /config_dump`, as far as it tells whether the sidecar is asked.

/// A `config_dump`.
#[derive(Debug, Clone)]
pub struct ConfigDump {
    /// Where it was read from.
    pub file: String,
    /// How often it names the sidecar's socket.
    pub sockets: usize,
}

/// The socket by which Envoy reaches the sidecar.
const SOCKET: &str = "/etc/ai-gateway-extproc-uds/run.sock";

impl ConfigDump {
    /// Reads a text; `None` when it is no JSON object.
    pub fn read(file: &str, bytes: &[u8]) -> Option<Self> {
        let dump: serde_json::Value = serde_json::from_slice(bytes).ok()?;
        dump.is_object().then(|| ConfigDump {
            file: file.to_string(),
            sockets: count(&dump),
        })
    }
}

fn count(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::String(text) => usize::from(text.contains(SOCKET)),
        serde_json::Value::Array(items) => items.iter().map(count).sum(),
        serde_json::Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}
