"""Who may open a page."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate

from django.http import HttpResponse

from dalhc.http.pages import HtmxRequest
from processes import services
from processes.services.actors import require


def admins_only[**P](
    view: Callable[Concatenate[HtmxRequest, P], HttpResponse],
) -> Callable[Concatenate[HtmxRequest, P], HttpResponse]:
    """Anyone else is refused with Forbidden."""

    @wraps(view)
    def guarded(request: HtmxRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        require(services.person(request.user), "admin")
        return view(request, *args, **kwargs)

    return guarded
