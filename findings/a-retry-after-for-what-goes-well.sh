#!/usr/bin/env bash
# A Retry-After for what goes well. `add_header Retry-After 120` of nginx 1.22.1, `Header set Retry-After 120` of Apache 2.4.71 and `http-response
# set-header Retry-After 120` of HAProxy 2.6.12 are taken without an error, and each 200 has the header. A 503 and a 429 have none: nginx adds it to
# answers that went well, Apache sets it where it has not made the answer itself, and HAProxy on what comes from a server. Of all answers they leave
# out those that the header is meant for, so that a client told to stay away for two minutes comes back by its own delay. `always`, in nginx and
# Apache, and `http-after-response` have it there. Seen on 2026-11-30, on Debian 12.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${nginx:-}" "${apache:-}" "${haproxy:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
chmod 755 "$folder"
apt-get download nginx=1.22.1-9+deb12u11 apache2-bin=2.4.71-1~deb12u1 libapr1 libaprutil1 haproxy=2.6.12-1+deb12u4 libopentracing-c-wrapper0 libopentracing1 liblua5.3-0 >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
LD_LIBRARY_PATH="$(echo "$folder"/debian/usr/lib/*-linux-gnu)"
export LD_LIBRARY_PATH
read -r first second third < <(node -e 'const net = require("net"); const servers = [1, 2, 3].map(() => net.createServer().listen(0, "127.0.0.1")); setTimeout(() => { console.log(servers.map((server) => server.address().port).join(" ")); process.exit(); }, 100)')
cat >nginx.conf <<CONFIG
daemon off;
master_process off;
pid $folder/nginx.pid;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path $folder/1;
  proxy_temp_path $folder/2;
  fastcgi_temp_path $folder/3;
  uwsgi_temp_path $folder/4;
  scgi_temp_path $folder/5;
  server {
    listen 127.0.0.1:$first;
    add_header Retry-After 120;
    location = /well { return 200; }
    location = /down { return 503; }
    location = /many { return 429; }
    location = /always {
      add_header Retry-After 120 always;
      return 503;
    }
  }
}
CONFIG
mkdir pages
touch pages/well
modules="$folder/debian/usr/lib/apache2/modules"
cat >apache.conf <<CONFIG
ServerName localhost
PidFile $folder/apache.pid
ErrorLog $folder/apache.log
DefaultRuntimeDir $folder
Listen 127.0.0.1:$second
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule alias_module $modules/mod_alias.so
LoadModule headers_module $modules/mod_headers.so
DocumentRoot $folder/pages
Header set Retry-After 120
Redirect 503 /down
Redirect 429 /many
Redirect 503 /always
<Location /always>
  Header always set Retry-After 120
</Location>
CONFIG
cat >haproxy.cfg <<CONFIG
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend web
  bind 127.0.0.1:$third
  http-request set-var(txn.path) path
  http-response set-header Retry-After 120
  http-after-response set-header Retry-After 120 if { var(txn.path) -m str /always }
  http-request deny deny_status 429 if { path /many }
  http-request deny deny_status 503 if { path /always }
  use_backend nobody if { path /down }
  default_backend pages
backend nobody
backend pages
  server one 127.0.0.1:$first
CONFIG
debian/usr/sbin/nginx -p "$folder" -c nginx.conf -e "$folder/log" 2>/dev/null &
nginx=$!
debian/usr/sbin/apache2 -f "$folder/apache.conf" -D FOREGROUND 2>/dev/null &
apache=$!
debian/usr/sbin/haproxy -f haproxy.cfg >/dev/null 2>&1 &
haproxy=$!
for port in "$first" "$second" "$third"; do until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done; done
show() {
  for path in well down many always; do
    answer="$(curl --silent --dump-header - --output /dev/null "http://127.0.0.1:$2/$path" | tr -d '\r')"
    after="$(echo "$answer" | sed -n 's/^retry-after: //Ip')"
    echo "$1, $path: $(echo "$answer" | awk 'NR == 1 { print $2 }'), Retry-After: ${after:-none}"
  done
}
{
  debian/usr/sbin/nginx -v 2>&1
  debian/usr/sbin/apache2 -v | head -1
  debian/usr/sbin/haproxy -v | grep -o 'HAProxy version [0-9.]*'
  show nginx "$first"
  show Apache "$second"
  show HAProxy "$third"
} | tee seen
cat >expected <<'SEEN'
nginx version: nginx/1.22.1
Server version: Apache/2.4.71 (Debian)
HAProxy version 2.6.12
nginx, well: 200, Retry-After: 120
nginx, down: 503, Retry-After: none
nginx, many: 429, Retry-After: none
nginx, always: 503, Retry-After: 120
Apache, well: 200, Retry-After: 120
Apache, down: 503, Retry-After: none
Apache, many: 429, Retry-After: none
Apache, always: 503, Retry-After: 120
HAProxy, well: 200, Retry-After: 120
HAProxy, down: 503, Retry-After: none
HAProxy, many: 429, Retry-After: none
HAProxy, always: 503, Retry-After: 120
SEEN
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
