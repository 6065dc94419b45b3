"""The notebook of the examples, as it lies in git; tests.packaging executes it."""

from pathlib import Path

import nbformat

NOTEBOOK = Path(__file__).parents[2] / "examples/asking.ipynb"


def test_it_lies_in_git_without_what_it_printed():
    """A valid notebook; numbers of some run would be taken for those of a reader's."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)

    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert len(code) > 8
    assert [cell for cell in code if cell.outputs or cell.execution_count] == []
