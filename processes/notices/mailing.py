"""One e-mail over SMTP."""

from __future__ import annotations

import smtplib
from email.message import EmailMessage
from email.policy import SMTP
from urllib.parse import unquote, urlsplit

SECONDS = 5.0


def send(server: str, sender: str, to: str, id: str, subject: str, text: str) -> None:
    """`server` reads smtp://user:word@host:587, or smtps:// where all of it is encrypted; a
    login over smtp:// begins with STARTTLS. Raises OSError, SMTPException.
    """
    message = EmailMessage(policy=SMTP)
    message["Subject"], message["From"], message["To"] = subject, sender, to
    message["Message-ID"] = f"<{id}@dalhc>"
    message.set_content(text)
    with _connected(server) as connection:
        connection.send_message(message)


def _connected(server: str) -> smtplib.SMTP:
    parts = urlsplit(server)
    host = parts.hostname or "localhost"
    if parts.scheme == "smtps":
        connection: smtplib.SMTP = smtplib.SMTP_SSL(host, parts.port or 465, timeout=SECONDS)
    else:
        connection = smtplib.SMTP(host, parts.port or 25, timeout=SECONDS)
    if parts.username:
        if parts.scheme != "smtps":
            connection.starttls()
        connection.login(unquote(parts.username), unquote(parts.password or ""))
    return connection
