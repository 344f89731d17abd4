"""Every command that prints a table has every form of it."""

import pytest

from genset.core.table import FORMATS
from tests.cli.tables import PRINTING, forms


@pytest.mark.parametrize("name", PRINTING)
def test_a_command_that_prints_a_table_has_every_format(name: str) -> None:
    command = PRINTING[name]
    assert forms(command) >= set(FORMATS)
    assert "--json" in {text for option in command.params for text in option.opts}
