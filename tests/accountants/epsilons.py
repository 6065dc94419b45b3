"""What dp-accounting promises of noise that was priced in ρ: a line of JSON.

Run: python epsilons.py CASES, in the environment of ``dp_accounting.lock``; CASES is
JSON, a list of [[ρ, …], δ], each ρ a mechanism's; printed is the ε of each case.
"""

import json
import math
import sys

import numpy as np
from dp_accounting import GaussianDpEvent
from dp_accounting.rdp import RdpAccountant

ORDERS = 400  # in a pass; the second is around the best of the first


def at_orders(parts, delta, orders):
    """(ε, the order it was found at) of Gaussian noise that costs these ρ together."""
    accountant = RdpAccountant(orders)
    for rho in parts:
        accountant.compose(GaussianDpEvent(math.sqrt(1 / (2 * rho))))
    return accountant.get_epsilon_and_optimal_order(delta)


def epsilon(parts, delta):
    """The least ε over all orders, to some nine digits."""
    typical = math.sqrt(-math.log(delta) / sum(parts))
    _, best = at_orders(parts, delta, 1 + typical * np.geomspace(0.05, 20, ORDERS))
    near = 1 + (best - 1) * np.geomspace(0.98, 1.02, ORDERS)
    return at_orders(parts, delta, near)[0]


if __name__ == "__main__":
    print(json.dumps([epsilon(*case) for case in json.loads(sys.argv[1])]))
