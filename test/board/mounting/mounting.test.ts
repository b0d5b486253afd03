import { createBoard } from '@retry/board';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue } from '@retry/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BASE_PATH, FRAMEWORKS, type Mounted } from './frameworks.ts';
import * as route from './next-route.ts';

/** Sends a request to a server, or calls a handler as the server does. */
type Send = (path: string, init?: RequestInit) => Promise<Response>;

const HOLD = {
  method: 'POST',
  body: JSON.stringify({ lane: 'charge@1', reason: 'the bank is closed' }),
};
const JSON_OF = (site: string) => ({ 'content-type': 'application/json', 'sec-fetch-site': site });

/** What a page does from its first request on. */
function behavesAsABoard(send: () => Send, broker: () => Parameters<typeof createQueue>[0]['broker']): void {
  it('loads the page and its script below the base path', async () => {
    const page = await (await send()(`${BASE_PATH}/`)).text();
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(page) ?? [];
    const loaded = await send()(script);

    expect(script.startsWith(`${BASE_PATH}/assets/`)).toBe(true);
    expect(loaded.headers.get('content-type')).toContain('text/javascript');
    expect((await loaded.text()).length).toBeGreaterThan(1_000);
    expect((await send()(BASE_PATH)).headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('answers figures', async () => {
    const answer = await send()(`${BASE_PATH}/api/overview`);

    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ audit: { unbalanced: 0 } });
  });

  it('sends an event while the stream stays open', async () => {
    const abort = new AbortController();
    const stream = await send()(`${BASE_PATH}/api/events?topic=overview`, { signal: abort.signal });
    const reader = stream.body?.getReader();

    const { value } = (await reader?.read()) ?? {};

    expect(new TextDecoder().decode(value)).toMatch(/^event: overview\ndata: \{/);
    await reader?.cancel();
    abort.abort();
  });

  it('changes the queue for its own page, and not for that of another site', async () => {
    const refused = await send()(`${BASE_PATH}/api/lanes/hold`, { ...HOLD, headers: JSON_OF('cross-site') });
    const before = await createQueue({ broker: broker() }).holds();
    const accepted = await send()(`${BASE_PATH}/api/lanes/hold`, {
      ...HOLD,
      headers: JSON_OF('same-origin'),
    });

    expect([refused.status, before]).toEqual([403, []]);
    expect([accepted.status, await accepted.json()]).toEqual([200, { answer: 'held' }]);
    expect(await createQueue({ broker: broker() }).holds()).toMatchObject([{ lane: 'charge@1', by: 'ada' }]);
  });
}

describe.each(Object.entries(FRAMEWORKS))('a board in %s', (_name, mount) => {
  const broker = createMemoryBroker();
  const access = () => ({ read: true, hold: true, by: 'ada' });
  const board = createBoard({ broker, basePath: BASE_PATH, access });
  let server: Mounted;
  beforeAll(async () => {
    server = await mount(board);
  });
  afterAll(() => server.close());
  const send: Send = (path, init) => fetch(`http://127.0.0.1:${server.port}${path}`, init);

  behavesAsABoard(
    () => send,
    () => broker,
  );

  it('leaves other routes to the framework', async () => {
    expect(await (await send('/own')).text()).toBe('own');
  });

  it('does not keep its server from closing while a page is open', async () => {
    const closing = createBoard({ broker, basePath: BASE_PATH, access });
    const other = await mount(closing);
    const url = `http://127.0.0.1:${other.port}${BASE_PATH}/api/events?topic=overview`;
    const stream = await fetch(url);
    const closed = other.close();

    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    await stream.text(); // to its end
    await closed;
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('a board in a route handler of Next', () => {
  // The router of Next calls the export that has the name of the method, with a Request.
  const send: Send = (path, init) => {
    const handler = init?.method === 'POST' ? route.POST : route.GET;
    return handler(new Request(`http://127.0.0.1:3000${path}`, init));
  };

  behavesAsABoard(
    () => send,
    () => route.broker,
  );
});
