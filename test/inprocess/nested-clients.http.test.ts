import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NestedEvent, retry } from '@retry/inprocess';
import { guardNestedRetries } from '@retry/inprocess/node';
import { request as undiciRequest } from 'undici';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;

describe('guardNestedRetries, around a client that sends requests again by itself', () => {
  let server: Server;
  let base: string;
  let end: () => void;
  let events: NestedEvent[];
  const onNested = (event: NestedEvent): void => void events.push(event);

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === '/reset') return void request.socket.resetAndDestroy();
      response.writeHead(request.url === '/fine' ? 200 : 503).end('x');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    events = [];
    end = guardNestedRetries();
  });
  afterEach(() => {
    end();
  });

  type Send = (path: string) => Promise<number>;

  const byFetch: Send = async (path) => {
    const response = await fetch(base + path);
    await response.text();
    return response.status;
  };

  const byUndici: Send = async (path) => {
    const { statusCode, body } = await undiciRequest(base + path);
    await body.dump();
    return statusCode;
  };

  const byHttp: Send = (path) =>
    new Promise((resolve, reject) => {
      get(base + path, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      }).on('error', reject);
    });

  /** A client with retries of its own: it sends a request up to this often, and throws what is left. */
  function client(send: Send, times: number) {
    return async (path: string): Promise<number> => {
      for (let sent = 1; ; sent += 1) {
        const status = await send(path).catch(() => 599);
        if (status < 400) return status;
        if (sent === times) throw new Error(`status ${status}`);
      }
    };
  }

  it.each([
    ['fetch', byFetch],
    ['undici', byUndici],
    ['node:http', byHttp],
  ])('reports the product once a call, by %s', async (_name, send) => {
    const call = client(send, 3);

    await expect(retry(() => call('/down'), AT_ONCE, { onNested })).rejects.toThrow('status 503');

    expect(events).toMatchObject([{ requests: 3, depth: 0, maxAttempts: 3, totalAttempts: 9 }]);
  });

  it.each([
    ['fetch', byFetch],
    ['node:http', byHttp],
  ])('counts requests that got no answer, by %s', async (_name, send) => {
    const call = client(send, 4);

    await expect(retry(() => call('/reset'), AT_ONCE, { onNested })).rejects.toThrow('status 599');

    expect(events).toMatchObject([{ requests: 4, totalAttempts: 12 }]);
  });

  it('reports a client that recovers in the first attempt', async () => {
    let sent = 0;
    const call = async (): Promise<void> => {
      while ((await byFetch(sent++ < 2 ? '/down' : '/fine')) >= 400);
    };

    await retry(call, AT_ONCE, { onNested });

    expect(events).toMatchObject([{ requests: 2, totalAttempts: 6 }]);
  });

  it('reports no request that is sent again although it did not fail, and none beside another', async () => {
    await retry(
      async () => {
        await byFetch('/fine');
        await byFetch('/fine');
        await Promise.all([byFetch('/down'), byFetch('/down'), byFetch('/other')]);
      },
      AT_ONCE,
      { onNested },
    );

    expect(events).toEqual([]);
  });

  it('reports nothing of a call that makes one attempt, nor once the guard has ended', async () => {
    const call = client(byFetch, 3);
    await expect(retry(() => call('/down'), { ...AT_ONCE, maxAttempts: 1 }, { onNested })).rejects.toThrow();
    end();
    await expect(retry(() => call('/down'), AT_ONCE, { onNested })).rejects.toThrow();

    expect(events).toEqual([]);
  });
});
