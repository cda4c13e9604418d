//! From an edit to the changes of the file's text, or to a refusal: the strictest reading that has an answer gives it.

mod already;
mod approximate;
mod depth;
mod exact;
mod given;
mod lines;
mod pick;
mod reindent;

use std::cell::OnceCell;

use crate::budget::{Budget, Spent};
use crate::find::Placement;
use crate::repair::{Pair, readings};
use crate::text::{Document, Splice, Table};
use crate::{Edit, Options, Reason, Refusal, Repair, Status, Tier, Warning, placeholder, report};

/// A longer old text is looked for as it is only, in bytes.
const MAX_OLD: usize = 1024 * 1024;

/// A file and what has been found out about it.
pub(crate) struct Scene<'a> {
    pub(crate) document: &'a Document<'a>,
    pub(crate) options: &'a Options,
    table: OnceCell<Table<'a>>,
    line_end: OnceCell<&'static str>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(document: &'a Document<'a>, options: &'a Options) -> Self {
        Self { document, options, table: OnceCell::new(), line_end: OnceCell::new() }
    }

    pub(crate) fn text(&self) -> &'a str {
        &self.document.text
    }

    /// Made when it is first needed: exact matches do without.
    pub(crate) fn table(&self) -> &Table<'a> {
        self.table.get_or_init(|| Table::new(&self.document.text))
    }

    fn line_end(&self) -> &'static str {
        self.line_end.get_or_init(|| self.document.dominant())
    }
}

/// One place of an edit.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) placement: Placement,
    pub(crate) changes: Vec<Splice>,
}

/// An edit that can be made.
#[derive(Debug)]
pub(crate) struct Resolved {
    pub(crate) status: Status,
    pub(crate) tier: Tier,
    pub(crate) score: f64,
    pub(crate) repairs: Vec<Repair>,
    pub(crate) warnings: Vec<Warning>,
    /// In the order of the file.
    pub(crate) places: Vec<Place>,
}

impl Resolved {
    fn new(status: Status, pair: &Pair, places: Vec<Place>) -> Self {
        let tier = places.iter().map(|place| place.placement.tier).max().unwrap_or(Tier::Exact);
        let score = places.iter().map(|place| place.placement.score).fold(1.0, f64::min);
        let warnings = pair.repairs.iter().map(|repair| Warning::Repaired(*repair)).collect();
        Self { status, tier, score, repairs: pair.repairs.clone(), warnings, places }
    }

    fn already(pair: &Pair, placement: Placement) -> Self {
        Self::new(Status::AlreadyApplied, pair, vec![Place { placement, changes: Vec::new() }])
    }
}

/// A step of the search: an answer, or none at this step.
type Step = Result<Option<Resolved>, Refusal>;

pub(crate) fn resolve(scene: &Scene<'_>, edit: &Edit) -> Result<Resolved, Refusal> {
    let mark = '\u{feff}';
    let (old, new) = (edit.old.trim_start_matches(mark), edit.new.trim_start_matches(mark));
    validate(scene, old, new)?;
    let given = Pair { old: old.to_owned(), new: new.to_owned(), repairs: Vec::new() };
    if let Some(resolved) = exact::resolve(scene, edit, &given)? {
        return Ok(resolved);
    }
    let mut budget = Budget::new(scene.options.budget);
    let spent = |_: Spent| report::out_of_budget(edit);
    if scene.options.exact_only {
        return Err(approximate::not_found(scene, &given, &mut budget).map_err(spent)?);
    }
    if old.len() > MAX_OLD {
        return Err(report::out_of_budget(edit));
    }
    let pairs = readings(old, new);
    for pair in &pairs {
        if pair.old == pair.new {
            continue;
        }
        if !pair.repairs.is_empty()
            && let Some(resolved) = exact::resolve(scene, edit, pair)?
        {
            return Ok(resolved);
        }
        if let Some(resolved) = lines::resolve(scene, edit, pair, &mut budget).map_err(spent)?? {
            return Ok(resolved);
        }
    }
    approximate::resolve(scene, edit, &pairs, &mut budget).map_err(spent)?
}

fn validate(scene: &Scene<'_>, old: &str, new: &str) -> Result<(), Refusal> {
    if old.is_empty() {
        return Err(Refusal::new(Reason::EmptyOld, "old is empty: give the text to replace"));
    }
    if old == new {
        return Err(Refusal::new(Reason::NoChange, "old and new are the same: there is nothing to change"));
    }
    if scene.options.allow_placeholders {
        return Ok(());
    }
    match placeholder::find(old, new, scene.text()) {
        None => Ok(()),
        Some(line) => Err(Refusal::new(
            Reason::Placeholder,
            format!("new holds a placeholder for code that was left out ({line:?}); give the whole text"),
        )),
    }
}
