"""What stands between the world and the pages: every byte from outside passes here first."""

from starlette.middleware import Middleware

from labeler_app.edge.bodies import BoundedBodies
from labeler_app.edge.origins import SameOrigin
from labeler_app.edge.policy import SecurityHeaders

# From the outside in: what is refused has the headers too.
EDGE = [Middleware(SecurityHeaders), Middleware(SameOrigin), Middleware(BoundedBodies)]
