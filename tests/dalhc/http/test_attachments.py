from __future__ import annotations

from io import BytesIO

import pytest

from dalhc.http.attachments import attachment


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/report.md", "report.md"),
        ('a";\r\nSet-Cookie: s=1.txt', "a%22%3B%0D%0ASet-Cookie%3A%20s%3D1.txt"),
        ("ü/naïve \u202e.html", "na%C3%AFve%20%E2%80%AE.html"),
    ],
)
def test_a_name_is_data_and_never_a_header(path, name):
    response = attachment(BytesIO(b"x"), path, 1, "0" * 64)
    assert response["Content-Disposition"] == f"attachment; filename*=UTF-8''{name}"
    assert response["Content-Type"] == "application/octet-stream"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"].startswith("sandbox")
    assert response["Content-Length"] == "1"
