"""What is said of classes that no model of ImageNet's can be scored on, before anybody labels."""

import click

from genset.classes import Taxonomy, imagenet1k
from genset.core.errors import BadInput
from genset.core.safe import visible


def tell_overlap(taxonomy: Taxonomy) -> None:
    """Say on standard error where WordNet puts a class of ImageNet below several of these."""
    from genset.models.mapping.outputs import above, outputs_of

    try:
        outputs_of([cls.wnid for cls in imagenet1k()], taxonomy, above)
    except BadInput as error:
        message = f"no model of ImageNet's classes can be scored on {taxonomy.name} yet: {error}"
        click.echo(visible(message), err=True)
