#!/usr/bin/env bash
# What is worth a retry is a success. `until apt-get update; do sleep 5; done` never repeats what a retry is for: in apt 2.6.1 a connection that is refused
# and a host that is not found are a warning, "they have been ignored, or old ones used instead", and the status is 0, and so is the build that goes on
# with no packages or old ones. `APT::Update::Error-Mode=any` makes them errors. In the same way `redis-cli` 7.0.15 ends with 0 after an error of the
# server, without `-e`, and `find` 4.9.0 after a command of `-exec … ';'` that failed, where `-exec … +` does not. Seen on 2026-11-30, on Debian 12.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${redis:-}" 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
redis-server --port 0 --unixsocket "$folder/redis.sock" --save '' --dir "$folder" >/dev/null &
redis=$!
until [ -S "$folder/redis.sock" ]; do sleep 0.1; done
refused="$(node -e 'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })')"
mkdir -p lists/partial cache
status() { if "$@" >/dev/null 2>&1; then echo 0; else echo $?; fi; }
update() { # address, options
  echo "deb [trusted=yes] http://$1/ stable main" >sources.list
  shift
  env --unset=http_proxy --unset=https_proxy --unset=HTTP_PROXY --unset=HTTPS_PROXY apt-get update --option Dir::Etc::SourceList="$folder/sources.list" --option Dir::Etc::SourceParts=- \
    --option Dir::State::Lists="$folder/lists" --option Dir::Cache="$folder/cache" --option Acquire::http::Proxy=DIRECT --option Acquire::Retries=0 "$@"
}
{
  echo "apt $(apt-get --version | awk '{ print $2; exit }')"
  echo "apt-get update, refused: $(status update "127.0.0.1:$refused")"
  echo "apt-get update, no such host: $(status update no-such-host.invalid)"
  echo "apt-get update, refused, Error-Mode=any: $(status update "127.0.0.1:$refused" --option APT::Update::Error-Mode=any)"
  redis-cli -s redis.sock lpush jobs 1 >/dev/null
  echo "redis-cli, an error: $(status redis-cli -s redis.sock incr jobs)"
  echo "redis-cli -e, an error: $(status redis-cli -e -s redis.sock incr jobs)"
  echo "find -exec false ';': $(status find sources.list -exec false ';')"
  echo "find -exec false +: $(status find sources.list -exec false '{}' +)"
} | tee seen
cat >expected <<'SEEN'
apt 2.6.1
apt-get update, refused: 0
apt-get update, no such host: 0
apt-get update, refused, Error-Mode=any: 100
redis-cli, an error: 0
redis-cli -e, an error: 1
find -exec false ';': 0
find -exec false +: 1
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
