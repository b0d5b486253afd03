import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import type { Board } from '@retry/board';
import { createBoard, toNodeListener } from '@retry/board';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { afterEach, describe, expect, it } from 'vitest';
import { ALL, send } from './board-client.ts';

const closings: (() => void)[] = [];
afterEach(() => {
  for (const close of closings.splice(0)) close();
});

/** Serves what answers requests; `seen` gets each response. */
async function serve(board: Pick<Board, 'fetch'>, seen: (response: ServerResponse) => void = () => {}) {
  const answer = toNodeListener(board);
  const server = createServer((request, response) => {
    seen(response);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closings.push(() => server.close());
  closings.push(() => server.closeAllConnections());
  const { port } = server.address() as AddressInfo; // of TCP
  return { port, url: `http://127.0.0.1:${port}` };
}

/** A board, what it reports, and how many requests it has answered. */
function openBoard() {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const board = createBoard({ broker: createMemoryBroker(), access: () => ALL, onError });
  closings.push(board.close);
  let answered = 0;
  const fetch: Board['fetch'] = async (...args) => {
    const response = await board.fetch(...args);
    answered += 1;
    return response;
  };
  return { fetch, errors, answered: () => answered };
}

/** Sends the beginning of a request, and leaves. */
function sendAndLeave(port: number, lines: readonly string[]): void {
  const socket = connect(port, '127.0.0.1');
  socket.write([...lines, '', '{'].join('\r\n'), () => setTimeout(() => socket.destroy(), 50));
}

describe('the stream of events', () => {
  it('is kept by no cache, and changed by no compression on its way', async () => {
    const board = createBoard({ broker: createMemoryBroker(), access: () => ALL });

    const { headers, body } = await send(board, 'GET events');
    await body?.cancel();
    board.close();

    expect(headers.get('cache-control')).toBe('no-store, no-transform');
  });

  it('leaves no listeners behind while a client takes it slowly', async () => {
    let most = 0;
    let response: ServerResponse | undefined;
    let left = 40;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      most = Math.max(most, response?.listenerCount('close') ?? 0);
      left -= 1;
      if (left === 0) controller.close();
      else controller.enqueue(new Uint8Array(1_000_000));
    };
    const fetchIt = async () => new Response(new ReadableStream<Uint8Array>({ pull }));
    const { url } = await serve({ fetch: fetchIt }, (seen) => {
      response = seen;
    });

    await (await fetch(url)).arrayBuffer();

    expect(most).toBeLessThan(5);
  });

  it('is cancelled before it is read where the client has left already', async () => {
    let response: ServerResponse | undefined;
    let became = 'waiting';
    const body = new ReadableStream<Uint8Array>(
      {
        pull: () => {
          became = 'read';
          return new Promise(() => {});
        },
        cancel: () => {
          became = 'cancelled';
        },
      },
      { highWaterMark: 0 },
    );
    const fetchIt = async () => {
      await new Promise<void>((resolve) => response?.once('close', resolve));
      return new Response(body);
    };
    const { port } = await serve({ fetch: fetchIt }, (seen) => {
      response = seen;
    });

    sendAndLeave(port, ['GET / HTTP/1.1', 'host: localhost']);

    await expect.poll(() => became).not.toBe('waiting');
    expect(became).toBe('cancelled');
  });
});

describe('the body of a request', () => {
  const post = ['POST /api/lanes/hold HTTP/1.1', 'content-type: application/json'];

  it('that breaks off is no error of the server', async () => {
    const { fetch, errors, answered } = openBoard();
    const { port } = await serve({ fetch });
    const host = `localhost:${port}`;

    sendAndLeave(port, [...post, `host: ${host}`, `origin: http://${host}`, 'content-length: 100']);
    await expect.poll(answered).toBe(1);

    expect(errors).toEqual([]);
  });

  it('of more than 2 MiB is answered with 413, which a client reads that first sends all of it', async () => {
    const { fetch, errors } = openBoard();
    const { port } = await serve({ fetch });
    const host = `localhost:${port}`;
    const length = 12_000_000;
    const head = [...post, `host: ${host}`, `origin: http://${host}`, `content-length: ${length}`, '', ''];

    const answers = await Promise.all(
      [1, 2, 3, 4].map(
        () =>
          new Promise<string>((resolve) => {
            const socket = connect(port, '127.0.0.1');
            socket.on('error', (error) => resolve(error.message));
            socket.write(head.join('\r\n'));
            socket.write('x'.repeat(length), () => socket.once('data', (part) => resolve(String(part))));
          }),
      ),
    );

    expect(answers.map((answer) => answer.split('\r\n')[0])).toEqual(
      Array(4).fill('HTTP/1.1 413 Payload Too Large'),
    );
    expect(errors).toEqual([]);
  });
});
