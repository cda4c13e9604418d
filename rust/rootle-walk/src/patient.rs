//! A listing in a tree where a directory may not answer: each is read on another thread, and one that takes long is
//! waited for while the others are listed.

use std::time::Duration;

use rootle_base::{Errand, Result};

use crate::list::{Lister, Open};

/// How long a directory may take before others are listed.
const PATIENCE: Duration = Duration::from_millis(50);

type Outcome = (Lister, Result<()>);

/// Lists what is in `whole.open`, and what comes to it.
pub(crate) fn run(whole: &mut Lister) -> Result<()> {
    let ctx = whole.ctx.clone();
    let mut late: Vec<(Open, Errand<Outcome>)> = Vec::new();
    loop {
        while let Some(open) = whole.open.pop_front() {
            if whole.listing.entries.len() >= whole.max_entries && open.entry.is_some() {
                // Listing it could show nothing.
                whole.listing.cut = true;
                continue;
            }
            let (mut part, dir) = (whole.part(), open.clone());
            let mut errand = Errand::send(move || {
                let outcome = part.dir(&dir);
                (part, outcome)
            });
            match errand.wait(&ctx, Some(PATIENCE)) {
                Ok(Some(outcome)) => add(whole, &open, outcome)?,
                Ok(None) => late.push((open, errand)),
                Err(stop) => {
                    late.push((open, errand));
                    whole.listing.stop = Some(stop);
                    break;
                }
            }
        }
        let Some((open, mut errand)) = late.pop() else { return Ok(()) };
        // With no more time, it is asked only whether it has answered meanwhile.
        let rest = if late.is_empty() { None } else { Some(PATIENCE) };
        match errand.wait(&ctx, rest) {
            Ok(Some(outcome)) => add(whole, &open, outcome)?,
            Ok(None) => late.insert(0, (open, errand)),
            Err(stop) => {
                whole.listing.stop = Some(stop);
                whole.summary.no_answer(&open.path);
                for (open, _) in &late {
                    whole.summary.no_answer(&open.path);
                }
                return Ok(());
            }
        }
    }
}

/// Adds what one directory gave.
fn add(whole: &mut Lister, open: &Open, (part, outcome): Outcome) -> Result<()> {
    outcome?;
    let before = whole.listing.entries.len();
    if let Some(entry) = open.entry {
        whole.listing.entries[entry].listed = part.listed;
    }
    // Others may have taken the room meanwhile.
    let room = whole.max_entries.saturating_sub(before);
    let mut listing = part.listing;
    whole.listing.cut |= listing.cut || listing.entries.len() > room;
    listing.entries.truncate(room);
    whole.listing.entries.extend(listing.entries);
    whole.listing.counts.extend(listing.counts);
    whole.summary.merge(part.summary);
    for mut below in part.open {
        below.entry = below.entry.map(|at| at + before);
        if below.entry.is_some_and(|at| at < whole.listing.entries.len()) {
            whole.open.push_back(below);
        }
    }
    Ok(())
}
