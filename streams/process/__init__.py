"""The process: one service of ours inside Faust, started, watched and ended."""
