import { createServer, type Server } from 'node:http';
import { createRandom } from './seeded-random.ts';
import { sendAnswer } from './send-answer.ts';
import { drawAnswer } from './server-answer.ts';

/** A running server, and what it saw of its callers. */
export interface FlakyServer {
  readonly origin: string;
  /** Requests that arrived so far, counted by the server. */
  countAttempts(): number;
  close(): Promise<void>;
}

/** Starts a server on a free loopback port that misbehaves about every third time, as the seed has it. */
export async function startFlakyServer(seed: number): Promise<FlakyServer> {
  const fates = new Map<string, () => number>();
  let attempts = 0;
  const server = createServer((request, response) => {
    attempts += 1;
    const path = request.url ?? '/';
    // Each path has a fate of its own, so that the order in which requests arrive changes nothing.
    const fate = fates.get(path) ?? createRandom(seedOf(path, seed));
    fates.set(path, fate);
    sendAnswer(drawAnswer(path, fate), request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return { origin: originOf(server), countAttempts: () => attempts, close: () => close(server) };
}

function seedOf(path: string, seed: number): number {
  return [...path].reduce((hash, letter) => Math.imul(hash, 31) + letter.charCodeAt(0), seed);
}

function originOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}
