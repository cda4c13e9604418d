//! A hunk with the file's own lines, in the place of one that was refused.

use std::fmt::Write;

use super::model::{Hunk, LineKind};
use crate::resolve::Scene;
use crate::text::{Table, loose_hash};
use crate::{Reason, Refusal};

/// Lines of the longest hunk that is suggested.
const MAX_LINES: usize = 200;

/// What the hunk would be if it had been made for the file as it is: at the best candidate, with the file's lines as
/// context, its removals where the file has such lines, its additions where they belong between them. None if one of
/// its removed lines has no counterpart, since then nothing shows what it means to take out.
pub(super) fn suggested(hunk: &Hunk, refusal: &Refusal, scene: &Scene<'_>) -> Option<String> {
    let worth = matches!(refusal.reason, Reason::NotFound | Reason::UnsafeDifference);
    let best = refusal.candidates.first().filter(|_| worth && hunk.kinds.len() <= MAX_LINES)?;
    let table = scene.table();
    let first = usize::try_from(best.lines.first).ok()?.checked_sub(1)?;
    let last = usize::try_from(best.lines.last).ok()?.min(table.len());
    if first >= last || last - first > MAX_LINES {
        return None;
    }
    let old: Vec<(LineKind, &str)> = hunk.lines().collect();
    let lines = aligned(&old, table, first, last)?;
    let sides = |other: char| lines.iter().filter(|(sign, _)| *sign != other).count();
    let mut out = format!("@@ -{},{} +{},{} @@\n", first + 1, sides('+'), first + 1, sides('-'));
    for (sign, line) in &lines {
        let _ = writeln!(out, "{sign}{line}");
    }
    lines.iter().any(|(sign, _)| *sign != ' ').then_some(out)
}

/// The hunk's lines laid over the file's lines `first..last`, by their likeness.
fn aligned(old: &[(LineKind, &str)], table: &Table<'_>, first: usize, last: usize) -> Option<Vec<(char, String)>> {
    let olds: Vec<&str> = old
        .iter()
        .filter(|(kind, _)| *kind != LineKind::Added)
        .map(|(_, text)| text.trim_end_matches(['\n', '\r']))
        .collect();
    let files: Vec<&str> = (first..last).map(|line| table.line(line)).collect();
    let pairs = best_pairs(&olds, &files);
    let mut out = Vec::new();
    let (mut at, mut number) = (0, 0);
    for (kind, text) in old {
        if *kind == LineKind::Added {
            out.push(('+', text.trim_end_matches(['\n', '\r']).to_owned()));
            continue;
        }
        let pair = pairs[number];
        number += 1;
        let Some(pair) = pair else {
            if *kind == LineKind::Removed {
                return None;
            }
            continue;
        };
        out.extend(files[at..pair].iter().map(|line| (' ', (*line).to_owned())));
        out.push((if *kind == LineKind::Removed { '-' } else { ' ' }, files[pair].to_owned()));
        at = pair + 1;
    }
    out.extend(files[at..].iter().map(|line| (' ', (*line).to_owned())));
    Some(out)
}

/// For each old line the file's line that it goes with, in order, so that the likeness is greatest (Needleman and
/// Wunsch, 1970).
fn best_pairs(olds: &[&str], files: &[&str]) -> Vec<Option<usize>> {
    let (rows, columns) = (olds.len(), files.len());
    let old_keys: Vec<u64> = olds.iter().map(|line| loose_hash(line)).collect();
    let file_keys: Vec<u64> = files.iter().map(|line| loose_hash(line)).collect();
    let like: Vec<Vec<u32>> = (0..rows)
        .map(|row| {
            (0..columns)
                .map(|column| if old_keys[row] == file_keys[column] { 100 } else { likeness(olds[row], files[column]) })
                .collect()
        })
        .collect();
    let mut best = vec![vec![0_u32; columns + 1]; rows + 1];
    for row in (0..rows).rev() {
        for column in (0..columns).rev() {
            let paired = if like[row][column] > 0 { like[row][column] + best[row + 1][column + 1] } else { 0 };
            best[row][column] = paired.max(best[row + 1][column]).max(best[row][column + 1]);
        }
    }
    let mut pairs = vec![None; rows];
    let (mut row, mut column) = (0, 0);
    while row < rows && column < columns {
        let here = best[row][column];
        if like[row][column] > 0 && here == like[row][column] + best[row + 1][column + 1] {
            pairs[row] = Some(column);
            (row, column) = (row + 1, column + 1);
        } else if here == best[row + 1][column] {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// Per cent of the characters that two lines share in order of their words; 0 where it is less than half.
fn likeness(a: &str, b: &str) -> u32 {
    const LONGEST: usize = 400;
    let (a, b): (Vec<char>, Vec<char>) =
        (a.trim().chars().take(LONGEST).collect(), b.trim().chars().take(LONGEST).collect());
    let longest = a.len().max(b.len());
    if a.is_empty() || b.is_empty() || a.len().min(b.len()) * 2 < longest {
        return 0;
    }
    let distance = crate::distance::levenshtein(&a, &b).min(longest);
    let per_cent = u32::try_from((longest - distance) * 99 / longest).unwrap_or(0);
    if per_cent >= 50 { per_cent } else { 0 }
}
