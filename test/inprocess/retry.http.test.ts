import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { withRetry } from '@retry/inprocess';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

/** The error of a small fetch wrapper, with the headers. */
class HttpError extends Error {
  readonly status: number;
  readonly headers: Headers;

  constructor({ status, headers }: Response) {
    super(`HTTP ${status}`);
    this.status = status;
    this.headers = headers;
  }
}

let server: Server;
let url: string;
let askedAt: number[];

beforeEach(async () => {
  askedAt = [];
  server = createServer((_request, response) => {
    askedAt.push(performance.now());
    if (askedAt.length === 1) response.writeHead(503, { 'retry-after': '1' }).end('busy');
    else response.end('hello');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function read(address: string): Promise<string> {
  const response = await fetch(address);
  const text = await response.text();
  if (!response.ok) throw new HttpError(response);
  return text;
}

describe('withRetry over real HTTP', () => {
  it('waits as long as the server asks and then gets the response', async () => {
    const load = withRetry(read, { retryOn: [{ status: [503] }], backoff: { type: 'none' } });

    const text = await load(url);

    expect(text).toBe('hello');
    expect(askedAt).toHaveLength(2);
    // A timer of Node may fire up to 1 ms early by this clock.
    expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThanOrEqual(999);
  });
});
