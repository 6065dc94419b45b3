# One image for every role: `docker run sigma-counting worker counter`.

FROM python:3.13-slim AS build
WORKDIR /src
RUN python -m venv /venv
# First the locked dependencies, so that a change of our code does not fetch them again.
# The embedded servers are an extra that no worker needs: they have a lock of their own.
COPY requirements.lock ./
RUN /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN /venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation ./wheels/client .

FROM python:3.13-slim
# docker build --build-arg VERSION=… --build-arg REVISION=$(git rev-parse HEAD) .
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="sigma-counting" \
      org.opencontainers.image.description="Differentially private counting as a streaming service" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"
# Nobody special, by number, so that Kubernetes can see that it is not root. It needs no
# right on the machine and no file of its own: all but two folders may be read-only, the
# users of the store (`sigma acl`) and the hashed tokens of the gateway (`sigma token`).
RUN useradd --uid 10001 --user-group --no-create-home sigma \
 && install -d -o 10001 -g 10001 /acl /tokens
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    SIGMA_WEB_HOST=0.0.0.0
USER 10001:10001
WORKDIR /acl
# The worker's own pages, and the gateway's.
EXPOSE 6066 8440
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 \
    CMD ["sigma", "probe"]
ENTRYPOINT ["sigma"]
CMD ["--help"]
