//! An old text that leaves lines out and says so with `...`.

use super::whole::{Whole, whole_lines};
use crate::Tier;
use crate::budget::{Budget, Spent};
use crate::text::{Block, Key, Table};

/// Whether a line stands for lines that were left out: `...`, alone or as a comment, or words like "rest of the code".
pub(crate) fn is_elision(line: &str) -> bool {
    let body = crate::placeholder::comment_body(line).unwrap_or_else(|| line.trim());
    matches!(body, "..." | "\u{2026}" | "[...]" | "(...)") || crate::placeholder::is_placeholder(line)
}

/// The place of an old text with left-out lines. Its parts stand in the file in their order; a part that the edit
/// touches, as `touched` says for each line, must have one place only, and so must at least one part in any case. The others
/// are taken where they are nearest. What the mark stands for is never `removed`.
pub(crate) fn across_elisions(
    table: &Table<'_>,
    old: &Block<'_>,
    touched: &[bool],
    removed: &[bool],
    budget: &mut Budget,
) -> Result<Option<Whole>, Spent> {
    let cuts: Vec<usize> = (0..old.len()).filter(|&line| is_elision(old.lines[line])).collect();
    if cuts.is_empty() || cuts.iter().any(|&cut| removed[cut]) {
        return Ok(None);
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for cut in cuts.iter().copied().chain([old.len()]) {
        let lines = from..cut;
        from = cut + 1;
        let part = Block { lines: old.lines[lines.clone()].to_vec(), final_newline: true };
        if part.solid() == 0 {
            continue;
        }
        let mut hits = whole_lines(table, &part, budget)?;
        let strictest = hits.iter().map(|hit| hit.tier).min();
        hits.retain(|hit| Some(hit.tier) == strictest);
        let single = hits.len() == 1;
        if hits.is_empty() || (!single && touched[lines.clone()].contains(&true)) {
            return Ok(None);
        }
        parts.push((lines.start, hits));
    }
    let Some(fixed) = parts.iter().position(|(_, hits)| hits.len() == 1) else { return Ok(None) };
    let mut map = vec![None; old.len()];
    let mut tier = Tier::Exact;
    let mut take = |start: usize, hit: &Whole| {
        map[start..start + hit.map.len()].copy_from_slice(&hit.map);
        tier = tier.max(hit.tier);
    };
    let extent = |hit: &Whole| (hit.map.iter().flatten().min().copied(), hit.map.iter().flatten().max().copied());
    take(parts[fixed].0, &parts[fixed].1[0]);
    let (mut top, mut bottom) = extent(&parts[fixed].1[0]);
    for (start, hits) in &parts[fixed + 1..] {
        let Some(hit) = hits.iter().find(|hit| extent(hit).0 > bottom) else { return Ok(None) };
        bottom = extent(hit).1;
        take(*start, hit);
    }
    for (start, hits) in parts[..fixed].iter().rev() {
        let Some(hit) = hits.iter().rev().find(|hit| extent(hit).1 < top) else { return Ok(None) };
        top = extent(hit).0;
        take(*start, hit);
    }
    // A mark that the file has too, among the lines it would stand for, is no mark.
    let literal = |&cut: &usize| {
        let key = Key::new(old.lines[cut]);
        let above = map[..cut].iter().rev().flatten().next().map_or(0, |above| above + 1);
        let below = map[cut..].iter().flatten().next().copied().unwrap_or(table.len());
        table.all(&key).any(|line| (above..below).contains(&line))
    };
    Ok((!cuts.iter().any(literal)).then_some(Whole { map, tier }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_in_order() {
        let table = Table::new("def f():\n    a\n    b\n    return 1\ndef g():\n    c\n    return 1\n");
        for (old, touched, lines) in [
            ("def f():\n    ...\n    return 1", 0, Some([Some(0), None, Some(3)])),
            ("def g():\n    # ... existing code ...\n    return 1", 0, Some([Some(4), None, Some(6)])),
            ("def f():\n    ...\n    return 1", 2, None),
            ("    return 1\n...\n    return 1", 0, None),
            ("def g():\n...\ndef f():", 0, None),
            ("def f():\n    a\n    b", 0, None),
        ] {
            let old = Block::new(old);
            let mut flags = vec![false; old.len()];
            flags[touched] = true;
            let found =
                across_elisions(&table, &old, &flags, &vec![false; old.len()], &mut Budget::new(1000)).ok().unwrap();
            assert_eq!(found.map(|found| found.map), lines.map(|lines| lines.to_vec()), "{old:?}");
        }
    }

    #[test]
    fn elisions() {
        for line in ["...", "  # ...", "// ...", "/* ... */", "<!-- ... -->", "\u{2026}", "# ... rest of code ..."] {
            assert!(is_elision(line), "{line}");
        }
        for line in ["x = ...", "", "# and so on", "....", "*args"] {
            assert!(!is_elision(line), "{line}");
        }
    }
}
