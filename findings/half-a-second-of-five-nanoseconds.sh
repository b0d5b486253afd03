#!/usr/bin/env bash
# A timeout of half a second that is five nanoseconds. @grpc/grpc-js 1.14.7 reads the fraction of `timeout` in a service config as a count of
# nanoseconds, whatever its digits: "0.5s" is 5 ns, and each call has failed with DEADLINE_EXCEEDED before it is sent; "1.5s" is a second.
# The config is taken without an error. With all nine digits, "0.500000000s", it is half a second, and `initialBackoff` beside it is read
# rightly. The server answers after 50 ms here. Seen on Node 20.20.2, 2026-11-30.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @grpc/grpc-js@1.14.7
cat >show.mjs <<'SHOW'
import grpc from '@grpc/grpc-js';

const asIs = (bytes) => bytes;
const service = {
  charge: {
    path: '/shop.Shop/Charge',
    requestStream: false,
    responseStream: false,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  },
};
let seen = 0;
const server = new grpc.Server();
server.addService(service, {
  charge: (_call, answer) => {
    seen += 1;
    setTimeout(() => answer(null, Buffer.from('charged')), 50);
  },
});
const port = await new Promise((resolve, reject) => {
  const credentials = grpc.ServerCredentials.createInsecure();
  server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
});
const Client = grpc.makeGenericClientConstructor(service, 'Shop');

for (const timeout of ['30s', '30.5s', '0.5s', '0.500s', '0.9s']) {
  const config = { loadBalancingConfig: [], methodConfig: [{ name: [{ service: 'shop.Shop' }], timeout }] };
  const client = new Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), {
    'grpc.service_config': JSON.stringify(config),
  });
  seen = 0;
  const outcome = await new Promise((resolve) => {
    client.charge(Buffer.from('7'), (error, reply) => resolve(error ? grpc.status[error.code] : String(reply)));
  });
  console.log(`"timeout": "${timeout}": ${outcome}, the server saw ${seen}`);
  client.close();
}
server.forceShutdown();
SHOW
cat >expected <<'SEEN'
"timeout": "30s": charged, the server saw 1
"timeout": "30.5s": charged, the server saw 1
"timeout": "0.5s": DEADLINE_EXCEEDED, the server saw 0
"timeout": "0.500s": DEADLINE_EXCEEDED, the server saw 0
"timeout": "0.9s": DEADLINE_EXCEEDED, the server saw 0
SEEN
TZ=UTC node show.mjs | tee seen
diff expected seen || { echo 'It behaves otherwise now.'; exit 1; }
