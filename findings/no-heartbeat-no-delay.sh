#!/usr/bin/env bash
# Without heartbeats no delay. amqp-connection-manager 5.0.0 takes `heartbeatIntervalInSeconds: 0`, by which AMQP has no heartbeats. By its
# documentation that interval is also how long it waits before it connects again, unless `reconnectTimeInSeconds` is given: then not at all. Who
# turns the heartbeats off has clients that knock at a broker that is down as fast as they can, each of them hundreds of times a second, just when
# it comes up again. And `reconnectTimeInSeconds: 0` is the interval of the heartbeats. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts amqp-connection-manager@5.0.0 amqplib@2.3.1
cat >show.mjs <<'SHOW'
import { once } from 'node:events';
import { createServer } from 'node:net';
import { connect } from 'amqp-connection-manager';

const server = createServer().listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
server.close(); // a port on which nobody listens
await once(server, 'close');

async function show(options) {
  let tries = 0;
  const connection = connect([`amqp://127.0.0.1:${port}`], options);
  connection.on('connectFailed', () => {
    tries += 1;
  });
  await new Promise((resolve) => setTimeout(resolve, 800));
  await connection.close();
  console.log(`${JSON.stringify(options)}: ${tries > 20 ? 'more than 20 tries' : `${tries} tries`} in 0.8 s`);
}
await show({});
await show({ heartbeatIntervalInSeconds: 0 });
await show({ heartbeatIntervalInSeconds: 0, reconnectTimeInSeconds: 0.5 });
await show({ reconnectTimeInSeconds: 0 });
process.exit();
SHOW
cat >expected <<'SEEN'
{}: 1 tries in 0.8 s
{"heartbeatIntervalInSeconds":0}: more than 20 tries in 0.8 s
{"heartbeatIntervalInSeconds":0,"reconnectTimeInSeconds":0.5}: 2 tries in 0.8 s
{"reconnectTimeInSeconds":0}: 1 tries in 0.8 s
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
