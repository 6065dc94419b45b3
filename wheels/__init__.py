"""How two distributions are built from one checkout: the service, and its client.

In the checkout the packages stand at the top and import each other by short names
(``from streams.wire import …``). What is installed must not claim such names, so in a
wheel they are under ``sigma_service``, and their import statements say so. Only
`sigmacount` and `sigmaclient` keep theirs. An editable install is the checkout itself.

Nothing here is installed; `pip` runs it when it builds (`wheels.backend`).
"""
