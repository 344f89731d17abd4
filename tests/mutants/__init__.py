"""Change the modules that decide, one operator at a time, and see whether their tests notice.

    changes     what can be changed in a module
    targets     the modules, and the tests of each
    patch       put a change into a module that is loaded
    order       which of these tests first
    trial       run the tests of a module, in a fork for each change
    equivalent  the changes that change nothing that anybody could see, each with its reason

A script of our own. mutmut 3.8 leaves out constants outside of functions ("far classes have at most
4 kinds in common") and most of what has a decorator, as properties and context managers do.
cosmic-ray, which was read about and not run, starts pytest anew for each change; importing SciPy,
SQLAlchemy and pytest takes longer here than most tests do.
"""
