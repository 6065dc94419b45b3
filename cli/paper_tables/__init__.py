"""`sigma paper`: the experiments, printed or written as the page of results."""
