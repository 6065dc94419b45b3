"""The processes of the service, and what they are built from.

One room a worker (``counter``, ``curator``, ``responder``, ``reclusterer``); what they
share is in ``running``, ``answering`` and ``audit``. ``clients`` reads the settings,
``roles`` builds and runs a worker from them, ``operator`` holds an operator's acts.
"""
