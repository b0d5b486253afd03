#!/usr/bin/env bash
# One bad request for all. nginx 1.22.1 passes a GET that a server does not answer on to the next one, and leaves a server alone for ten seconds after
# one failure, both by default. One request that no server can answer, here a report of which each of two closes the connection, fails at both and
# takes both out: for ten seconds all other requests are answered by 502, "no live upstreams", though both servers are well and are not asked. Who
# repeats the bad request each ten seconds keeps it so. A POST takes one of them out, as it is not passed on, and with `max_fails=0` all others are
# answered. Seen on Node 20.20.2, 2026-11-30, on the nginx of Debian 12.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${proxy:-}" "${server:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 "$folder"
apt-get download nginx=1.22.1-9+deb12u11 >/dev/null 2>&1
dpkg-deb --extract nginx_*.deb debian
cat >server.mjs <<'SERVER'
// Two servers that answer all but one report, of which they close the connection.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const answer = ({ socket, url }, response) => (url === '/reports/17' ? socket.destroy() : response.end('well'));
const servers = [1, 2].map(() => createServer(answer).listen(0, '127.0.0.1'));
await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
writeFileSync('ports', `${servers.map((server) => server.address().port).join(' ')}\n`);
SERVER
node server.mjs &
server=$!
until [ -s ports ]; do sleep 0.1; done
read -r first second <ports
port="$(node -e 'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })')"
cat >nginx.conf <<CONFIG
daemon off;
master_process off;
pid $folder/pid;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path $folder/1;
  proxy_temp_path $folder/2;
  fastcgi_temp_path $folder/3;
  uwsgi_temp_path $folder/4;
  scgi_temp_path $folder/5;
  upstream one { server 127.0.0.1:$first; server 127.0.0.1:$second; }
  upstream two { server 127.0.0.1:$first; server 127.0.0.1:$second; }
  upstream three { server 127.0.0.1:$first max_fails=0; server 127.0.0.1:$second max_fails=0; }
  server {
    listen 127.0.0.1:$port;
    location /one/ { proxy_pass http://one/; }
    location /two/ { proxy_pass http://two/; }
    location /three/ { proxy_pass http://three/; }
  }
}
CONFIG
debian/usr/sbin/nginx -p "$folder" -c nginx.conf -e "$folder/log" 2>/dev/null &
proxy=$!
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { setTimeout as sleep } from 'node:timers/promises';

const ask = async (path, options) => (await fetch(`http://127.0.0.1:${process.argv[2]}${path}`, options)).status;

async function show(name, upstream, method) {
  const bad = await ask(`/${upstream}/reports/17`, { method });
  const others = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`/${upstream}/reports/${index + 20}`)));
  const start = performance.now();
  while ((await ask(`/${upstream}/reports/20`)) !== 200) await sleep(100);
  const seconds = (performance.now() - start) / 1_000;
  const end = seconds < 1 ? 'answered at once' : seconds > 8 && seconds < 13 ? 'answered after some ten seconds' : `answered after ${seconds} s`;
  console.log(`${name}: ${bad}, of 20 others ${others.filter((status) => status === 200).length} are answered, the next one is ${end}`);
}
await show('GET', 'one', 'GET');
await show('POST', 'two', 'POST');
await show('GET, max_fails=0', 'three', 'GET');
process.exit();
SHOW
{
  debian/usr/sbin/nginx -v 2>&1
  node show.mjs "$port"
} | tee seen
cat >expected <<'SEEN'
nginx version: nginx/1.22.1
GET: 502, of 20 others 0 are answered, the next one is answered after some ten seconds
POST: 502, of 20 others 20 are answered, the next one is answered at once
GET, max_fails=0: 502, of 20 others 20 are answered, the next one is answered at once
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
