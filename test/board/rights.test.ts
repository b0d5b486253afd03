import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Right, Rights, Route } from '../../packages/board/src/api.ts';
import type { Board } from '../../packages/board/src/create-board.ts';
import { createBoard } from '../../packages/board/src/create-board.ts';
import { ROUTES } from '../../packages/board/src/routes/routes.ts';
import type { Asked } from './board-client.ts';
import { ALL, ask, refused, send } from './board-client.ts';

const charge = defineTask({ name: 'charge', run: async () => {} });
const broker = createMemoryBroker();
const queue = createQueue({ broker });
const reason = 'a test';

/** What each route has to have, and a request that it accepts from a visitor who has it. */
const TABLE: { readonly [Name in Route]: { readonly right?: Right; readonly ask: () => Promise<Asked> } } = {
  'GET rights': { ask: async () => ({}) },
  'GET overview': { right: 'read', ask: async () => ({}) },
  'GET workers': { right: 'read', ask: async () => ({}) },
  'GET groups': { right: 'read', ask: async () => ({}) },
  'GET groups/:lane/:id': { right: 'read', ask: async () => ({ params: { lane: 'charge@1', id: 'other' } }) },
  'POST plans': { right: 'redrive', ask: async () => ({ body: { task: 'charge' } }) },
  'POST plans/:id/apply': { right: 'redrive', ask: () => applied('redrive') },
  'GET operations': { right: 'read', ask: async () => ({}) },
  'GET operations/:id': { right: 'read', ask: async () => ({ params: { id: await operation() } }) },
  'POST operations/:id/pause': { right: 'redrive', ask: async () => ({ params: { id: await operation() } }) },
  'POST operations/:id/resume': {
    right: 'redrive',
    ask: async () => ({ params: { id: await operation() } }),
  },
  'POST operations/:id/cancel': {
    right: 'redrive',
    ask: async () => ({ params: { id: await operation() } }),
  },
  'GET runs/:id': { right: 'read', ask: async () => ({ params: { id: await waiting() } }) },
  'POST runs/:id/unmask': {
    right: 'unmask',
    ask: async () => ({ params: { id: await waiting() }, body: { reason } }),
  },
  'POST runs/:id/run-now': { right: 'edit', ask: async () => ({ params: { id: await waiting() } }) },
  'POST runs/:id/reschedule': {
    right: 'edit',
    ask: async () => ({ params: { id: await waiting() }, body: { delay: '1h' } }),
  },
  'POST runs/:id/cancel': { right: 'cancel', ask: async () => ({ params: { id: await waiting() } }) },
  'POST runs/:id/resubmit': { right: 'edit', ask: async () => ({ params: { id: await dead() } }) },
  'POST runs/:id/redrive': { right: 'redrive', ask: async () => ({ params: { id: await dead() } }) },
  'POST runs/:id/discard': { right: 'discard', ask: async () => ({ params: { id: await dead() } }) },
  'GET retries': { right: 'read', ask: async () => ({}) },
  'GET storm': { right: 'read', ask: async () => ({}) },
  'POST lanes/hold': { right: 'hold', ask: async () => ({ body: { lane: 'charge@1', for: '1s', reason } }) },
  'POST lanes/resume': { right: 'hold', ask: async () => ({ body: { lane: 'charge@1' } }) },
  'GET schedules': { right: 'read', ask: async () => ({}) },
  'POST schedules/:id/remove': { right: 'edit', ask: async () => ({ params: { id: await scheduled() } }) },
  'GET search': { right: 'read', ask: async () => ({}) },
  'POST replay': { right: 'read', ask: async () => ({ body: { lane: 'charge@1', policy: {} } }) },
  'GET acts': { right: 'read', ask: async () => ({}) },
};

let granted: Partial<Rights> = {};
let board: Board;
beforeEach(() => {
  granted = ALL;
  board = createBoard({ broker, access: () => granted });
});

async function scheduled(): Promise<string> {
  return (await queue.schedule('nightly', { task: charge, payload: undefined, cron: '@daily' })).id;
}

async function waiting(): Promise<string> {
  return (await queue.submit(charge, undefined, { delay: '1h' })).id;
}

async function dead(): Promise<string> {
  const id = await waiting();
  await queue.fail(id, new Error('the bank is closed'));
  return id;
}

/** A plan that a visitor with all rights has made. */
async function applied(kind: 'redrive' | 'discard'): Promise<Asked> {
  await dead();
  const mighty = granted;
  granted = ALL;
  const plan = await ask(board, 'POST plans', { body: { task: 'charge' } });
  granted = mighty;
  return { params: { id: plan.id }, body: { kind, reason } };
}

async function operation(kind: 'redrive' | 'discard' = 'redrive'): Promise<string> {
  await dead();
  const plan = await queue.deadLetters.plan({ task: 'charge' });
  const begun = await plan.apply({ kind, ...(kind === 'redrive' && { perSecond: 1 }) });
  return begun.id;
}

const rows = Object.entries(TABLE).map(([route, row]) => ({ route: route as Route, ...row })); // its own keys
const writes = rows.filter(({ route }) => route.startsWith('POST'));
const guarded = rows.filter(({ right }) => right !== undefined);

describe('the routes of a board', () => {
  it('have a row each in the table of rights', () => {
    expect(Object.keys(TABLE)).toEqual(Object.keys(ROUTES));
  });

  it.each(rows)('answers $route to a visitor with every right', async (row) => {
    const response = await send(board, row.route, await row.ask());

    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  });

  it.each(guarded)('refuses $route to a visitor without a right', async (row) => {
    const asked = await row.ask();
    granted = {};

    expect(await refused(board, row.route, asked)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('says to an operator what may not be done, and what gives the right', async () => {
    const asked = { params: { id: await waiting() } };
    granted = { read: true };

    expect((await refused(board, 'POST runs/:id/cancel', asked)).message).toBe(
      "You may not cancel runs here: it needs the right cancel, which the board's access gives.",
    );
  });

  it.each(guarded)('answers $route to a visitor with only $right and read', async (row) => {
    const asked = await row.ask();
    granted = { read: true, [row.right ?? 'read']: true };

    expect((await send(board, row.route, asked)).status).toBe(200);
  });

  it.each(guarded)('refuses $route to a visitor with every right but $right', async (row) => {
    const asked = await row.ask();
    granted = { ...ALL, [row.right ?? 'read']: false, ...(row.route === 'POST plans' && { discard: false }) };

    expect(await refused(board, row.route, asked)).toMatchObject({ status: 403, right: row.right });
  });

  it.each(writes.filter(({ route }) => route !== 'POST replay'))(
    'refuses $route to a visitor who only reads',
    async (row) => {
      const asked = await row.ask();
      granted = { read: true };

      expect(await refused(board, row.route, asked)).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    },
  );

  it.each(writes)('refuses $route from the page of another site', async (row) => {
    const asked = { ...(await row.ask()), headers: { 'sec-fetch-site': 'cross-site' } };

    expect(await refused(board, row.route, asked)).toMatchObject({ status: 403, code: 'CROSS_ORIGIN' });
  });

  it.each(writes)('refuses $route with a body that a form of another site can send', async (row) => {
    const asked = { ...(await row.ask()), headers: { 'content-type': 'text/plain' } };

    expect(await refused(board, row.route, asked)).toMatchObject({ status: 415, code: 'NOT_JSON' });
  });

  it.each(writes)('refuses unknown keys in the body of $route', async (row) => {
    const asked = await row.ask();
    const body = { ...(asked.body as object), suprise: 1 };

    expect(await refused(board, row.route, { ...asked, body })).toMatchObject({
      status: 400,
      problems: expect.arrayContaining([expect.objectContaining({ path: 'suprise' })]),
    });
  });

  it.each(['pause', 'resume', 'cancel'])('needs the right discard to %s a discard', async (to) => {
    const id = await operation('discard');
    granted = { ...ALL, discard: false };

    expect(await refused(board, `POST operations/:id/${to}`, { params: { id } })).toMatchObject({
      right: 'discard',
    });
  });

  it('needs the right discard to apply a plan as a discard', async () => {
    const asked = await applied('discard');
    granted = { ...ALL, discard: false };

    expect(await refused(board, 'POST plans/:id/apply', asked)).toMatchObject({ right: 'discard' });
  });

  it('needs the right read, too, to show a run as it is stored', async () => {
    const asked = { params: { id: await dead() }, body: { reason } };
    granted = { ...ALL, read: false };

    expect(await refused(board, 'POST runs/:id/unmask', asked)).toMatchObject({ status: 403, right: 'read' });
  });

  it('shows no run as it is stored, and records no act, where no reason is given', async () => {
    const asked = { params: { id: await dead() } };

    expect(await refused(board, 'POST runs/:id/unmask', asked)).toMatchObject({
      status: 400,
      problems: [{ path: 'reason' }],
    });
    expect((await ask(board, 'GET acts')).acts).toEqual([]);
  });

  it('cannot replay a policy on a group without its lane', async () => {
    const body = { policy: {}, group: '4f' };

    expect(await refused(board, 'POST replay', { body })).toMatchObject({ problems: [{ path: 'lane' }] });
  });

  it('needs the right read to listen to events', async () => {
    granted = { ...ALL, read: false };

    expect(await refused(board, 'GET events', { query: '?topic=storm' })).toMatchObject({ right: 'read' });
  });
});

describe('a request that is none of these', () => {
  it.each([
    ['DELETE groups', 'GET, HEAD'],
    ['PUT runs/:id', 'GET, HEAD'],
    ['POST search', 'GET, HEAD'],
    ['DELETE events', 'GET, HEAD'],
    ['GET plans', 'POST'],
    ['GET runs/:id/cancel', 'POST'],
  ])('%s is answered with the methods that its path takes: %s', async (route, allow) => {
    const response = await send(board, route);

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
    expect(await response.json()).toMatchObject({ error: { code: 'WRONG_METHOD' } });
  });

  it.each([
    ['POST', '/'],
    ['DELETE', '/assets/main.js'],
  ])('%s of the page is answered with the methods that it takes: %s', async (method, path) => {
    const origin = 'http://127.0.0.1:4000';
    const response = await board.fetch(new Request(`${origin}${path}`, { method, headers: { origin } }));

    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('GET, HEAD');
    expect(await response.json()).toMatchObject({ error: { code: 'WRONG_METHOD' } });
  });

  it('of a plan that selects nothing is refused with what it may name', async () => {
    const { message } = await refused(board, 'POST plans', { body: {} });

    expect(message).toContain("{ state: 'failed' }");
    expect(message).not.toContain('all: true');
  });

  it.each(['hold', 'resume'])('to %s what is no name of a lane is refused, and is no act', async (verb) => {
    // JSON.parse takes what JSON.stringify does not: as the target of an act it would end each answer with acts.
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    for (const lane of [deep, '7', '{"name":"charge"}', '""', `"${'x'.repeat(10_000)}"`]) {
      const body = `{"reason":"a test","lane":${lane}}`;
      expect(await refused(board, `POST lanes/${verb}`, { body })).toMatchObject({
        ...{ status: 400, code: 'INVALID_OPTIONS', problems: [{ path: 'lane' }] },
      });
    }

    expect((await ask(board, 'GET acts')).acts).toEqual([]);
    expect((await send(board, 'GET operations')).status).toBe(200);
  });

  it('of a plan whose task or version is no text is refused as the visitor’s mistake', async () => {
    for (const wrong of [{ toString: 1 }, ['charge'], 1]) {
      const asked = { body: { task: wrong, version: wrong, state: 'failed' } };
      expect(await refused(board, 'POST plans', asked)).toMatchObject({ status: 400 });
    }
  });

  it('of a group with two states is refused, and reads none of them', async () => {
    const params = { lane: 'charge@1', id: 'other' };
    const asked = { params, query: '?state=failed&state=stalled' };

    expect(await refused(board, 'GET groups/:lane/:id', asked)).toMatchObject({
      ...{ status: 400, problems: [{ path: 'state' }] },
    });
  });

  it.each([[['1']], [5], [true], [null], [{}]])(
    'to submit a run once more with the payload %j in place of its JSON text is refused',
    async (payload) => {
      const asked = { params: { id: await dead() }, body: { payload } };

      expect(await refused(board, 'POST runs/:id/resubmit', asked)).toMatchObject({
        ...{ status: 400, code: 'INVALID_JSON' },
      });
    },
  );

  it('is refused when its path is none, and when it is no Request', async () => {
    expect(await refused(board, 'GET nowhere')).toMatchObject({ status: 404, code: 'NOT_FOUND' });
    const response = await board.fetch('http://127.0.0.1:4000/api/groups' as never);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { problems: [{ path: 'request' }] } });
  });
});

describe('the origin of a request', () => {
  const hold = { body: { lane: 'charge@1', for: '1s', reason } };

  beforeEach(async () => {
    await queue.resume(charge);
  });

  it.each([
    ['neither header', { 'sec-fetch-site': undefined, origin: undefined }],
    ['the origin of another site', { 'sec-fetch-site': undefined, origin: 'http://evil.example' }],
    ['another port', { 'sec-fetch-site': undefined, origin: 'http://127.0.0.1:4001' }],
    ['no origin to name', { 'sec-fetch-site': undefined, origin: 'null' }],
    ['a page of the same site', { 'sec-fetch-site': 'same-site' }],
    ['an address that a person typed', { 'sec-fetch-site': 'none' }],
  ])('is refused with %s', async (_, headers) => {
    const request = new Request('http://127.0.0.1:4000/api/lanes/hold', {
      method: 'POST',
      body: JSON.stringify(hold.body),
      headers: Object.entries({ 'content-type': 'application/json', ...headers }).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as [string, string]],
      ),
    });

    const response = await board.fetch(request);

    expect(response.status).toBe(403);
    expect(await queue.holds()).toEqual([]);
  });
});
