"""Acts of the operator on a running service, one file each.

Restore a store from its audit trail, give a dataset another rule, load the functions of
this release, see which processes are there. The command line asks; nothing here prints.
"""
