"""The pages of a gateway for people: signed in by a cookie, made by `dashboard`.

``sign_in`` takes a token once and keeps it in the browser, ``visits`` are requests of
who is signed in, ``table`` says which act answers which, and ``room`` serves them. An
act in ``shown`` gathers what its page is made of; what is shown of it is decided in
`dashboard`.
"""

from workers.gateway.web.room import WebRoom
from workers.gateway.web.service import BrokerSays
from workers.gateway.web.surroundings import WebSurroundings
from workers.gateway.web.visits import WebSources

__all__ = ["BrokerSays", "WebRoom", "WebSources", "WebSurroundings"]
