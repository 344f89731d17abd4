"""A release whose photos have all their right answers, made of one whose photos have one each.

answers  what people say of each class that may be in a photo, and the rule that decides
again    the plan of the first release, from its manifest
kept     its photos that may be used still
several  photos that it left out, for they are correct for several classes
facts    how it was asked, for the manifest
recount  these facts of some of its photos, after a takedown
freeze   all of it together
"""
