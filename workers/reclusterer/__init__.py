"""The reclusterer: query log → plans, proposed when they are worth their price.

``query_log`` holds what was asked lately, ``verdict`` says whether the plan that it
asks for is worth proposing, ``reclusterer`` reads, decides and sends.
"""
