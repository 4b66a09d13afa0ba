//! Room for recursion. Nesting is limited, but not so low that any thread's stack would do.

/// Enough for the deepest tree that the limits allow, with room to spare.
const STACK_SIZE: usize = 512 << 20;
/// A text this short cannot nest deeply enough to matter.
const SHORT: usize = 120;

/// Runs `work` for an expression on a stack that its nesting cannot exhaust.
pub(super) fn with_room<T: Send>(text: &str, work: impl FnOnce() -> T + Send) -> T {
    if text.len() <= SHORT {
        return work();
    }
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK_SIZE);
        // Only address space is taken, not memory.
        let thread = builder
            .spawn_scoped(scope, work)
            .expect("a thread can be started");
        match thread.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
