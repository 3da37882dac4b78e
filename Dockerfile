# The service. It needs a PostgreSQL (DATABASE_URL) and a key (NEXTPAIR_API_KEY): see docker-compose.yml.
FROM node:24-slim AS libraries
WORKDIR /web
COPY app/web/package.json app/web/package-lock.json app/web/vendor.mjs ./
RUN mkdir static && npm ci --omit=dev --no-audit --no-fund && npm run vendor

FROM python:3.11-slim
WORKDIR /srv/nextpair
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes --requirement requirements.lock \
    && useradd --system --create-home nextpair
COPY pyproject.toml README.md LICENSE ./
COPY client client
COPY app app
COPY --from=libraries /web/static/vendor app/web/static/vendor
COPY judge_worker judge_worker
COPY migrations migrations
RUN pip install --no-cache-dir --no-deps --no-build-isolation ./client .
USER nextpair
RUN python -c "from app.inference.state import warm_up; warm_up()"
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=180s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz')"]
CMD ["nextpair", "serve", "--host", "0.0.0.0", "--port", "8000"]
