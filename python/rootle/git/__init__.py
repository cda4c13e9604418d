"""Git, run so that nothing which a repository brought is ever executed or believed.

- `repository` finds a repository below the root and checks where its parts lie.
- `running` runs git on a directory of rootle's own making that borrows objects, refs and index, and no configuration.
- `diff` and `clone` are what the tools do with it; `numstat` reads counts of lines.
- `policy` is what whoever runs rootle allows besides.
"""
