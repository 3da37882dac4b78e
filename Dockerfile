# The service. It needs a PostgreSQL (DATABASE_URL) and a key (NEXTPAIR_API_KEY): see docker-compose.yml.
FROM python:3.11-slim
WORKDIR /srv/nextpair
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes --requirement requirements.lock \
    && useradd --system --create-home nextpair
COPY pyproject.toml README.md LICENSE ./
COPY client client
COPY app app
COPY judge_worker judge_worker
COPY migrations migrations
RUN pip install --no-cache-dir --no-deps --no-build-isolation ./client .
USER nextpair
RUN python -c "from app.inference.state.snapshot import warm_up; warm_up()"
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=180s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz')"]
CMD ["nextpair", "serve", "--host", "0.0.0.0", "--port", "8000"]
