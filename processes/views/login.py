"""Log in, with what was typed before still in hand; and the light one reads in."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from dalhc.http import carrying
from dalhc.http.addresses import client_address
from dalhc.http.carrying import Carried
from dalhc.http.pages import THEMES, HtmxRequest, see, see_path
from processes.services import Forbidden, guessing

YEAR = 365 * 24 * 3600


class Login(LoginView):
    """Django's own login. A form that was carried here is sent once it has succeeded."""

    http_method_names = ("get", "head", "post")  # Django's own takes a PUT for a POST
    template_name = "login.html"
    redirect_authenticated_user = True

    def post(self, request: Any, *args: Any, **kwargs: Any) -> HttpResponse:
        """Whoever has to wait is not tried, so that the answer tells nothing about the word."""
        name = request.POST.get("username", "")
        if wait := guessing.seconds_to_wait(name, client_address(request)):
            page = self.get_context_data(form=self.form_class(request), wait=-(-wait // 60))
            headers = {"Retry-After": str(wait)}
            return self.render_to_response(page, status=429, headers=headers)
        return super().post(request, *args, **kwargs)

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        if form.has_error("__all__"):  # the pair was tried, and was wrong
            guessing.note_failure(form.data.get("username", ""), client_address(self.request))
        return super().form_invalid(form)

    def form_valid(self, form: AuthenticationForm) -> Any:
        guessing.note_success(form.cleaned_data["username"], client_address(self.request))
        response = super().form_valid(form)
        carried = self._carried()
        if carried is None or not carrying.is_first_use(self.request, carried):
            return response
        return _sent(self.request, carried)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs, carried=self._carried())

    def _carried(self) -> Carried | None:
        return carrying.unpack(self.request.POST.get("carried", ""))


def _sent(request: Any, carried: Carried) -> HttpResponseBase:
    """Only for the person who typed it: anyone else is shown the text, and nothing is sent."""
    name = request.user.get_username()
    if carried.who not in {"", name}:
        carrying.aim(request, carried)
        raise Forbidden(f"{carried.who} typed this, and you logged in as {name}.")
    return carrying.send(request, carried)


@login_not_required
@require_POST
def theme(request: HtmxRequest) -> HttpResponse:
    """Light, dark, or as the machine has it; a cookie, so that the first paint is right."""
    back = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(back, {request.get_host()}, request.is_secure())
    response = see_path(back) if is_ours and len(back) < 2_000 else see("processes:inbox")
    chosen = request.POST.get("theme", "")
    if chosen in THEMES:
        response.set_cookie(
            "theme",
            chosen,
            max_age=YEAR,
            samesite="Lax",
            secure=request.is_secure(),
            httponly=True,
        )
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response
