import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { splitFrames } from './postgres-frames.ts';

/** Works as PgBouncer in transaction mode: many clients share few connections, each lent for one transaction. */
export interface TransactionPooler {
  readonly url: string;
  /** How often a connection was lent so far. */
  readonly lent: () => number;
  readonly close: () => Promise<void>;
}

interface Lender {
  readonly socket: Socket;
  client: Borrower | undefined;
}

interface Borrower {
  readonly socket: Socket;
  lender: Lender | undefined;
  /** What the client has sent while it waits for a connection. */
  queued: Buffer[];
  /** Requests that are not answered in full. */
  unanswered: number;
  /** It has begun a request that it has not ended. */
  isMidRequest: boolean;
}

/** Ends of requests: a simple query, a function call, or a Sync. */
const ENDS = ['Q', 'F', 'S'];

/** A pooler in front of a server without passwords; `size` connections to it, as `postgres`. */
export async function openTransactionPooler(server: string, size: number): Promise<TransactionPooler> {
  const target = Number(new URL(server).port);
  const idle: Lender[] = [];
  const waiting: Borrower[] = [];
  const open = new Set<Socket>();
  let greeting: readonly Buffer[] = [];
  let lent = 0;
  let isClosed = false;

  const keep = (socket: Socket, onClose: () => void): void => {
    open.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(socket);
      if (!isClosed) onClose();
    });
  };
  const lend = (): void => {
    while (idle.length > 0 && waiting.length > 0) {
      const [lender, client] = [idle.pop(), waiting.shift()];
      if (lender === undefined || client === undefined) return;
      lender.client = client;
      client.lender = lender;
      lent += 1;
      for (const frame of client.queued.splice(0)) lender.socket.write(frame);
    }
  };
  const giveBack = (lender: Lender): void => {
    if (lender.client !== undefined) lender.client.lender = undefined;
    lender.client = undefined;
    idle.push(lender);
    lend();
  };
  const openLender = (): Promise<void> =>
    new Promise((resolve) => {
      const lender: Lender = { socket: connect(target, '127.0.0.1'), client: undefined };
      const said: Buffer[] = [];
      let isReady = false;
      keep(lender.socket, () => {
        lender.client?.socket.destroy();
        if (idle.includes(lender)) idle.splice(idle.indexOf(lender), 1);
        void openLender();
      });
      lender.socket.write(startupMessage());
      splitFrames(lender.socket, 'typed', (type, frame) => {
        const { client } = lender;
        client?.socket.write(frame);
        if (!isReady) said.push(frame);
        if (type !== 'Z') return;
        if (!isReady) {
          isReady = true;
          greeting = said.map(withOwnKey);
          resolve();
          return giveBack(lender);
        }
        if (client === undefined) return;
        client.unanswered -= 1;
        const isOver = frame.toString('latin1', 5) === 'I';
        if (isOver && client.unanswered === 0 && !client.isMidRequest) giveBack(lender);
      });
    });
  const serve = (socket: Socket): void => {
    const client: Borrower = {
      socket,
      lender: undefined,
      queued: [],
      unanswered: 0,
      isMidRequest: false,
    };
    keep(socket, () => {
      if (waiting.includes(client)) waiting.splice(waiting.indexOf(client), 1);
      // Whatever it had begun ends with its connection.
      client.lender?.socket.destroy();
    });
    splitFrames(socket, 'startup first', (type, frame) => {
      if (type === 'startup') return void socket.write(Buffer.concat(greeting));
      if (type === 'X') return void socket.end();
      client.isMidRequest = !ENDS.includes(type);
      if (!client.isMidRequest) client.unanswered += 1;
      if (client.lender !== undefined) return void client.lender.socket.write(frame);
      client.queued.push(frame);
      if (!waiting.includes(client)) waiting.push(client);
      lend();
    });
  };
  await Promise.all(Array.from({ length: size }, openLender));
  const pooler = createServer(serve);
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  const address = pooler.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    lent: () => lent,
    close: async () => {
      isClosed = true;
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => pooler.close(resolve));
    },
  };
}

/** A client of PgBouncer is not told which process of the server it talks to, as that changes: its key is the pooler's own. */
function withOwnKey(frame: Buffer): Buffer {
  if (frame.toString('latin1', 0, 1) !== 'K') return frame;
  const own = Buffer.from(frame);
  own.writeInt32BE(2 ** 31 - 1, 5);
  return own;
}

/** Protocol 3.0, as user and database `postgres`. */
function startupMessage(): Buffer {
  const text = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + text.length, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, text]);
}
