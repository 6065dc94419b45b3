"""Reading: a file as people have it becomes rows, or is refused with the reason.

Every file has one outcome: its rows, each with the line it stands on; rows that are
none, with a reason; or a refusal of the file as a whole that says what to do.
"""
