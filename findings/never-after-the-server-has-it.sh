#!/usr/bin/env bash
# Never, by its documentation. `HTTPAdapter(max_retries=3)` of requests 2.28.1, over urllib3 1.26.12, is for failed lookups and connections, "never to
# requests where data has made it to the server". A GET and a PUT whose connection breaks after they were read are sent four times, a GET that is not
# answered in time too, for four times its timeout; and a 503 with a `Retry-After` is waited for, four times, as long as the server says, without a
# bound, where one without the header is returned at once. `max_retries=0` does what it says. Seen on 2026-11-30, on Debian 12.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download python3-requests=2.28.1+dfsg-1 python3-urllib3=1.26.12-1+deb12u4 python3-idna python3-chardet python3-charset-normalizer python3-certifi python3-six >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
cat >show.py <<'SHOW'
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import requests
from requests.adapters import HTTPAdapter

count = 0


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        global count
        count += 1
        if self.path == '/slow':
            time.sleep(2)
        if self.path == '/broken':
            return self.connection.close()
        self.send_response(503)
        if self.path == '/come-back':
            self.send_header('Retry-After', '2')
        self.send_header('Content-Length', '0')
        self.end_headers()

    def do_PUT(self):
        self.do_GET()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
server.handle_error = lambda *_: None
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f'http://127.0.0.1:{server.server_port}'


def show(retries, method, path):
    global count
    session = requests.Session()
    session.mount('http://', HTTPAdapter(max_retries=retries))
    count = 0
    started = time.monotonic()
    try:
        end = session.request(method, url + path, timeout=1).status_code
    except requests.RequestException as error:
        end = type(error).__name__
    print(f'max_retries={retries}, {method} {path}: {count} requests, {end} after {time.monotonic() - started:.0f} s')


for retries in (0, 3):
    for method, path in (('GET', '/busy'), ('GET', '/come-back'), ('GET', '/broken'), ('PUT', '/broken'), ('GET', '/slow')):
        show(retries, method, path)
SHOW
cat >expected <<'SEEN'
max_retries=0, GET /busy: 1 requests, 503 after 0 s
max_retries=0, GET /come-back: 1 requests, 503 after 0 s
max_retries=0, GET /broken: 1 requests, ConnectionError after 0 s
max_retries=0, PUT /broken: 1 requests, ConnectionError after 0 s
max_retries=0, GET /slow: 1 requests, ReadTimeout after 1 s
max_retries=3, GET /busy: 1 requests, 503 after 0 s
max_retries=3, GET /come-back: 4 requests, 503 after 6 s
max_retries=3, GET /broken: 4 requests, ConnectionError after 0 s
max_retries=3, PUT /broken: 4 requests, ConnectionError after 0 s
max_retries=3, GET /slow: 4 requests, ConnectionError after 4 s
SEEN
PYTHONPATH=debian/usr/lib/python3/dist-packages TZ=UTC /usr/bin/python3 show.py | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
