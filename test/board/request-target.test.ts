import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { createBoard, toNodeListener } from '@retry/board';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { afterEach, describe, expect, it } from 'vitest';
import { ALL } from './board-client.ts';

const THIS_MACHINE = /^(localhost|127\.0\.0\.1)$/;

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

/** Serves a board that grants everything to who names this machine as the host; returns a function that sends a request as it is written. */
async function serve(basePath = '') {
  const broker = createMemoryBroker();
  let asked = 0;
  const counting: typeof broker = {
    ...broker,
    exchange: (request) => {
      asked += 1;
      return broker.exchange(request);
    },
  };
  const board = createBoard({
    broker: counting,
    access: ({ url }) => (THIS_MACHINE.test(new URL(url).hostname) ? ALL : {}),
    ...(basePath !== '' && { basePath }),
  });
  const server = createServer(toNodeListener(board));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  closings.push(() => {
    board.close();
    server.close();
    server.closeAllConnections();
  });
  const sendRaw = (lines: readonly string[]): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1');
      let text = '';
      socket.on('data', (part) => {
        text += String(part);
      });
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
      socket.write(`${[...lines, 'connection: close'].join('\r\n')}\r\n\r\n`);
    });
  const status = async (target: string, headers: readonly string[] = []): Promise<number> => {
    const [first = ''] = (
      await sendRaw([`GET ${target} HTTP/1.1`, `host: localhost:${port}`, ...headers])
    ).split('\r\n');
    return Number(first.split(' ')[1]);
  };
  const statusFor = async (host: string, target: string): Promise<number> => {
    const [first = ''] = (await sendRaw([`GET ${target} HTTP/1.1`, `host: ${host}`])).split('\r\n');
    return Number(first.split(' ')[1]);
  };
  return { port, sendRaw, status, statusFor, asked: () => asked };
}

describe('the target of a request', () => {
  it.each(['', '/admin/board'])(
    'never names another host than the one that the client asked: under %s/',
    async (basePath) => {
      const { port, sendRaw, status, statusFor } = await serve(basePath);
      const groups = `${basePath}/api/groups`;
      const evil = `evil.example:${port}`;

      expect(await status(groups)).toBe(200);
      expect(await statusFor(evil, groups)).toBe(403);
      for (const target of [
        `//localhost${groups}`,
        `//localhost:${port}${groups}`,
        `/\\localhost${groups}`,
        `http://localhost:${port}${groups}`,
        `http:${groups}`,
        `/../..//localhost${groups}`,
        `//127.0.0.1${groups}`,
      ])
        expect(await sendRaw([`GET ${target} HTTP/1.1`, `host: ${evil}`])).not.toMatch(
          /^HTTP\/1.1 200[\s\S]*application\/json/,
        );
    },
  );

  it('is answered by its path where a client sends all of it, as to a proxy', async () => {
    const { port, status } = await serve();

    expect(await status(`http://localhost:${port}/api/groups`)).toBe(200);
  });

  it.each([
    'localhost@evil.example',
    'evil.example@localhost',
    'localhost/x',
    'localhost\\x',
    'localhost?x',
    'localhost#x',
  ])('is refused with a host that is none: %s', async (host) => {
    const { statusFor } = await serve();

    expect(await statusFor(host, '/api/groups')).toBe(400);
  });

  it('cannot be made the origin that a write is compared with', async () => {
    const { port, sendRaw } = await serve('/admin');
    const posted = await sendRaw([
      'POST //localhost/admin/api/holds HTTP/1.1',
      `host: evil.example:${port}`,
      'origin: http://localhost',
      'content-type: application/json',
      'content-length: 2',
      '',
      '{}',
    ]);

    expect(posted).toMatch(/^HTTP\/1.1 403/);
  });
});

describe('reads of pages of other sites', () => {
  it.each(['GET', 'HEAD'])('are refused: %s', async (method) => {
    const { port, sendRaw } = await serve();
    const ask = (path: string) =>
      sendRaw([`${method} ${path} HTTP/1.1`, `host: localhost:${port}`, 'sec-fetch-site: cross-site']);

    expect(await ask('/api/groups')).toMatch(/^HTTP\/1.1 403/);
    expect(await ask('/api/events?topic=overview')).toMatch(/^HTTP\/1.1 403/);
    expect(await ask('/')).toMatch(/^HTTP\/1.1 200/); // a link to the page
  });
});

describe('HEAD of the events', () => {
  it('has the headers of the stream, and begins none', async () => {
    const { port, sendRaw, asked } = await serve();

    const answered = await sendRaw(['HEAD /api/events?topic=workers HTTP/1.1', `host: localhost:${port}`]);

    expect(answered).toMatch(/^HTTP\/1.1 200[\s\S]*content-type: text\/event-stream/i);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(asked()).toBe(0);
  });
});
