//! Writing as its callers see it: the same with each resolver.

mod case;
mod commits;
mod confinement;
mod expectations;
mod fidelity;
mod git_internals;
mod leftovers;
mod names;
mod parallel;
mod permission;
mod race;
mod special_files;
#[allow(dead_code, reason = "shared with the tests of the root, which need more of it")]
#[path = "../root/tree.rs"]
mod tree;
