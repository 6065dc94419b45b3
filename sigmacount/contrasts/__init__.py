"""Contrasts: what a joint release measures, with which noise, and how far that errs.

The counts of a grid fall apart into contrasts, those of each set of attributes apart
from those of every other (Efron-Stein). A question is a sum of contrasts of its
attributes' subsets, so noise on contrasts is shared by all questions that need them.
"""

from sigmacount.contrasts.attribute_sets import (
    AttributeSet,
    GriddedQuery,
    closure,
    maximal,
)
from sigmacount.contrasts.axes import along, averaging, edge, orthonormal
from sigmacount.contrasts.covariance import (
    Covariance,
    DenseCovariance,
    IsotropicCovariance,
    ProductCovariance,
    combined,
)
from sigmacount.contrasts.grid import Grid
from sigmacount.contrasts.gridded_workload import (
    GriddedWorkload,
    WeightedRows,
    WeightedTables,
)
from sigmacount.contrasts.joint_noise import JointGaussian
from sigmacount.contrasts.measured_set import MeasuredSet
from sigmacount.contrasts.measurement import ContrastMeasurement
from sigmacount.contrasts.optimum.allocation import (
    allocated,
    refuse_wider,
    roots,
    within_int64,
)
from sigmacount.contrasts.optimum.bound import least_possible
from sigmacount.contrasts.optimum.energies import (
    coefficients,
    energy_under,
    grams,
    isotropic_energies,
    isotropic_energy,
    least_variance,
    mean_squares,
    variance,
    variances,
)
from sigmacount.contrasts.rungs import (
    ContrastSet,
    Ladder,
    Rung,
    attributes_of,
    factor_of,
    parts_within,
    rungs_of,
)
from sigmacount.contrasts.strategies.effort import Effort
from sigmacount.contrasts.strategies.isotropic import IsotropicStrategy
from sigmacount.contrasts.strategies.kinds import alike
from sigmacount.contrasts.strategies.product import ProductStrategy
from sigmacount.contrasts.strategies.strategy import SetStrategy
from sigmacount.contrasts.strategies.weighted import WeightedStrategy
from sigmacount.contrasts.tailoring.choice import Tailored, tailored, weighted_alone

__all__ = [
    "AttributeSet",
    "ContrastMeasurement",
    "ContrastSet",
    "Covariance",
    "DenseCovariance",
    "Effort",
    "Grid",
    "GriddedQuery",
    "GriddedWorkload",
    "IsotropicCovariance",
    "IsotropicStrategy",
    "JointGaussian",
    "Ladder",
    "MeasuredSet",
    "ProductCovariance",
    "ProductStrategy",
    "Rung",
    "SetStrategy",
    "Tailored",
    "WeightedRows",
    "WeightedStrategy",
    "WeightedTables",
    "alike",
    "allocated",
    "along",
    "attributes_of",
    "averaging",
    "closure",
    "coefficients",
    "combined",
    "edge",
    "energy_under",
    "factor_of",
    "grams",
    "isotropic_energies",
    "isotropic_energy",
    "least_possible",
    "least_variance",
    "maximal",
    "mean_squares",
    "orthonormal",
    "parts_within",
    "refuse_wider",
    "roots",
    "rungs_of",
    "tailored",
    "variance",
    "variances",
    "weighted_alone",
    "within_int64",
]
