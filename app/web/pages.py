"""All pages, and the files that they load."""

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from app.web import docs, new_set, one_set, sets
from app.web.rendering import HERE


def install(app: FastAPI) -> None:
    for page in (sets, new_set, one_set, docs):  # new_set before one_set, as /sets/new is no id
        app.include_router(page.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    app.mount("/swagger", StaticFiles(packages=[("fastapi_swagger", "resources")]))
