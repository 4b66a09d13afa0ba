//! One GET: with a limit in time, and again when the server is busy.

use std::time::Duration;

use http::{Request, Response, StatusCode};
use kube::Client;
use kube::client::Body;
use serde::Deserialize;

use super::words::{self, Peer};
use crate::failure::Failure;

/// How often a request is made at most.
const ATTEMPTS: u32 = 5;
/// The wait before the second attempt; it doubles with each.
const FIRST_WAIT: Duration = Duration::from_millis(250);
/// The longest wait that a server can ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// What an API server answers instead of what was asked for.
#[derive(Debug, Clone)]
pub(super) enum Refusal {
    /// 403.
    Forbidden,
    /// 404: neither the object nor, for a list, the kind.
    NotFound,
    /// 410: the page token has expired.
    Gone,
    /// Another status, still there after all attempts; the server's words.
    Status(u16, String),
    /// No answer, or none that can be read: the run ends.
    Failure(Failure),
}

/// Asks one API server.
#[derive(Clone)]
pub(super) struct Requester {
    pub(super) client: Client,
    pub(super) peer: Peer,
    pub(super) timeout: Option<Duration>,
}

#[derive(Deserialize)]
struct Status {
    #[serde(default)]
    message: String,
}

/// What one attempt gives.
enum Attempt {
    Done(Result<Vec<u8>, Refusal>),
    /// Worth another attempt, after this wait if the server names one; else this is the answer.
    Again(Option<Duration>, Refusal),
}

impl Requester {
    /// The body of an answer with status 200.
    pub(super) async fn get(&self, path: &str) -> Result<Vec<u8>, Refusal> {
        let mut wait = FIRST_WAIT;
        let mut attempt = 1;
        loop {
            match self.attempt(path).await {
                Attempt::Done(result) => return result,
                Attempt::Again(_, refusal) if attempt == ATTEMPTS => return Err(refusal),
                Attempt::Again(asked, _) => {
                    tokio::time::sleep(asked.unwrap_or(wait).min(LONGEST_WAIT)).await;
                }
            }
            attempt += 1;
            wait *= 2;
        }
    }

    async fn attempt(&self, path: &str) -> Attempt {
        let Some(limit) = self.timeout else {
            return self.send(path).await;
        };
        let timeout = tokio::time::timeout(limit, self.send(path)).await;
        timeout.unwrap_or_else(|_| self.fail(self.peer.timeout(path, limit)))
    }

    fn fail(&self, failure: Failure) -> Attempt {
        Attempt::Done(Err(Refusal::Failure(failure)))
    }

    async fn send(&self, path: &str) -> Attempt {
        let request = Request::get(path)
            .header("accept", "application/json")
            .body(Body::empty());
        let request = match request {
            Ok(request) => request,
            Err(error) => return self.fail(self.peer.broken(path, &error)),
        };
        let response = match self.client.send(request).await {
            Ok(response) => response,
            Err(error) => return self.broken(path, &error),
        };
        let (status, wait) = (response.status(), retry_after(&response));
        let body = match response.into_body().collect_bytes().await {
            Ok(body) => body,
            Err(error) => return self.broken(path, &error),
        };
        if status == StatusCode::OK {
            return Attempt::Done(Ok(body.into()));
        }
        self.refusal(status, &body, wait)
    }

    fn broken(&self, path: &str, error: &kube::Error) -> Attempt {
        let refusal = Refusal::Failure(self.peer.broken(path, error));
        match words::is_cut_off(&words::chain(error)) {
            true => Attempt::Again(None, refusal),
            false => Attempt::Done(Err(refusal)),
        }
    }

    fn refusal(&self, status: StatusCode, body: &[u8], wait: Option<Duration>) -> Attempt {
        let message = serde_json::from_slice::<Status>(body).map(|s| s.message);
        let message = message.unwrap_or_default();
        let message = match message.is_empty() {
            true => status.canonical_reason().unwrap_or_default().to_string(),
            false => message,
        };
        let refusal = match status.as_u16() {
            401 => Refusal::Failure(self.peer.unauthorized()),
            403 => Refusal::Forbidden,
            404 => Refusal::NotFound,
            410 => Refusal::Gone,
            code => Refusal::Status(code, message),
        };
        match status.as_u16() {
            429 | 500 | 502..=504 => Attempt::Again(wait, refusal),
            _ => Attempt::Done(Err(refusal)),
        }
    }
}

fn retry_after(response: &Response<Body>) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?;
    Some(Duration::from_secs(seconds.parse().ok()?))
}
