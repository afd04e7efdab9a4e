"""Django's settings; what differs between machines comes from dalhc.environment."""

from __future__ import annotations

from pathlib import Path

from django.utils.csp import CSP

from dalhc.db import postgres
from dalhc.db.sqlite import options as sqlite_options
from dalhc.environment import Environment

ENVIRONMENT = Environment()
BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = ENVIRONMENT.data_dir

SECRET_KEY = ENVIRONMENT.secret_key()
DEBUG = ENVIRONMENT.debug
ALLOWED_HOSTS = [*ENVIRONMENT.hosts]

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "processes",
    "descriptors",
]

MIDDLEWARE = [
    "dalhc.http.requests.RequestIdMiddleware",
    "dalhc.http.requests.ApiMiddleware",  # the rest is for pages
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "dalhc.http.pages.PageMiddleware",
]

ROOT_URLCONF = "dalhc.urls"
WSGI_APPLICATION = "dalhc.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.template.context_processors.csp",
                "dalhc.http.pages.frame",
            ],
            "builtins": ["processes.templatetags.dalhc"],
        },
    }
]

SQLITE = {
    "ENGINE": "dalhc.db.sqlite",
    "NAME": DATA_DIR / "dalhc.sqlite3",
    "CONN_MAX_AGE": None,
    "ATOMIC_REQUESTS": False,
    "OPTIONS": sqlite_options(),
    "TEST": {"NAME": DATA_DIR / "test.sqlite3"},
}
DATABASES = {
    "default": postgres.database(ENVIRONMENT.database_url)
    if ENVIRONMENT.database_url
    else SQLITE
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 10},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "processes:inbox"
LOGOUT_REDIRECT_URL = "login"

SESSION_COOKIE_AGE = 12 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_FAILURE_VIEW = "processes.views.errors.csrf_failure"
if ENVIRONMENT.https:
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-dalhc", "__Host-dalhc-csrf"
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 31_536_000
else:
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "dalhc", "dalhc-csrf"

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.NONCE],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "object-src": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_I18N = False
USE_TZ = True

FORCE_SCRIPT_NAME = ENVIRONMENT.prefix or None
STATIC_URL = f"{ENVIRONMENT.prefix}/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# Bodies are bounded and read by the front and by dalhc.http.json; pages carry one text of
# 8,000 characters.
DATA_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["processes.api.auth.BearerKey"],
    "DEFAULT_PERMISSION_CLASSES": ["processes.api.auth.HasScope"],
    "DEFAULT_RENDERER_CLASSES": ["processes.api.rendering.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": [],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "processes.api.rendering.OnlyJSON",
    "EXCEPTION_HANDLER": "processes.api.rendering.refused",
    "DEFAULT_SCHEMA_CLASS": "processes.api.schema.Schema",
    "UNAUTHENTICATED_USER": None,
    "UNAUTHENTICATED_TOKEN": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "dalhc",
    "DESCRIPTION": "The human side of durable agent runs.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"safe": {"()": "dalhc.http.logs.Safe"}},
    "formatters": {"line": {"()": "dalhc.http.logs.OneLine"}},
    "handlers": {
        "stderr": {
            "class": "logging.StreamHandler",
            "filters": ["safe"],
            "formatter": "line",
        }
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "dalhc": {"level": "INFO"},
        "django": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        "django.request": {"level": "ERROR"},
    },
}
