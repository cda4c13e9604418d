//! How far a search that was stopped had come: the path up to which every file was searched.

/// Where one thread was: the blocks of the walk that it got, the places of others, and the last file done before each.
/// The walk hands out its blocks nearly in path order, and all threads' trails together tell where the first gap is.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    events: Vec<Event>,
    /// The file done last.
    done: Vec<u8>,
    /// Whether a file was done since the last event.
    fresh: bool,
}

#[derive(Debug)]
struct Event {
    block: u32,
    child: bool,
    /// The file done last before it, if it was not the last before an earlier event.
    before: Option<Box<[u8]>>,
}

impl Trail {
    /// A file was searched to its end.
    pub fn done(&mut self, path: &[u8]) {
        self.done.clear();
        self.done.extend_from_slice(path);
        self.fresh = true;
    }

    /// See [`rootle_walk::Visit::block`].
    pub fn block(&mut self, block: u32) {
        self.event(block, false);
    }

    /// See [`rootle_walk::Visit::child`].
    pub fn child(&mut self, block: u32) {
        self.event(block, true);
    }

    /// Moves everything to the end of `to`, which holds what was moved before.
    pub fn hand_over(&mut self, to: &mut Self) {
        if let Some(first) = self.events.first_mut()
            && std::mem::take(&mut to.fresh)
            && first.before.is_none()
        {
            first.before = Some(to.done.as_slice().into());
        }
        to.events.append(&mut self.events);
        if std::mem::take(&mut self.fresh) {
            to.done.clone_from(&self.done);
            to.fresh = true;
        }
    }

    fn event(&mut self, block: u32, child: bool) {
        let before = std::mem::take(&mut self.fresh).then(|| self.done.as_slice().into());
        self.events.push(Event { block, child, before });
    }

    /// The file done last after event `at`, before the next one.
    fn done_after(&self, at: usize) -> Option<&[u8]> {
        match self.events.get(at + 1) {
            Some(next) => next.before.as_deref(),
            None => self.fresh.then_some(&self.done[..]),
        }
    }
}

/// The last file, in path order, before which nothing was left out.
pub(crate) fn frontier(trails: &[Trail]) -> Option<Vec<u8>> {
    let events = trails.iter().flat_map(|trail| &trail.events);
    let blocks = events.map(|event| event.block as usize + 1).max()?;
    let mut begins = vec![None; blocks];
    for (which, trail) in trails.iter().enumerate() {
        for (at, event) in trail.events.iter().enumerate().filter(|(_, event)| !event.child) {
            begins[event.block as usize] = Some((which, at));
        }
    }
    let mut frontier: Option<&[u8]> = None;
    let mut open = vec![begins[0]?];
    while let Some((which, at)) = open.pop() {
        let trail = &trails[which];
        frontier = trail.done_after(at).or(frontier);
        // What a thread was at when it stopped may not be finished.
        let Some(next) = trail.events.get(at + 1) else { break };
        if next.child {
            open.push((which, at + 1));
            match begins[next.block as usize] {
                Some(begin) => open.push(begin),
                None => break,
            }
        }
    }
    frontier.map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `"0 +1 a +2"`: block 0, in it block 1, file a, block 2.
    fn trail(text: &str) -> Trail {
        let mut trail = Trail::default();
        add(&mut trail, &text.split(' ').collect::<Vec<_>>());
        trail
    }

    fn add(trail: &mut Trail, words: &[&str]) {
        for word in words {
            match (word.strip_prefix('+'), word.parse()) {
                (Some(child), _) => trail.child(child.parse().unwrap()),
                (None, Ok(block)) => trail.block(block),
                (None, Err(_)) => trail.done(word.as_bytes()),
            }
        }
    }

    #[test]
    fn first_gap() {
        for (trails, expected) in [
            (&["0 +1 1 a b"][..], Some("b")),
            // The second thread's block comes first and was not begun.
            (&["0 +1 +2 2 c d"], None),
            (&["0 +1 +2 2 c d", "1 a"], Some("a")),
            (&["0 +1 +2 1 a b 2 c", "9"], Some("c")),
            (&["0 +1 1 +2 +3 +4 2 a 4 c", "3 b 5 x"], Some("c")),
            (&["0 +1 1 +2 +3 +4 2 a 4 c", "5 x 3 b"], Some("b")),
            (&["0 +1 1 +2 +3 +4 2 a 4 c"], Some("a")),
            (&["0"], None),
        ] {
            let whole: Vec<Trail> = trails.iter().map(|text| trail(text)).collect();
            assert_eq!(frontier(&whole).as_deref(), expected.map(str::as_bytes), "{whole:?}");
            // Handed over a piece at a time it is the same.
            for piece in 1..4 {
                let moved = trails.iter().map(|text| {
                    let (mut own, mut moved) = (Trail::default(), Trail::default());
                    for words in text.split(' ').collect::<Vec<_>>().chunks(piece) {
                        add(&mut own, words);
                        own.hand_over(&mut moved);
                    }
                    moved
                });
                let moved: Vec<Trail> = moved.collect();
                assert_eq!(frontier(&moved).as_deref(), expected.map(str::as_bytes), "{piece}: {moved:?}");
            }
        }
    }
}
