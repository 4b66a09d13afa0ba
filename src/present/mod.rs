//! Answers as text: for people, for other programs.

pub mod cel;
pub mod diff;
pub mod doctor;
pub mod escape;
pub mod finding;
pub mod noun;
pub mod output;
pub mod render;
pub mod style;
pub mod unread;
pub mod why;
