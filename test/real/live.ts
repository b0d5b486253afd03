/**
 * `npm run test:real`: calls the newest versions of HTTP clients against a server that fails, and compares the decision about each error
 * with what is right. The folder with the installed clients is the first argument.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { definePolicy, explain, readServerDelay } from '@retry/core';
import * as families from '@retry/core/errors';
import { load, report, versioned } from './installed.ts';
import { CLIENTS } from './live-clients.ts';

const POLICY = definePolicy({ retryOn: Object.values(families).flat() });

/** Whether a repetition may succeed, by what the server does. */
const SCENARIOS = {
  400: false,
  401: false,
  404: false,
  409: false,
  429: true,
  500: true,
  502: true,
  503: true,
  reset: true,
  refused: true,
};

const server = createServer((request, response) => {
  const scenario = /scenario-(\w+)/.exec(request.url ?? '')?.[1] ?? '';
  if (scenario === 'reset') return void request.socket.resetAndDestroy();
  const headers = { 'content-type': 'application/json', ...(scenario === '429' && { 'retry-after': '7' }) };
  response.writeHead(Number(scenario), headers).end(JSON.stringify({ error: { message: 'scripted' } }));
});
async function listen(each: Server): Promise<number> {
  await new Promise<void>((resolve) => void each.listen(0, '127.0.0.1', resolve));
  return (each.address() as AddressInfo).port; // a TCP server has a port
}

const port = await listen(server);
const closed = createServer();
const closedPort = await listen(closed);
await new Promise((resolve) => void closed.close(resolve));

const table = readFileSync(join(import.meta.dirname, '../../docs/wrapping-a-client.md'), 'utf8');

/** Names the version that is called, and the one of the recorded table where that is another: what is wrong below may have come with it. */
function sinceRecorded(name: string): string {
  const called = versioned(name);
  const row = table.split('\n').find((line) => line.startsWith(`| ${name}@`));
  const recorded = row?.split(' ')[1];
  return recorded === undefined || recorded === called ? called : `${called}, recorded ${recorded}`;
}

for (const [name, call] of Object.entries(CLIENTS)) {
  const module = await load(name);
  const found: string[] = [];
  for (const [scenario, isExpected] of Object.entries(SCENARIOS)) {
    const base = `http://127.0.0.1:${scenario === 'refused' ? closedPort : port}/scenario-${scenario}`;
    const error = await call(module, base).then(
      () => 'no error',
      (thrown: unknown) => thrown,
    );
    if (explain(POLICY, error).retries !== isExpected) found.push(scenario);
    if (scenario === '429' && readServerDelay(error, Date.now()).type !== 'delay')
      found.push('429 without its delay');
  }
  report(sinceRecorded(name), found);
}
server.close();
server.closeAllConnections();
