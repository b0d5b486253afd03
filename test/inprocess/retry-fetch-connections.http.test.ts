import type { Duration } from '@retry/core';
import { createRetryBudget, createRetryGroup } from '@retry/inprocess';
import { createRetryFetch, type Fetch, type RetryFetchOptions } from '@retry/inprocess/fetch';
import { createTestClock } from '@retry/inprocess/testing';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type HttpServer, startServer } from './http-server.ts';

/** How a call is made to end in a certain way, once its first response has been refused. */
interface Ending {
  readonly policy?: object;
  readonly options?: (abort: () => void) => RetryFetchOptions;
  /** The statuses of its responses, in order; the last is repeated. */
  readonly statuses?: readonly number[];
  /** Whether the caller reads a body afterwards. */
  readonly resolves: boolean;
}

const WAITING = { backoff: { type: 'constant', base: '1h' } } as const;

const WITHIN = { timeout: 10_000 };

function own(): never {
  throw new Error('own');
}

/** A group that is drained as soon as a call waits in it. */
function drainedGroup(): RetryFetchOptions {
  const group = createRetryGroup();
  return { group, onRetry: () => setImmediate(() => group.drain()) };
}

/** Time passes in `beforeRetry` only, and does not limit the body. */
function slowBeforeRetry(duration: Duration): RetryFetchOptions {
  const clock = createTestClock();
  const beforeRetry = async (): Promise<void> => clock.advance(duration);
  return { clock, beforeRetry, until: 'headers' };
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  'the next response is accepted': { statuses: [503, 200], resolves: true },
  'the third response is accepted': { statuses: [503, 503, 200], resolves: true },
  'no attempt is left': { resolves: true },
  'the status is not retried': { statuses: [503, 418], resolves: true },
  'beforeRetry throws': { options: () => ({ beforeRetry: own }), resolves: true },
  'beforeRetry lasts longer than the total timeout': {
    policy: { totalTimeout: '1m' },
    options: () => slowBeforeRetry('2m'),
    resolves: true,
  },
  'beforeRetry aborts': { options: (abort) => ({ beforeRetry: abort }), resolves: false },
  'onRetry aborts': { options: (abort) => ({ onRetry: abort }), resolves: false },
  'onRetry throws': { statuses: [503, 200], options: () => ({ onRetry: own }), resolves: true },
  'onAttempt of the second attempt aborts': {
    options: (abort) => ({ onAttempt: ({ attempt }) => attempt === 2 && abort() }),
    resolves: false,
  },
  'the wait is aborted': {
    policy: WAITING,
    options: (abort) => ({ onRetry: () => setImmediate(abort) }),
    resolves: false,
  },
  'the group is drained in the wait': { policy: WAITING, options: drainedGroup, resolves: true },
  'the wait would be longer than the total timeout': {
    policy: { ...WAITING, totalTimeout: '1m' },
    resolves: true,
  },
  'the budget refuses the second retry': {
    options: () => ({ budget: createRetryBudget({ type: 'token-bucket', capacity: 5 }) }),
    resolves: true,
  },
  'retryIf throws': { policy: { retryIf: own }, resolves: true },
  'a matcher throws': { policy: { retryOn: [own] }, resolves: true },
  'the next attempt cannot connect': {
    options: () => ({ beforeRetry: ({ request }) => request.headers.set('x-fails', 'yes') }),
    resolves: false,
  },
};

/** What a caller does with the response. */
const USES: Readonly<Record<string, (response: Response, abort: () => void) => Promise<unknown>>> = {
  'reads it to its end': async (response) => expect(await lengthOf(response)).toBe(sizeOf(response)),
  'cancels it': async ({ body }) => body?.cancel(),
  'reads some of it': async ({ body }) => {
    if (body !== null) for await (const _ of body) break;
  },
  'aborts while it reads': async ({ body }, abort) => {
    const reader = body?.getReader();
    await reader?.read();
    abort();
    await reader?.read().catch(() => undefined);
  },
  'aborts before it reads': async (_response, abort) => abort(),
};

/** An error page fits into what is read during a wait, or does not; `Infinity` never ends. */
const SIZES = [4, 300_000, Infinity];

/** Returns each size through each `fetch`, with uses in turn: every ending begins with another one. */
function casesOf(ending: string) {
  const sent = ['undici', 'native'].flatMap((kind) => SIZES.map((size) => ({ kind, size })));
  return sent.map(({ kind, size }, index) => {
    const uses = Object.entries(USES).filter(([use]) => size < Infinity || !use.endsWith('end'));
    const [use, read] = uses[(index + ending.length) % uses.length] ?? ['', async () => undefined];
    return { kind, size, use, read };
  });
}

function sizeOf({ headers }: Response): number {
  return Number(headers.get('x-size'));
}

async function lengthOf({ body }: Response): Promise<number> {
  let length = 0;
  if (body !== null) for await (const chunk of body) length += chunk.byteLength;
  return length;
}

describe('whatever ends a call', () => {
  let server: HttpServer;
  let agent: Agent;
  /** Responses that are being sent. */
  let open = 0;
  const unhandled = vi.fn();

  beforeAll(async () => {
    agent = new Agent();
    process.on('unhandledRejection', unhandled);
    server = await startServer((request, response) => {
      open += 1;
      response.once('close', () => {
        open -= 1;
      });
      const [, status, size] = (request.url ?? '').split('/').map(Number);
      response.writeHead(status ?? 500, { 'x-size': `${size}` });
      if (size !== Infinity) response.end(Buffer.alloc(size ?? 0));
      else {
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        };
        response.on('drain', more);
        more();
      }
    });
  });
  afterAll(async () => {
    process.off('unhandledRejection', unhandled);
    await agent.destroy();
    await server.close();
  });

  /** Sends each attempt to the path of its status; one that is marked cannot connect. */
  function sending(kind: string, size: number, statuses: readonly number[]): Fetch {
    const left = [...statuses];
    const fetch = async (_input: unknown, init: RequestInit): Promise<unknown> => {
      if (new Headers(init.headers).has('x-fails')) throw new TypeError('fetch failed');
      const url = `${server.url}${left.length > 1 ? left.shift() : left[0]}/${size}`;
      return kind === 'undici'
        ? undiciFetch(url, { signal: init.signal ?? null, dispatcher: agent })
        : globalThis.fetch(url, init);
    };
    return fetch as Fetch; // undici's own types of the same things
  }

  it.each(Object.entries(ENDINGS))(
    'each response is read to its end, cancelled or left readable: %s',
    async (name, { policy, options, statuses = [503], resolves }) => {
      for (const { kind, size, use, read } of casesOf(name)) {
        const controller = new AbortController();
        const abort = (): void => controller.abort(new Error('enough'));
        const retrying = createRetryFetch(
          { backoff: { type: 'none' }, ...policy },
          { ...options?.(abort), reportError: () => {}, fetch: sending(kind, size, statuses) },
        );

        const response = await retrying(server.url, { signal: controller.signal }).catch(() => undefined);
        expect(response !== undefined, `${kind} ${size}`).toBe(resolves);
        if (response !== undefined) await read(response, abort);
        await vi.waitFor(() => expect(open, `${kind}, ${size} bytes, the caller ${use}`).toBe(0), WITHIN);
      }
      expect(unhandled).not.toHaveBeenCalled();
    },
  );
});
