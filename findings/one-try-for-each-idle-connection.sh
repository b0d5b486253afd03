#!/usr/bin/env bash
# One try that is five. nginx 1.22.1 passes a request on to `proxy_next_upstream_tries` servers at most. A try over a connection that was kept from
# before, by `keepalive`, is not counted when it fails: with a limit of one, one server, and four idle connections to it, a PUT or a DELETE whose
# connection is closed after it was read is sent to that server five times, and answered by 502. The busier a server has been, the more often it gets
# what ends its processes. A POST is sent once, and so is all with `proxy_next_upstream off`. Seen on Node 20.20.2, 2026-11-30, on the nginx of
# Debian 12.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${proxy:-}" "${server:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 "$folder"
apt-get download nginx=1.22.1-9+deb12u11 >/dev/null 2>&1
dpkg-deb --extract nginx_*.deb debian
cat >server.mjs <<'SERVER'
// Answers /warm when as many requests for it have come as it says, each over a connection of its own; reads any other request and closes its connection.
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

let waiting = [];
let read = 0;
const server = createServer(({ socket, url }, response) => {
  if (url === '/read') return response.end(`${read}`);
  const [, warm, count] = url.split('/');
  if (warm !== 'warm') {
    read += 1;
    return socket.destroy();
  }
  waiting.push(response);
  if (waiting.length < Number(count)) return;
  for (const each of waiting) each.end('well');
  waiting = [];
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => writeFileSync('port', `${server.address().port}`));
SERVER
node server.mjs &
server=$!
until [ -s port ]; do sleep 0.1; done
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
  upstream orders { server 127.0.0.1:$(cat port); keepalive 16; }
  server {
    listen 127.0.0.1:$port;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    location / { proxy_pass http://orders; proxy_next_upstream_tries 1; }
    location /off { proxy_pass http://orders; proxy_next_upstream off; }
  }
}
CONFIG
debian/usr/sbin/nginx -p "$folder" -c nginx.conf -e "$folder/log" 2>/dev/null &
proxy=$!
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
cat >show.mjs <<'SHOW'
const [proxy, server] = process.argv.slice(2).map((port) => `http://127.0.0.1:${port}`);
const ask = (url, options) => fetch(url, options).then(async (response) => ({ status: response.status, text: await response.text() }));

async function show(name, method, path, idle) {
  await Promise.all(Array.from({ length: idle }, () => ask(`${proxy}/warm/${idle}`)));
  const before = Number((await ask(`${server}/read`)).text);
  const { status } = await ask(`${proxy}${path}`, { method });
  console.log(`${name}, ${idle} idle: read ${Number((await ask(`${server}/read`)).text) - before} times, ${status}`);
}
await show('PUT, one try', 'PUT', '/orders', 1);
await show('PUT, one try', 'PUT', '/orders', 4);
await show('DELETE, one try', 'DELETE', '/orders', 4);
await show('POST, one try', 'POST', '/orders', 4);
await show('PUT, off', 'PUT', '/off', 4);
process.exit();
SHOW
{
  debian/usr/sbin/nginx -v 2>&1
  node show.mjs "$port" "$(cat port)"
} | tee seen
cat >expected <<'SEEN'
nginx version: nginx/1.22.1
PUT, one try, 1 idle: read 2 times, 502
PUT, one try, 4 idle: read 5 times, 502
DELETE, one try, 4 idle: read 5 times, 502
POST, one try, 4 idle: read 1 times, 502
PUT, off, 4 idle: read 1 times, 502
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
