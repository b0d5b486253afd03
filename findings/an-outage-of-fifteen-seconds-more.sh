#!/usr/bin/env bash
# An outage of a moment that lasts a quarter of a minute. PgBouncer 1.18.0 does not try to connect again for 15 s after a try that failed
# (`server_login_retry`). A PostgreSQL 15 that is back after a moment answers whoever asks it directly, while clients of the pooler are refused, "server
# login has been failing, try again later", by the code 08P01, which is a protocol violation by its name, for some ten seconds more: three attempts
# within a second or two are over by then, and one that repeats by codes makes none. With `server_login_retry = 1` it is a moment. Seen on
# Node 20.20.2, 2026-11-30, with pg 8.23.1 on a PostgreSQL 15.20 of its own, and a `query_wait_timeout` of a second.
set -euo pipefail
folder="$(mktemp -d)"
server=/usr/lib/postgresql/15/bin
owner() { if [ "$(id -u)" = 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi; }
trap 'kill "$(cat data/pooler 2>/dev/null)" 2>/dev/null || true; owner "$server/pg_ctl" -D "$folder/data/db" -m immediate stop >/dev/null 2>&1 || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 "$folder"
mkdir data
if [ "$(id -u)" = 0 ]; then chown postgres data; fi
owner "$server/initdb" -D "$folder/data/db" -U postgres -A trust >/dev/null
apt-get download pgbouncer=1.18.0-1+deb12u1 libc-ares2 libevent-2.1-7 >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts pg@8.23.1
start() { owner "$server/pg_ctl" -D "$folder/data/db" -o "-k $folder/data -c listen_addresses=" -l "$folder/data/log" -w start >/dev/null; }
start
echo '"postgres" ""' >users
cat >show.mjs <<'SHOW'
import pg from 'pg';
import { setTimeout as sleep } from 'node:timers/promises';

const [, , host, port, way] = process.argv;
async function ask() {
  const client = new pg.Client({ host, port: Number(port), user: 'postgres', database: 'postgres' });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return 'answered';
  } catch (error) {
    return `${error.code}, ${error.message}`;
  } finally {
    await client.end().catch(() => {});
  }
}
if (way === 'once') {
  console.log(await ask());
} else {
  const start = performance.now();
  const ends = new Set();
  for (let end = await ask(); end !== 'answered'; end = await ask()) {
    ends.add(end);
    await sleep(200);
  }
  const seconds = (performance.now() - start) / 1_000;
  console.log(`${seconds > 6 ? `${[...ends].join('; ')}, ` : ''}answered after ${seconds < 4 ? 'a moment' : seconds > 6 && seconds < 20 ? 'some ten seconds' : `${seconds} s`}`);
}
SHOW
ask() { node show.mjs "$folder/data" "$@"; }
show() { # port, setting
  cat >"pooler-$1.ini" <<CONFIG
[databases]
postgres = host=$folder/data
[pgbouncer]
listen_addr =
listen_port = $1
unix_socket_dir = $folder/data
auth_type = trust
auth_file = $folder/users
pidfile = $folder/data/pooler
pool_mode = transaction
query_wait_timeout = 1
$2
CONFIG
  LD_LIBRARY_PATH="$(echo "$folder"/debian/usr/lib/*-linux-gnu)" owner debian/usr/sbin/pgbouncer "pooler-$1.ini" >/dev/null 2>&1 &
  until [ -S "data/.s.PGSQL.$1" ]; do sleep 0.1; done
  echo "${2:-by default}, before: $(ask "$1" once)"
  owner "$server/pg_ctl" -D "$folder/data/db" -m fast stop >/dev/null
  echo "${2:-by default}, down: $(ask "$1" once)"
  start
  echo "${2:-by default}, up again, asked directly: $(ask 5432 once)"
  echo "${2:-by default}, up again, by the pooler: $(ask "$1" until)"
  kill "$(cat data/pooler)"
  while [ -e data/pooler ]; do sleep 0.1; done
}
{
  LD_LIBRARY_PATH="$(echo "$folder"/debian/usr/lib/*-linux-gnu)" debian/usr/sbin/pgbouncer -V | head -1
  show 6543 ''
  show 6544 'server_login_retry = 1'
} | tee seen
cat >expected <<'SEEN'
PgBouncer 1.18.0
by default, before: answered
by default, down: 08P01, query_wait_timeout
by default, up again, asked directly: answered
by default, up again, by the pooler: 08P01, server login has been failing, try again later (server_login_retry), answered after some ten seconds
server_login_retry = 1, before: answered
server_login_retry = 1, down: 08P01, query_wait_timeout
server_login_retry = 1, up again, asked directly: answered
server_login_retry = 1, up again, by the pooler: answered after a moment
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
