//! All files of a walk in one table, in path order.

use rootle_base::{Context, FileKind, Metadata, Result};

use crate::{FileEntry, Request, Summary, Visit, path_order, walk};

/// Files by column. A path is a slice of one long text, so a table of a million files is a few allocations.
#[derive(Clone, Debug, Default)]
pub struct FileTable {
    paths: Vec<u8>,
    /// Where each path ends.
    ends: Vec<usize>,
    /// Empty unless asked for.
    stats: Vec<Option<Metadata>>,
}

impl FileTable {
    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The path of a file, relative to the root.
    ///
    /// # Panics
    /// If there is no such file.
    #[must_use]
    pub fn path(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.paths[start..self.ends[at]]
    }

    /// What the system said of a file; none if it was not asked or did not answer.
    #[must_use]
    pub fn stat(&self, at: usize) -> Option<&Metadata> {
        self.stats.get(at)?.as_ref()
    }

    /// The kind of a file. Tables hold regular files only.
    #[must_use]
    pub fn kind(&self, _at: usize) -> FileKind {
        FileKind::File
    }

    /// All paths.
    pub fn paths(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        (0..self.len()).map(|at| self.path(at))
    }

    fn push(&mut self, path: &[u8]) {
        self.paths.extend_from_slice(path);
        self.ends.push(self.paths.len());
    }

    fn clear(&mut self) {
        self.paths.clear();
        self.ends.clear();
        self.stats.clear();
    }

    /// Adds the files `from..to` of another table.
    fn append(&mut self, other: &Self, from: usize, to: usize) {
        if from == to {
            return;
        }
        let start = if from == 0 { 0 } else { other.ends[from - 1] };
        let base = self.paths.len();
        self.paths.extend_from_slice(&other.paths[start..other.ends[to - 1]]);
        self.ends.extend(other.ends[from..to].iter().map(|end| end - start + base));
        if !other.stats.is_empty() {
            self.stats.extend_from_slice(&other.stats[from..to]);
        }
    }
}

/// Walks and lists all files, in path order.
///
/// # Errors
/// As [`walk`].
pub fn list_files(req: &Request<'_>, ctx: &Context, want_stat: bool) -> Result<(FileTable, Summary)> {
    let (parts, summary) = walk(req, ctx, move || Collector { want_stat, ..Collector::default() })?;
    let (mut table, ordered) = join(&parts);
    // Where one start lies below another, the order of the blocks is not that of the paths.
    if !ordered || req.starts.len() > 1 {
        sort(&mut table);
    }
    Ok((table, summary))
}

/// What one thread found, in the order in which it did.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    want_stat: bool,
    table: FileTable,
    pub(crate) events: Vec<Event>,
}

/// A change of block, or the place of one, before the file number `at`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) block: u32,
    pub(crate) child: bool,
    at: usize,
}

impl Visit for Collector {
    fn file(&mut self, file: &FileEntry<'_>) {
        self.table.push(file.path());
        if self.want_stat {
            self.table.stats.push(file.stat().ok());
        }
    }

    fn hand_over(&mut self, to: &mut Self) {
        let shift = to.table.len();
        if shift == 0 && to.events.is_empty() {
            std::mem::swap(self, to);
            return;
        }
        to.table.append(&self.table, 0, self.table.len());
        to.events.extend(self.events.drain(..).map(|event| Event { at: event.at + shift, ..event }));
        self.table.clear();
    }

    fn block(&mut self, block: u32) {
        self.events.push(Event { block, child: false, at: self.table.len() });
    }

    fn child(&mut self, block: u32) {
        self.events.push(Event { block, child: true, at: self.table.len() });
    }
}

/// Puts the blocks of all threads into their places. No path is compared. False if some blocks have no place: then the
/// table is not in order.
pub(crate) fn join(parts: &[Collector]) -> (FileTable, bool) {
    let blocks = parts.iter().flat_map(|part| &part.events).map(|event| event.block as usize + 1).max().unwrap_or(0);
    let mut begins: Vec<Option<(usize, usize)>> = vec![None; blocks];
    for (which, part) in parts.iter().enumerate() {
        for (at, event) in part.events.iter().enumerate().filter(|(_, event)| !event.child) {
            begins[event.block as usize] = Some((which, at));
        }
    }
    let mut table = FileTable::default();
    table.paths.reserve_exact(parts.iter().map(|part| part.table.paths.len()).sum());
    table.ends.reserve_exact(parts.iter().map(|part| part.table.len()).sum());
    if !begins.is_empty() {
        add_block(&mut table, parts, &mut begins, 0);
    }
    // Files that one thread took over from another stand in no other block.
    let placed = table.len();
    for block in 1..begins.len() {
        add_block(&mut table, parts, &mut begins, block);
    }
    let ordered = table.len() == placed;
    (table, ordered)
}

/// Adds a block with those in it, and takes their beginnings.
fn add_block(table: &mut FileTable, parts: &[Collector], begins: &mut [Option<(usize, usize)>], block: usize) {
    // Each entry is the event that comes next in a block that is not finished.
    let mut open: Vec<(usize, usize)> = begins[block].take().into_iter().collect();
    while let Some((which, at)) = open.pop() {
        let part = &parts[which];
        let next = part.events.get(at + 1);
        table.append(&part.table, part.events[at].at, next.map_or(part.table.len(), |event| event.at));
        if let Some(child) = next.filter(|event| event.child) {
            open.push((which, at + 1));
            // A block that was dropped begins nowhere.
            open.extend(begins[child.block as usize].take());
        }
    }
}

pub(crate) fn sort(table: &mut FileTable) {
    if (1..table.len()).all(|at| path_order(table.path(at - 1), table.path(at)).is_lt()) {
        return;
    }
    let mut order: Vec<usize> = (0..table.len()).collect();
    order.sort_by(|a, b| path_order(table.path(*a), table.path(*b)));
    let mut sorted = FileTable::default();
    for at in order {
        sorted.append(table, at, at + 1);
    }
    *table = sorted;
}
