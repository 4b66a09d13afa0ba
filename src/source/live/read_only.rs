//! The layer that every request to a cluster passes.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::Request;
use tower::{BoxError, Layer, Service};

use super::allowed::check;

/// Lets through what [`check`] allows; anything else fails before a byte is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReadOnly;

/// A service behind [`ReadOnly`].
#[derive(Debug, Clone)]
pub(super) struct Guarded<S>(S);

impl<S> Layer<S> for ReadOnly {
    type Service = Guarded<S>;

    fn layer(&self, inner: S) -> Guarded<S> {
        Guarded(inner)
    }
}

impl<S, B> Service<Request<B>> for Guarded<S>
where
    S: Service<Request<B>>,
    S::Error: Into<BoxError>,
    S::Future: Send + 'static,
    S::Response: Send + 'static,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if let Err(refusal) = check(&request) {
            let refusal = format!("refused by aigwctl before it was sent: {refusal}");
            return Box::pin(async { Err(refusal.into()) });
        }
        let response = self.0.call(request);
        Box::pin(async { response.await.map_err(Into::into) })
    }
}
