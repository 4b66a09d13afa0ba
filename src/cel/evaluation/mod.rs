//! Typed tree → value: the plan, the steps, values and every function on them.

pub(super) mod arithmetic;
pub(super) mod budget;
pub(super) mod compare;
pub(super) mod convert;
pub(super) mod cost_tracker;
pub(super) mod duration;
pub(super) mod evaluate;
pub(super) mod library;
pub(super) mod message_value;
pub(super) mod number;
pub(super) mod plan;
pub(super) mod re2;
pub(super) mod re2_class;
pub(super) mod time;
pub(super) mod value;
pub(super) mod wire;
