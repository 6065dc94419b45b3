"""Named faults of the core: each breaks what one claim of the paper says.

A claim is only tested if some fault against it turns its test red. ``mutate`` applies
each of these to a copy, and ``test_mutations`` holds that every one is seen.
"""

from tests.theorems import (
    faults_of_algorithms,
    faults_of_changes,
    faults_of_continual,
    faults_of_joint_releases,
    faults_of_order,
    faults_of_rungs,
    faults_of_tables,
    faults_of_theorems,
)

MUTATIONS = (
    *faults_of_algorithms.FAULTS,
    *faults_of_theorems.FAULTS,
    *faults_of_order.FAULTS,
    *faults_of_rungs.FAULTS,
    *faults_of_tables.FAULTS,
    *faults_of_joint_releases.FAULTS,
    *faults_of_continual.FAULTS,
    *faults_of_changes.FAULTS,
)
