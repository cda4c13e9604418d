//! The root as its callers see it.

mod confinement;
mod permission;
mod race;
mod roots;
#[cfg(target_os = "linux")]
mod special_files;
mod tree;
