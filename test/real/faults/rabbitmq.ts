import { findFreePort } from '../../support/servers/run-server.ts';
import { openProxy } from '../../support/tcp-proxy.ts';
import { load, type Modules, versioned } from '../installed.ts';
import { type PrivateRabbitmq, withRabbitmq } from './private-rabbitmq.ts';
import { checkScenes, type Scene } from './scenes.ts';

/** What a driver does on one channel with confirms. */
interface Channel {
  readonly declareQueue: (name: string, options: { durable: boolean; full?: boolean }) => Promise<unknown>;
  readonly findQueue: (name: string) => Promise<unknown>;
  readonly declareExchange: (name: string) => Promise<unknown>;
  readonly publish: (queue: string, text: string) => Promise<unknown>;
  /** Rejects with what the connection ends with. */
  readonly ended: Promise<never>;
}

interface Login {
  readonly port: number;
  readonly password: string;
}

type Use = (channel: Channel) => Promise<unknown>;
type Driver = (module: Modules, login: Login, use: Use) => Promise<unknown>;

const ignore = (): void => {};
const hostname = '127.0.0.1';
const username = 'guest';
const LIMIT_MS = 2_000;
/** Takes one message, and refuses others. */
const FULL = { 'x-max-length': 1, 'x-overflow': 'reject-publish' };

/** A promise that rejects with what a listener is called with, and is no unhandled rejection. */
function failure(listen: (fail: (error: unknown) => void) => void): Promise<never> {
  const failed = new Promise<never>((_, reject) => listen(reject));
  failed.catch(ignore);
  return failed;
}

const DRIVERS: Readonly<Record<string, Driver>> = {
  amqplib: async ({ default: { connect } }, { port, password }, use) => {
    const connection = await connect({ hostname, port, username, password });
    connection.on('error', ignore);
    const channel = await connection.createConfirmChannel();
    channel.on('error', ignore);
    try {
      return await use({
        declareQueue: (name, { durable, full }) =>
          channel.assertQueue(name, { durable, ...(full && { arguments: FULL }) }),
        findQueue: (name) => channel.checkQueue(name),
        declareExchange: (name) => channel.assertExchange(name, 'fanout'),
        publish: (queue, text) =>
          new Promise((resolve, reject) => {
            const onAnswer = (error: unknown): void => (error ? reject(error) : resolve(undefined));
            channel.publish('', queue, Buffer.from(text), {}, onAnswer);
          }),
        ended: failure((fail) => connection.on('close', fail)),
      });
    } finally {
      await connection.close().catch(ignore);
    }
  },
  'amqp-connection-manager': async ({ default: { connect } }, { port, password }, use) => {
    const connection = connect({ hostname, port, username, password });
    const ended = failure((fail) => {
      connection.on('disconnect', ({ err }: Modules) => fail(err));
    });
    const refused = failure((fail) => {
      connection.on('connectFailed', ({ err }: Modules) => fail(err));
    });
    const channel = connection.createChannel({ confirm: true, publishTimeout: LIMIT_MS });
    channel.on('error', ignore);
    try {
      await Promise.race([channel.waitForConnect(), refused]);
      return await use({
        declareQueue: (name, { durable, full }) =>
          channel.assertQueue(name, { durable, ...(full && { arguments: FULL }) }),
        findQueue: (name) => channel.checkQueue(name),
        declareExchange: (name) => channel.assertExchange(name, 'fanout'),
        publish: (queue, text) => channel.publish('', queue, Buffer.from(text)),
        ended,
      });
    } finally {
      await connection.close().catch(ignore);
    }
  },
  'rabbitmq-client': async ({ Connection }, { port, password }, use) => {
    const connection = new Connection({ hostname, port, username, password, acquireTimeout: LIMIT_MS });
    const ended = failure((fail) => connection.on('error', fail));
    try {
      await Promise.race([connection.onConnect(LIMIT_MS), ended]);
      const publisher = connection.createPublisher({ confirm: true });
      return await use({
        declareQueue: (queue, { durable, full }) =>
          connection.queueDeclare({ queue, durable, ...(full && { arguments: FULL }) }),
        findQueue: (queue) => connection.queueDeclare({ queue, passive: true }),
        declareExchange: (exchange) => connection.exchangeDeclare({ exchange, type: 'fanout' }),
        publish: (queue, text) => publisher.send(queue, text),
        ended,
      });
    } finally {
      connection.unsafeDestroy();
    }
  },
};

interface Given {
  readonly server: PrivateRabbitmq;
  readonly open: (use: Use, login?: Partial<Login>) => Promise<unknown>;
}

/** What https://www.rabbitmq.com/docs/channels and https://www.rabbitmq.com/docs/confirms say. */
const SCENES: Readonly<Record<string, Scene<Given>>> = {
  'PRECONDITION_FAILED, a queue that is otherwise': {
    kind: 'permanent',
    says: /PRECONDITION.FAILED/,
    happen: ({ open }) =>
      open(async ({ declareQueue }) => {
        await declareQueue('kept', { durable: true });
        await declareQueue('kept', { durable: false });
      }),
  },
  'NOT_FOUND, a queue that is not': {
    kind: 'permanent',
    says: /NOT.FOUND/,
    happen: ({ open }) => open(({ findQueue }) => findQueue('none')),
  },
  'ACCESS_REFUSED to a reserved name': {
    kind: 'permanent',
    says: /ACCESS.REFUSED/,
    happen: ({ open }) => open(({ declareExchange }) => declareExchange('amq.retry')),
  },
  'ACCESS_REFUSED to a wrong password': {
    kind: 'permanent',
    says: /ACCESS.REFUSED/,
    happen: ({ open }) => open(() => Promise.resolve(), { password: 'wrong' }),
  },
  // What was sent before may have been taken.
  CONNECTION_FORCED: {
    kind: 'ambiguous',
    says: /CONNECTION.FORCED/,
    happen: ({ open, server }) =>
      open(async ({ ended }) => {
        server.closeConnections();
        return ended;
      }),
  },
  'a socket that closes before the confirm': {
    kind: 'ambiguous',
    happen: async ({ open, server }) => {
      const proxy = await openProxy(server.port);
      try {
        return await open(
          async ({ declareQueue, publish }) => {
            await declareQueue('kept', { durable: true });
            proxy.loseReplyTo('lost confirm');
            return publish('kept', 'lost confirm');
          },
          { port: proxy.port },
        );
      } finally {
        await proxy.close();
      }
    },
  },
  'a nack of a queue that is full': {
    kind: 'not applied',
    happen: ({ open }) =>
      open(async ({ declareQueue, publish }) => {
        await declareQueue('full', { durable: true, full: true });
        for (let messages = 0; messages < 3; messages += 1) await publish('full', 'text');
      }),
  },
  'a refused port': {
    kind: 'not applied',
    happen: async ({ open }) => open(() => Promise.resolve(), { port: await findFreePort() }),
  },
};

/** A private RabbitMQ through three drivers. */
export function checkRabbitmq(): Promise<void> {
  return withRabbitmq(async (server) => {
    for (const [name, driver] of Object.entries(DRIVERS)) {
      const module = await load(name);
      const login = { port: server.port, password: 'guest' };
      const open: Given['open'] = (use, other) => driver(module, { ...login, ...other }, use);
      await checkScenes(`${versioned(name)} on RabbitMQ ${server.version}`, SCENES, { server, open });
    }
  });
}
