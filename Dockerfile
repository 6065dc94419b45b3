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
# Nobody special: the service needs no right on the machine, only a place for the file
# that `sigma acl` writes.
RUN useradd --uid 10001 --no-create-home sigma && install -d -o sigma /acl
COPY --from=build /venv /venv
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    SIGMA_WEB_HOST=0.0.0.0
USER sigma
WORKDIR /acl
EXPOSE 6066
STOPSIGNAL SIGTERM
ENTRYPOINT ["sigma"]
CMD ["--help"]
