"""The file layouts of data sets, by the task's name. Each reads names and lists, and no photo.

`genset.finetune.tasks` checks, for all of them, that the photos can be read and that each class has
enough of them.
"""

from collections.abc import Mapping

from genset.finetune.layouts import folder, libraries, published
from genset.finetune.layouts.listing import Layout

_ALL: tuple[Layout, ...] = (
    published.birds,
    published.pets,
    published.flowers,
    published.aircraft,
    published.food,
    published.textures,
    published.cats_dogs,
    published.butterflies,
    published.eurosat,
    folder.FOLDER,
    folder.TABLE,
    libraries.HUGGING_FACE,
    libraries.TORCHVISION,
)

LAYOUTS: Mapping[str, Layout] = {layout.task: layout for layout in _ALL}
