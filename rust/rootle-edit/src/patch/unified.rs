//! Unified diffs: of `diff -u`, of git with its extended headers, and those that models write from memory.

use super::at_line::{self, is_at_line};
use super::build::HunkBuilder;
use super::error::{PatchError, PatchReason, Result, quoted};
use super::hunk_body::{BodyReader, is_file_header};
use super::model::{FilePatch, PatchOptions};
use super::names::{self, Name};
use super::section::Section;
use super::text::Fence;

/// Reads `lines`, in which a first header or hunk stands at `start`.
pub(super) fn parse(lines: &[&str], start: usize, options: &PatchOptions) -> Result<Vec<FilePatch>> {
    let fence = lines[..start].iter().fold(None, |open: Option<Fence>, line| match open {
        Some(fence) if fence.closed_by(line) => None,
        Some(fence) => Some(fence),
        None => Fence::opened_by(line),
    });
    let mut reader = Reader { lines, at: start, fence, section: None, after_hunk: false, done: Vec::new() };
    let headed = lines
        .get(start)
        .is_some_and(|line| !line.starts_with([' ', '+', '-']) || line.starts_with("+++ ") || line.starts_with("--- "));
    if !headed {
        let section = reader.section.insert(Section::new(start + 1));
        section.body_from = Some(start);
    }
    while reader.at < lines.len() {
        reader.step()?;
    }
    reader.close();
    Section::into_files(reader.done, options)
}

struct Reader<'a, 'b> {
    lines: &'b [&'a str],
    at: usize,
    fence: Option<Fence>,
    section: Option<Section>,
    /// Only lines that are no part of a diff came since the last hunk.
    after_hunk: bool,
    done: Vec<Section>,
}

impl Reader<'_, '_> {
    fn step(&mut self) -> Result<()> {
        let line = self.lines[self.at];
        if line.starts_with("diff --git ") || is_file_header(self.lines, self.at) || is_at_line(line) {
            self.after_hunk = false;
        }
        if let Some(rest) = line.strip_prefix("diff --git ") {
            self.close();
            let mut section = Section::new(self.at + 1);
            section.git = names::git_names(rest);
            section.is_git = true;
            self.section = Some(section);
        } else if line.starts_with("diff --cc ") || line.starts_with("diff --combined ") || line.starts_with("@@@ ") {
            return self
                .unsupported("a combined diff (of a merge) has no single old file; send a diff against one parent");
        } else if is_context_diff(self.lines, self.at) {
            return self.unsupported("this is a context diff; send a unified diff (`diff -u`)");
        } else if is_file_header(self.lines, self.at) {
            self.names();
            return Ok(());
        } else if is_at_line(line) || self.starts_headerless_hunk() {
            return self.hunk();
        } else if self.lone_name(line) || self.extended(line) {
        } else if let Some(path) = line.strip_prefix("Index: ") {
            self.close();
            let mut section = Section::new(self.at + 1);
            section.index_name = Some(path.trim().to_owned());
            self.section = Some(section);
        } else {
            self.prose(line)?;
        }
        self.at += 1;
        Ok(())
    }

    fn unsupported(&self, message: &str) -> Result<()> {
        Err(PatchError::new(PatchReason::Unsupported, self.at + 1, message))
    }

    fn close(&mut self) {
        self.done.extend(self.section.take());
    }

    /// The section for names found now: the open one if it has none yet.
    fn section_for_names(&mut self) -> &mut Section {
        if self
            .section
            .as_ref()
            .is_some_and(|section| section.old.is_some() || section.new.is_some() || section.has_body())
        {
            self.close();
        }
        self.section.get_or_insert_with(|| Section::new(self.at + 1))
    }

    /// `--- old`, `+++ new`.
    fn names(&mut self) {
        let (old, new) =
            (names::header_name(&self.lines[self.at][4..]), names::header_name(&self.lines[self.at + 1][4..]));
        let body = self.at + 2;
        let section = self.section_for_names();
        (section.old, section.new, section.body_from) = (Some(old), Some(new), Some(body));
        self.at = body;
    }

    /// One of the two names, right before a hunk.
    fn lone_name(&mut self, line: &str) -> bool {
        if !self.lines.get(self.at + 1).is_some_and(|next| is_at_line(next)) {
            return false;
        }
        let (is_old, name) = match (line.strip_prefix("--- "), line.strip_prefix("+++ ")) {
            (Some(name), _) => (true, name),
            (_, Some(name)) => (false, name),
            _ => return false,
        };
        let name = names::header_name(name);
        let section = self.section_for_names();
        if name != Name::Nothing {
            *(if is_old { &mut section.old } else { &mut section.new }) = Some(name);
        }
        self.after_hunk = false;
        true
    }

    /// Lines of a hunk right below the names, without a header of its own.
    fn starts_headerless_hunk(&self) -> bool {
        let Some(from) = self.section.as_ref().and_then(|section| section.body_from) else { return false };
        self.lines[self.at].starts_with(['+', '-', ' '])
            && self.lines[from..self.at].iter().all(|line| line.trim().is_empty())
    }

    /// A hunk, with a header or without.
    fn hunk(&mut self) -> Result<()> {
        let (line, number) = (self.lines[self.at], self.at + 1);
        let with_header = is_at_line(line);
        let mut hunk = HunkBuilder::new(if with_header { line } else { "" }, number);
        if with_header {
            let header = at_line::read(line);
            hunk.claim = header.claim;
            hunk.near_line = header.near_line;
            hunk.scope = header.text.into_iter().collect();
            self.at += 1;
        }
        self.at = BodyReader::new(self.lines, self.fence).read(&mut hunk, self.at)?;
        let section = self.section.get_or_insert_with(|| Section::new(number));
        section.body_from = None;
        section.add(hunk);
        self.after_hunk = true;
        Ok(())
    }

    /// Git's extended headers.
    fn extended(&mut self, line: &str) -> bool {
        if line.starts_with("Binary files ") && line.trim_end().ends_with(" differ") {
            return self.binary_differs(line);
        }
        let Some(section) = self.section.as_mut().filter(|section| section.is_git && !section.has_body()) else {
            return false;
        };
        section.extended(line)
    }

    /// `Binary files a/x and b/x differ`.
    fn binary_differs(&mut self, line: &str) -> bool {
        let names = line.trim_end()["Binary files ".len()..].trim_end_matches(" differ").split_once(" and ");
        if !self.section.as_ref().is_some_and(|section| section.is_git && !section.has_body()) {
            self.close();
        }
        let section = self.section.get_or_insert_with(|| Section::new(self.at + 1));
        section.binary = true;
        if let (Some((old, new)), None, None) = (names, &section.old, &section.new) {
            (section.old, section.new) = (Some(names::header_name(old)), Some(names::header_name(new)));
        }
        true
    }

    /// Text around the diffs. An added line in it would get lost, so it is refused.
    fn prose(&mut self, line: &str) -> Result<()> {
        match self.fence {
            Some(fence) if fence.closed_by(line) => {
                self.fence = None;
                self.after_hunk = false;
            }
            Some(_) => {}
            None => self.fence = Fence::opened_by(line),
        }
        let stray =
            line.starts_with('+') || line.starts_with('-') && !line.starts_with("- ") && !line.starts_with("--");
        if self.after_hunk && stray {
            return Err(PatchError::new(
                PatchReason::UnexpectedLine,
                self.at + 1,
                format!("{} stands outside of any hunk; start the hunk with an `@@` line", quoted(line)),
            ));
        }
        Ok(())
    }
}

/// `*** old`, `--- new`, `***************`.
fn is_context_diff(lines: &[&str], at: usize) -> bool {
    lines[at].starts_with("*** ")
        && lines.get(at + 1).is_some_and(|next| next.starts_with("--- "))
        && lines.get(at + 2).is_some_and(|next| next.starts_with("*******"))
}
