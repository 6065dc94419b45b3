"""SQL: a condition, or a whole SELECT, as a tree that was checked before it is read.

``screen`` bounds the words, ``grammar`` makes the tree, ``translate`` and ``select``
say what it means; ``habits`` and ``select_habits`` hint at what was meant instead.
"""
