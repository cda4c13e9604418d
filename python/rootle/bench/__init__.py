"""The measurements behind `rootle bench`: every searcher found, same queries, answers compared, times side by side."""
