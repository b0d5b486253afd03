import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Board, BoardOptions } from '@retry/board';
import { createBoard, toNodeListener } from '@retry/board';
import type { Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { afterEach, describe, expect, it } from 'vitest';
import { readingOf } from '../../packages/board/src/live/topics.ts';
import { ALL, ask, refused, send } from './board-client.ts';

const broker = createMemoryBroker();
const queue = createQueue({ broker });
const mail = defineTask({ name: '<script>alert(1)</script>', run: async (_: unknown) => {} });

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

function open(options: Omit<BoardOptions, 'broker'> = {}): Board {
  const board = createBoard({ broker, access: () => ({ read: true }), ...options });
  closings.push(board.close);
  return board;
}

describe('a board that anyone could visit', () => {
  it('is made only by an access that says so', () => {
    expect(() => createBoard({ broker })).toThrow(
      /access is missing, and so is token.*token: randomUUID\(\)/s,
    );
  });
});

describe('access', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('no session store'))],
    ['returns nothing', () => undefined as never],
    ['returns a name that is no text', () => ({ ...ALL, by: 7 as never })],
  ])('grants nothing and is reported when it %s', async (_, access) => {
    const errors: string[] = [];
    const board = open({ access, onError: (_error, doing) => errors.push(doing) });

    const { rights } = await ask(board, 'GET rights');

    expect(Object.values(rights)).not.toContain(true);
    expect(errors).toEqual(['asking access']);
  });

  it('grants only what is exactly true', async () => {
    const { rights } = await ask(open({ access: () => ({ read: true, discard: 1 as never }) }), 'GET rights');

    expect(rights).toMatchObject({ read: true, discard: false });
  });
});

describe('the clock of the broker', () => {
  const timeOf = async (exchange: Broker['exchange']) => {
    const board = createBoard({ broker: { ...broker, exchange }, access: () => ({}) });
    closings.push(board.close);
    return (await ask(board, 'GET rights')).at;
  };

  it('is answered to a page that opens, which does not wait long for a broker that fails or is silent', async () => {
    const answered = async () => ({ ...(await broker.exchange({})), now: 7 });

    expect(await timeOf(answered)).toBe(7);
    expect(await timeOf(() => Promise.reject(new Error('away')))).toBeUndefined();
    expect(await timeOf(() => new Promise(() => {}))).toBeUndefined();
  });
});

describe('what a board is given', () => {
  it('is reported with every wrong option', () => {
    const options = { broker: {}, basePath: 'board', times: 'gmt', suprise: 1 } as never;

    expect(() => createBoard(options)).toThrow(/suprise[\s\S]*broker[\s\S]*basePath[\s\S]*times/);
  });

  it('is refused as a queue refuses it when it is no broker', () => {
    expect(() => createBoard({ broker: {} } as never)).toThrow(
      'Use broker: createMemoryBroker(), createRedisBroker({ url }) or createPostgresBroker({ url }).',
    );
  });

  it('needs a broker with insight for its overview, and names those that have it', async () => {
    const { figures: _, ...without } = createMemoryBroker();
    const board = createBoard({ broker: without, access: () => ({ read: true }) });
    closings.push(board.close);

    expect(await refused(board, 'GET overview')).toMatchObject({
      ...{ status: 501, code: 'NO_INSIGHT' },
      message:
        'the board needs a broker with insight. ' +
        'Use a broker that has it: createMemoryBroker, createRedisBroker or createPostgresBroker.',
    });
  });

  it('is refused as a task that defineTask did not make', () => {
    const task = { name: 'mail', version: '1', lane: 'mail@1', run: () => null, retry: {} };

    expect(() => createBoard({ broker: createMemoryBroker(), tasks: [task] } as never)).toThrow(
      'tasks[0] must be a task',
    );
  });

  it('may throw in onAct, which changes nothing', async () => {
    const errors: unknown[] = [];
    const onAct = () => {
      throw new Error('no log');
    };
    const board = open({ access: () => ALL, onAct, onError: (error) => errors.push(error) });

    const { answer } = await ask(board, 'POST runs/:id/cancel', { params: { id: 'none' } });

    expect([answer, errors]).toEqual(['gone', [new Error('no log')]]);
  });
});

describe('hostile data', () => {
  const access = () => ({ ...ALL, unmask: false });

  it('of 1 MB is cut, and says so', async () => {
    const { id } = await queue.submit(mail, 'x'.repeat(1_000_000));

    const { run } = await ask(open({ access }), 'GET runs/:id', { params: { id } });

    expect(run.payload).toMatchObject({ isCut: true, length: 1_000_002 });
    expect(run.payload?.text).toHaveLength(65_536);
  });

  it('is JSON, never HTML, in every answer', async () => {
    const { id } = await queue.submit(mail, '<script>alert(2)</script>');

    const response = await send(open({ access }), 'GET runs/:id', { params: { id } });

    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('is not shown at all where the mask throws', async () => {
    const { id } = await queue.submit(mail, 'secret');
    const mask = () => {
      throw new Error('no mask');
    };

    const { run } = await ask(open({ access, mask, onError: () => {} }), 'GET runs/:id', { params: { id } });

    expect(run.payload?.text).toBe('"(the mask of the board failed)"');
  });

  it('is found by an id with every kind of sign', async () => {
    const key = 'a/b?c#d%2F<e>"\u202E';
    const { id } = await queue.submit(mail, 1, { key });

    expect((await ask(open({ access }), 'GET runs/:id', { params: { id } })).run.id).toBe(id);
  });
});

describe('a board that is mounted elsewhere than it was told', () => {
  const visit = (basePath: string, path: string) =>
    open({ basePath }).fetch(new Request(`http://127.0.0.1${path}`, { headers: { accept: 'text/html' } }));

  it.each([
    ['', '/admin/board'],
    ['', '/admin/board/'],
    ['/board', '/admin/board'],
    ['/admin/board', '/admin/boards/'],
  ])('says which basePath is missing: %j at %s', async (basePath, path) => {
    const response = await visit(basePath, path);

    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining(`createBoard({ basePath: &#39;${path.replace(/\/$/, '')}&#39; })`),
    ]);
  });

  it('says so in its page where the script cannot be found, as behind a proxy that removes the path', async () => {
    expect(await (await visit('', '/')).text()).toContain('If the board is below a path');
  });

  it('shows a path as text', async () => {
    expect(await (await visit('', '/<script>')).text()).not.toContain('/<script>');
  });
});

describe('the page', () => {
  it('has only files of its own, which may be kept for ever, and no inline script or style', async () => {
    const board = open({ access: () => ALL, basePath: '/admin/board' });
    const fetchPath = (path: string) => board.fetch(new Request(`http://127.0.0.1${path}`));

    const page = await fetchPath('/admin/board/');
    const html = await page.text();
    const paths = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
    const files = await Promise.all(paths.map(fetchPath));

    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'");
    expect(html).not.toMatch(/<style|style=|<script(?! type="module" src=)|https?:/);
    expect(paths.every((path) => path.startsWith('/admin/board/assets/'))).toBe(true);
    expect(files.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual(
      paths.map(() => [200, 'public, max-age=31536000, immutable']),
    );
  });
});

describe('events', () => {
  it('send a topic at once, and again when it has changed, until the board is closed', async () => {
    const board = open({ access: () => ALL });
    const response = await send(board, 'GET events', { query: '?topic=overview&topic=none' });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const next = async () => new TextDecoder().decode((await reader.read()).value);

    const first = await next();
    await queue.hold({ lane: 'new@1' }, { reason: 'a change' });
    let changed = await next();
    while (!changed.includes('a change')) changed = await next();
    board.close();
    let last = await reader.read();
    while (!last.done) last = await reader.read();

    expect(first).toMatch(/^event: overview\ndata: \{/);
    expect(last.done).toBe(true);
    expect(await refused(board, 'GET overview')).toMatchObject({ status: 503, code: 'BOARD_CLOSED' });
  });

  it('end at once where the board was closed while the rights were looked up', async () => {
    let admit = (): void => {};
    const asked = new Promise<void>((resolve) => {
      admit = resolve;
    });
    const board = open({ access: () => asked.then(() => ALL) });
    const pending = send(board, 'GET events', { query: '?topic=overview' });

    board.close();
    admit();
    const { body } = await pending;

    expect(await (body as ReadableStream<Uint8Array>).getReader().read()).toMatchObject({ done: true });
  });
});

describe('acts', () => {
  it('are the latest 200, newest first, and say since when', async () => {
    const board = open({ access: () => ALL });
    const cancelled = Array.from({ length: 201 }, (_, run) => `run-${run}`);
    for (const id of cancelled) await ask(board, 'POST runs/:id/cancel', { params: { id } });

    const { acts, limit, since } = await ask(board, 'GET acts');

    expect(acts.map(({ target }) => target)).toEqual(cancelled.slice(1).reverse());
    expect([limit, since <= (acts.at(-1)?.at ?? 0)]).toEqual([200, true]);
  });
});

describe('the topics of events', () => {
  const topics = (list: readonly string[]) =>
    `?${new URLSearchParams(list.map((topic): [string, string] => ['topic', topic]))}`;

  it('are runs and error groups, too, each under the name that was asked for', async () => {
    const { id } = await queue.submit(mail, 1, { key: 'a/b c' });
    const asked = [`runs/${encodeURIComponent(id)}`, 'groups/none%401/4f?limit=5'];
    const board = open({ access: () => ALL });
    const response = await send(board, 'GET events', { query: topics(asked) });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!asked.every((topic) => text.includes(`event: ${topic}\ndata: {`))) {
      text += new TextDecoder().decode((await reader.read()).value);
    }
    await reader.cancel();

    expect(text).toContain(`"id":${JSON.stringify(id)}`);
  });

  it.each([
    'none',
    'rights',
    'runs',
    'runs/',
    'runs/a b',
    'runs/%E0%A4%A',
    'runs/a\nevent: x',
    'runs/a?whole=1\n',
    'toString',
  ])('are not %j', (topic) => {
    expect(readingOf(topic)).toBeUndefined();
  });

  it.each(['runs/a', 'runs/a?whole=1', 'groups/mail%401/4f?after=x', 'storm'])('are %j', (topic) => {
    expect(readingOf(topic)).toBeTypeOf('function');
  });
});

describe('a board in node:http', () => {
  it('answers, takes bodies, and streams until the client leaves', async () => {
    const server = createServer(toNodeListener(open({ access: () => ALL })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closings.push(() => server.close());
    closings.push(() => server.closeAllConnections());
    const { port } = server.address() as AddressInfo; // of TCP
    const url = `http://127.0.0.1:${port}/api`;
    const headers = { 'content-type': 'application/json', origin: `http://127.0.0.1:${port}` };
    const body = JSON.stringify({ lane: 'http@1', reason: 'mounted', for: '1s' });

    const held = await fetch(`${url}/lanes/hold`, { method: 'POST', headers, body });
    const events = await fetch(`${url}/events?topic=storm`);
    const reader = (events.body as ReadableStream<Uint8Array>).getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    await reader.cancel();

    expect(await held.json()).toEqual({ answer: 'held' });
    expect(first).toMatch(/^event: storm\n/);
  });
});
