import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createBoard, toNodeListener } from '@retry/board';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { afterEach, describe, expect, it } from 'vitest';
import type { Board } from '../../packages/board/src/create-board.ts';
import { ALL, ORIGIN } from './board-client.ts';

const TOKEN = 'a-token-of-the-board-that-nobody-guesses';
const HTML = { accept: 'text/html' };

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

function open(basePath = '', token = TOKEN): Board {
  const board = createBoard({ broker: createMemoryBroker(), token, basePath, access: () => ALL });
  closings.push(board.close);
  return board;
}

function get(board: Board, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return board.fetch(new Request(`${ORIGIN}${path}`, { headers, redirect: 'manual' }));
}

/** Opens the address with the token, as a browser does. @returns the cookie that it sends from then on */
async function cookieOf(board: Board, path = '/', token = TOKEN): Promise<string> {
  const arrival = await get(board, `${path}?token=${token}`);
  return (arrival.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

describe('a board with a token', () => {
  it.each([
    ['/', 'GET'],
    ['/api/rights', 'GET'],
    ['/api/overview', 'HEAD'],
    ['/api/events?topic=overview', 'GET'],
    ['/api/lanes/hold', 'POST'],
    ['/api/none', 'GET'],
    ['/none', 'GET'],
  ])('refuses %s without it: %s', async (path, method) => {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
    const response = await open().fetch(
      new Request(`${ORIGIN}${path}`, { method, headers, ...(method === 'POST' && { body: '{}' }) }),
    );

    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('takes it from the address, once, for a cookie that no script reads and no other site sends', async () => {
    const board = open('/admin/board');

    const arrival = await get(board, `/admin/board/?token=${TOKEN}&view=1`);
    const cookie = await cookieOf(board, '/admin/board');

    expect([arrival.status, arrival.headers.get('location')]).toEqual([303, '/admin/board/?view=1']);
    expect(arrival.headers.get('set-cookie')).toMatch(/; Path=\/admin\/board; HttpOnly; SameSite=Lax$/);
    expect(arrival.headers.get('referrer-policy')).toBe('no-referrer');
    expect(arrival.headers.get('cache-control')).toBe('no-store');
    expect((await get(board, '/admin/board/', { cookie })).status).toBe(200);
    expect((await get(board, '/admin/board/api/overview', { cookie: `a=1; ${cookie}; b=2` })).status).toBe(
      200,
    );
  });

  it('gives the cookie to secure connections only where it was opened by one', async () => {
    const arrival = await open().fetch(new Request(`https://board.example/?token=${TOKEN}`));

    expect(arrival.headers.get('set-cookie')).toMatch(/; Secure$/);
  });

  it('leads to no other host', async () => {
    const arrival = await get(open(), `//evil.example/?token=${TOKEN}`);

    expect(arrival.headers.get('location')).toBe('/evil.example/');
  });

  it.each([
    ['another one', 'b'.repeat(40)],
    ['its beginning', TOKEN.slice(0, -1)],
    ['a longer one', `${TOKEN}x`],
    ['an empty one', ''],
  ])('refuses %s', async (_, token) => {
    const board = open();
    const [name] = (await cookieOf(board)).split('=');

    expect((await get(board, `/?token=${token}`)).status).toBe(401);
    expect((await get(board, '/api/rights', { cookie: `${name}=${token}` })).status).toBe(401);
    expect((await get(board, '/api/rights', { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  it('takes it from a program as a bearer', async () => {
    expect((await get(open(), '/api/rights', { authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  });

  it('says to a person where to find it, and shows it to none', async () => {
    const response = await get(open(), '/?token=wrong', HTML);
    const page = await response.text();

    expect(response.headers.get('content-type')).toContain('text/html');
    expect(page).toContain('Open the address that ends in ?token=…');
    expect(page).not.toContain(TOKEN);
  });

  it('has a cookie of its own beside other boards of the host', async () => {
    const [one, other] = [open('', TOKEN), open('', 'b'.repeat(40))];

    const cookies = `${await cookieOf(one)}; ${await cookieOf(other, '/', 'b'.repeat(40))}`;

    expect((await get(one, '/api/rights', { cookie: cookies })).status).toBe(200);
    expect((await get(other, '/api/rights', { cookie: cookies })).status).toBe(200);
  });

  it('only reads where no access says more', async () => {
    const board = createBoard({ broker: createMemoryBroker(), token: TOKEN });
    closings.push(board.close);

    const { rights } = JSON.parse(
      await (await get(board, '/api/rights', { authorization: `Bearer ${TOKEN}` })).text(),
    );

    expect(Object.entries(rights).filter(([, may]) => may)).toEqual([['read', true]]);
  });

  it.each(['short', 'x'.repeat(257), 'with spaces '.repeat(4), 7])('is not made with %j', (token) => {
    const made = () => createBoard({ broker: createMemoryBroker(), token: token as string });

    expect(made).toThrow(/token must be a secret of 32 to 256/);
    if (typeof token === 'string') expect(made).not.toThrow(token);
  });

  it('keeps out the visitors of a proxy that adds no header and names the board as its host', async () => {
    const server = createServer(toNodeListener(open()));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closings.push(() => server.close());
    closings.push(() => server.closeAllConnections());
    const { port } = server.address() as AddressInfo; // of TCP
    const visit = async (path: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}${path}`)).status;

    expect(await Promise.all([visit('/'), visit('/api/rights'), visit('/api/events')])).toEqual([
      401, 401, 401,
    ]);
  });
});
