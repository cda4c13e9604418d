//! A bound on the work of a search, counted in steps and not in time, so that the same call always ends the same way.

/// What is left of it.
#[derive(Debug)]
pub(crate) struct Budget(u64);

/// The budget is used up.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Spent;

impl Budget {
    pub(crate) fn new(units: u64) -> Self {
        Self(units)
    }

    pub(crate) fn spend(&mut self, units: u64) -> Result<(), Spent> {
        self.0 = self.0.checked_sub(units).ok_or(Spent)?;
        Ok(())
    }
}
