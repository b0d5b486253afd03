#!/usr/bin/env bash
# Half of the old report, half of the new one, and a success. A download that breaks off is resumed by wget 1.21.3, aria2 1.36.0 and
# node-downloader-helper 2.1.9 by a `Range` from where it broke. None says which version it has a part of (`If-Range`), and none looks at the `ETag`
# of what comes, which is another one here: of a file that was made anew meanwhile they put two halves together, and end well. RetryAgent of undici
# 7.30.2 compares the two and rejects; curl 7.88.1 begins anew. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download aria2=1.36.0-1 libaria2-0=1.36.0-1 wget=1.21.3-1+deb12u1 libc-ares2 libssh2-1 >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts undici@7.30.2 node-downloader-helper@2.1.9
cat >show.mjs <<'SHOW'
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { DownloaderHelper } from 'node-downloader-helper';
import { Agent, request, RetryAgent } from 'undici';

// A report that is made anew each minute: the first answer breaks in the middle, and by the next one there is a newer report.
const size = 2_000_000;
let requests = 0;
const server = createServer(({ headers }, response) => {
  requests += 1;
  const version = requests === 1 ? 'a' : 'b';
  const from = Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0);
  const body = Buffer.alloc(size - from, version);
  const common = { etag: `"${version}"`, 'last-modified': `Mon, 30 Nov 2026 12:0${requests}:00 GMT`, 'accept-ranges': 'bytes', 'content-length': body.length };
  if (from > 0 && (headers['if-range'] === undefined || headers['if-range'] === common.etag))
    response.writeHead(206, { ...common, 'content-range': `bytes ${from}-${size - 1}/${size}` });
  else response.writeHead(200, common);
  if (requests === 1) response.write(body.subarray(0, size / 2), () => setTimeout(() => response.destroy(), 500));
  else response.end(body);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/report`;
const run = promisify(execFile);
const env = { ...process.env, LD_LIBRARY_PATH: 'debian/usr/lib/x86_64-linux-gnu' };
const downloads = {
  wget: () => run('debian/usr/bin/wget', ['--quiet', '--tries=3', '--output-document=wget', url]),
  aria2: () => run('debian/usr/bin/aria2c', ['--quiet', '--max-tries=3', '--out=aria2', url], { env }),
  'curl --continue-at -': () => run('curl', ['--silent', '--retry', '3', '--retry-all-errors', '--continue-at', '-', '--output', 'curl --continue-at -', url]),
  'node-downloader-helper': async () => {
    const download = new DownloaderHelper(url, '.', { fileName: 'node-downloader-helper', retry: { maxRetries: 3, delay: 100 } });
    download.on('error', () => undefined);
    await download.start();
  },
  'RetryAgent of undici': async () => {
    const { body } = await request(url, { dispatcher: new RetryAgent(new Agent(), { minTimeout: 100 }) });
    return body.text();
  },
};
for (const [name, download] of Object.entries(downloads)) {
  requests = 0;
  const end = await download().then(() => 'success', ({ code, message }) => `failure (${code ?? message})`);
  let text = '';
  try {
    text = readFileSync(name, 'utf8');
  } catch {}
  const count = (letter) => text.split(letter).length - 1;
  console.log(`${name}: ${end}, ${requests} requests, ${count('a')} bytes of the old report and ${count('b')} of the new one`);
}
process.exit();
SHOW
cat >expected <<'SEEN'
wget: success, 2 requests, 1000000 bytes of the old report and 1000000 of the new one
aria2: success, 2 requests, 1000000 bytes of the old report and 1000000 of the new one
curl --continue-at -: success, 2 requests, 0 bytes of the old report and 2000000 of the new one
node-downloader-helper: success, 2 requests, 1000000 bytes of the old report and 1000000 of the new one
RetryAgent of undici: failure (UND_ERR_REQ_RETRY), 2 requests, 0 bytes of the old report and 0 of the new one
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
