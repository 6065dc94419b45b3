"""Joint: plans whose tables are measured together, in either family of noise.

``coverage`` is the part of a log that a release can hold, ``gaussian`` what integer
contrasts with Gaussian noise make of it, and ``pure`` overlapping tables with Laplace
noise. ``forecasting`` says how far a plan errs on a log, ``comparison`` which family
errs less, and ``proposing`` makes the plan with its reasons.
"""
