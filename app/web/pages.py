"""All pages, and the files that they load."""

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from app.web import activity, annotate, compare, docs, home, items, judges, new_set, project, report, results, settings
from app.web.rendering import HERE


def install(app: FastAPI) -> None:
    of_a_set = (results, compare, items, judges, activity, settings, annotate, report)
    for page in (home, project, new_set, *of_a_set, docs):  # /sets/new is no id
        app.include_router(page.router)
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    app.mount("/swagger", StaticFiles(packages=[("fastapi_swagger", "resources")]))
