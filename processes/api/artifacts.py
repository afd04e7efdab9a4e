"""Artifacts over REST: streamed in, always handed out as attachments (T15)."""

from __future__ import annotations

from typing import ClassVar

from django.http import FileResponse
from rest_framework.request import Request
from rest_framework.response import Response

from dalhc.http.attachments import attachment
from processes import services
from processes.api import query, replies
from processes.api.endpoint import Endpoint, actor
from processes.models import Artifact


class Artifacts(Endpoint):
    """Every artifact of a process, by path."""

    def get(self, request: Request, process_id: str) -> Response:
        query.params(request, ())
        services.read_row(process_id, by=actor(request))
        found = Artifact.objects.filter(process_id=process_id).order_by("path")
        return Response(
            {
                "results": [replies.artifact(one) for one in found],
                "next": None,
                "previous": None,
            }
        )


class OneArtifact(Endpoint):
    scopes: ClassVar = {"GET": "read", "PUT": "journal"}

    def put(self, request: Request, process_id: str, path: str) -> Response:
        values = query.params(request, ("lease_epoch",))
        epoch = (
            query.whole(values, "lease_epoch", 0, 0, 2**53) if "lease_epoch" in values else None
        )
        kept, changed = services.put_artifact(
            process_id, path, request._request, lease_epoch=epoch, by=actor(request)
        )
        return Response(replies.artifact(kept), status=201 if changed else 200)

    def get(self, request: Request, process_id: str, path: str) -> FileResponse:
        query.params(request, ())
        file, found = services.open_artifact(process_id, path, actor(request))
        return attachment(file, found.path, found.size, found.sha256)
