"""The file layouts of data sets, by the task's name. Each reads names and lists, and no photo.

`genset.finetune.tasks` checks, for all of them, that the photos can be read and that each class has
enough of them.
"""

from collections.abc import Mapping

from genset.finetune.layouts import folder, lists, names
from genset.finetune.layouts.listing import Layout

LAYOUTS: Mapping[str, Layout] = {
    layout.task: layout
    for layout in (
        *(lists.BIRDS, lists.PETS, lists.FOOD, lists.TEXTURES),
        *(names.CATS_DOGS, names.BUTTERFLIES, names.EUROSAT),
        folder.FOLDER,
    )
}
