"""WordNet 3.0's 82,115 noun synsets: their words, definitions and what each is a kind of.

    >>> from genset.classes.wordnet import imagenet_below, nouns
    >>> [noun.wnid for noun in nouns().senses("crane")][3:]
    ['n03126707', 'n02012849']
    >>> imagenet_below("n02121808")  # the domestic cat
    ('n02123045', 'n02123159', 'n02123394', 'n02123597', 'n02124075')

The table (``wordnet_maps/nouns.tsv.gz``, made by ``wordnet_maps/nouns.py``) is read when it is
first asked for, which takes a quarter of a second. WordNet's notice goes with it.

::

    nouns           the table: look-up by wnid and by word, what is above and below
    queries         what to search for, by rules, and why
"""

from genset.classes.wordnet.nouns import Noun as Noun
from genset.classes.wordnet.nouns import imagenet_below as imagenet_below
from genset.classes.wordnet.nouns import nouns as nouns
