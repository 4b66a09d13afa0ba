//! Room for recursion. Nesting is limited, but not so low that any thread's stack would do.

use std::thread::{Builder, scope};

/// Many times what the deepest tree needs that the limits allow. Only address space is taken, not memory.
const STACK_SIZES: [usize; 2] = [64 << 20, 16 << 20];
/// A text this short cannot nest deeply enough to matter.
const SHORT: usize = 120;

/// Runs `work` for an expression on a stack that its nesting cannot exhaust.
pub(super) fn with_room<T: Send>(text: &str, work: impl Fn() -> T + Send + Sync) -> T {
    if text.len() <= SHORT {
        return work();
    }
    let work = &work;
    scope(|scope| {
        let threads = STACK_SIZES
            .iter()
            .map(|size| Builder::new().stack_size(*size));
        let started = threads
            .filter_map(|thread| thread.spawn_scoped(scope, work).ok())
            .next();
        match started.map(|thread| thread.join()) {
            Some(Ok(value)) => value,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            // No thread can be started any more; the main one usually has 8 MiB, which is enough.
            None => work(),
        }
    })
}
