"""Recounting: the rows topic read anew beside what was counted."""
