"""What tools that use a network share.

- `addresses`: which host may be connected to, and at which addresses.
- `urls`, `hosts`: one canonical form of what many spellings mean.
- `ranges`: the addresses that are not public, as a table.
"""
