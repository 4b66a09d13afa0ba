//! What goes wrong between here and a cluster, in words that a person can act on.

use std::error::Error;
use std::time::Duration;

use crate::failure::Failure;

/// Whom we talk to.
#[derive(Debug, Clone)]
pub(super) struct Peer {
    /// The URL of the server.
    pub(super) server: String,
    /// The context in words.
    pub(super) context: String,
    /// The user of the kubeconfig; may be empty.
    pub(super) user: String,
}

/// An error with all its causes, as one text.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

/// The kubeconfig is read, and no client comes of it.
pub(super) fn no_client(error: &kube::Error, plugin: Option<&str>) -> Failure {
    match (error, plugin) {
        (kube::Error::Auth(error), Some(plugin)) => {
            let text = format!("the credential plugin failed: {}", chain(error));
            Failure::new(text).hint(format!("it is: {plugin}"))
        }
        _ => Failure::new(format!("the cluster cannot be reached: {}", chain(error))),
    }
}

impl Peer {
    /// No answer in time.
    pub(super) fn timeout(&self, path: &str, limit: Duration) -> Failure {
        let text = format!(
            "{} did not answer GET {path} within {} s",
            self.server,
            limit.as_secs_f64()
        );
        Failure::new(text)
            .hint("is it the right cluster, and is a VPN needed? --request-timeout gives it longer")
    }

    /// The credentials are not accepted.
    pub(super) fn unauthorized(&self) -> Failure {
        let who = match self.user.as_str() {
            "" => String::new(),
            user => format!(" of user {user}"),
        };
        let text = format!(
            "{} does not accept the credentials{who} (context {}): 401 Unauthorized",
            self.server, self.context
        );
        Failure::new(text).hint("the token or certificate may have expired: log in again")
    }

    /// The answer is none of an API server.
    pub(super) fn nonsense(&self, path: &str, problem: &str) -> Failure {
        let text = format!(
            "{} answered GET {path} with something that is not the API's JSON: {problem}",
            self.server
        );
        Failure::new(text)
            .hint("is the server's address right, or does a proxy answer in its place?")
    }

    /// A status that leaves nothing to go on with.
    pub(super) fn status(&self, path: &str, status: u16, message: &str) -> Failure {
        let text = format!(
            "{} answered GET {path} with {status}: {message}",
            self.server
        );
        Failure::new(text)
    }

    /// No answer at all, or half of one.
    pub(super) fn broken(&self, path: &str, error: &dyn Error) -> Failure {
        let text = chain(error);
        let server = &self.server;
        let has = |words: &[&str]| words.iter().any(|w| text.contains(w));
        if has(&["UnknownIssuer", "BadSignature"]) {
            let words = format!(
                "the certificate of {server} is not signed by the certificate authority of context {}",
                self.context
            );
            return Failure::new(words).hint(
                "the kubeconfig's certificate-authority does not belong to this cluster: fetch a new kubeconfig",
            );
        }
        if has(&["NotValidForName"]) {
            return Failure::new(format!("the certificate of {server} is for another name")).hint(
                "use the name or address that the certificate has, or set tls-server-name in the kubeconfig",
            );
        }
        if has(&["invalid peer certificate: Expired", "certificate expired"]) {
            return Failure::new(format!("the certificate of {server} has expired"))
                .hint("the cluster's administrator must renew it; is this machine's clock right?");
        }
        if has(&["Connection refused", "ConnectionRefused"]) {
            return Failure::new(format!("nothing listens at {server} (connection refused)"))
                .hint("is the cluster running, and is this the right context?");
        }
        if has(&["dns error", "failed to lookup"]) {
            return Failure::new(format!("the name of {server} cannot be resolved"))
                .hint("is this the right context, and is a VPN needed?");
        }
        if is_cut_off(&text) {
            let words = format!("{server} closed the connection while it answered GET {path}");
            return Failure::new(words)
                .hint("try again; a proxy or load balancer between may cut long answers off");
        }
        Failure::new(format!("GET {path} from {server} failed: {text}"))
    }
}

/// Whether an answer ended too early, so that asking again may help.
pub(super) fn is_cut_off(chain: &str) -> bool {
    [
        "connection closed before message completed",
        "end of file before message length reached",
        "unexpected EOF",
        "unexpected end of file",
        "peer closed connection",
        "Connection reset",
        "connection reset",
        "Broken pipe",
    ]
    .iter()
    .any(|w| chain.contains(w))
}
