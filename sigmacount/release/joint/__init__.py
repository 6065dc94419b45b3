"""Joint: tables that are estimated together, from all that was measured.

``plan`` says what is measured and published, ``estimating`` goes from true counts and
noise to coefficients, ``whole`` from those to tables, and ``answers`` reads them.
"""
