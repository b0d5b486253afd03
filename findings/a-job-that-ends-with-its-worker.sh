#!/usr/bin/env bash
# A job that ends with its worker. By a shared subscription of MQTT 5, `$share/workers/jobs`, Mosquitto 2.0.11 hands each message to one of several
# workers. If that one dies before it has acknowledged it, and its session ends, at once or by its expiry, the message ends with it: no other worker gets
# it, though its sender was told that the server has it (QoS 1), and its subscription asked for at least once. The standard says that it should go to
# another one. As long as a session is kept its jobs wait for that worker to come back. Seen on Node 20.20.2, 2026-11-30, with mqtt 5.16.0 on a server
# of its own.
set -euo pipefail
folder="$(mktemp -d)"
trap 'kill "${server:-}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$folder"' EXIT
cd "$folder"
apt-get download mosquitto=2.0.11-1.2+deb12u2 libcjson1 libwebsockets17 libwrap0 libuv1 libdlt2 >/dev/null 2>&1
for package in *.deb; do dpkg-deb --extract "$package" debian; done
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts mqtt@5.16.0
port="$(node -e 'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })')"
printf 'listener %s 127.0.0.1\nallow_anonymous true\npersistence false\n' "$port" >conf
LD_LIBRARY_PATH="$(echo debian/usr/lib/*-linux-gnu)" debian/usr/sbin/mosquitto -c conf 2>log &
server=$!
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
cat >show.mjs <<'SHOW'
import { setTimeout as sleep } from 'node:timers/promises';
import mqtt from 'mqtt';

const url = process.argv[2];

/** Two workers get a job each; the first one dies during its own. Returns who got which job until three seconds after that, and after the first came back. */
async function show(name, options) {
  const got = [];
  const start = async (worker, acknowledges) => {
    const client = mqtt.connect(url, { protocolVersion: 5, reconnectPeriod: 0, clientId: `${name}, ${worker}`, ...options });
    client.handleMessage = ({ payload }, done) => {
      got.push(`${worker} got job ${payload}`);
      if (acknowledges) done();
    };
    await new Promise((resolve) => client.once('connect', resolve));
    await client.subscribeAsync(`$share/workers/${name}`, { qos: 1 });
    return client;
  };
  const first = await start('the first', false);
  const second = await start('the second', true);
  const sender = await mqtt.connectAsync(url, { protocolVersion: 5 });
  for (const job of ['1', '2']) await sender.publishAsync(name, job, { qos: 1 });
  await sleep(500);
  first.stream.destroy();
  await sleep(3_000);
  got.push('and then');
  const again = await start('the first', true);
  await sleep(1_000);
  console.log(`${name}: ${got.join(', ')}${got.at(-1) === 'and then' ? ' nothing' : ''}`);
  await Promise.all([again, second, sender].map((client) => client.endAsync()));
}
await show('session that ends at once', { clean: true });
await show('session that ends after a second', { clean: false, properties: { sessionExpiryInterval: 1 } });
await show('session that is kept', { clean: false, properties: { sessionExpiryInterval: 3_600 } });
process.exit();
SHOW
cat >expected <<'SEEN'
session that ends at once: the first got job 1, the second got job 2, and then nothing
session that ends after a second: the first got job 1, the second got job 2, and then nothing
session that is kept: the first got job 1, the second got job 2, and then, the first got job 1
SEEN
TZ=UTC node show.mjs "mqtt://127.0.0.1:$port" | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
