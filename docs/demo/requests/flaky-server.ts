import { createServer, type Server } from 'node:http';
import { createRandom } from './seeded-random.ts';
import { sendAnswer } from './send-answer.ts';
import { drawAnswer } from './server-answer.ts';

/** A running server that counts requests. */
export interface FlakyServer {
  readonly origin: string;
  /** Returns the number of requests so far. */
  countAttempts(): number;
  close(): Promise<void>;
}

/** Starts a server on a free loopback port that fails about every third time, determined by the seed. */
export async function startFlakyServer(seed: number): Promise<FlakyServer> {
  const generators = new Map<string, () => number>();
  let attempts = 0;
  const server = createServer((request, response) => {
    attempts += 1;
    const path = request.url ?? '/';
    // Each path draws from its own generator, so that the order of requests changes nothing.
    const random = generators.get(path) ?? createRandom(seedOf(path, seed));
    generators.set(path, random);
    sendAnswer(drawAnswer(path, random), request, response);
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
