//! The report as one HTML file that needs nothing else: style, script and charts are in it, and its content security policy forbids
//! every request.

mod chart;
mod data;
mod page;
mod view;

pub use page::html;
