import { randomUUID } from 'node:crypto';
import { createClient } from 'redis';
import type { SmallCalls } from '../../harness/exchange-cost.ts';
import type { Bench, Contender, Place } from '../contender.ts';
import type { Claimed, Exchange } from './loops.ts';
import { startLoops } from './loops.ts';
import { EXCHANGE, KEYS, SUBMIT } from './redis-scripts.ts';
import { together } from './together.ts';

/** Payloads from so many characters do not pass through Lua. */
const LONG = 4_096;
/** The body of a run with such a payload. */
const ELSEWHERE = '+';

/**
 * What Redis and its client give for the promises of a queue, by one script an exchange and no library. The payload is stored, and so
 * is the outcome; a settlement holds only for the run's epoch, which counts attempts; a claim has a lease, and is stored under its
 * request so that it could be answered again; an id is used once; a waiting program is woken. Payloads from 4 kB are written and read
 * by plain commands. There is one lane, and no delays, keys, retries, retention or resends.
 */
export function bareRedis(settings: { readonly isStrict?: boolean } = {}): Contender {
  return {
    open: async (place) => benchOf(await openEngine(place), settings.isStrict === true),
  };
}

/** Its smallest calls, one after another. */
export async function openSmallCalls(place: Place): Promise<SmallCalls> {
  const { submit, createExchange, empty, close } = await openEngine(place);
  const exchange = createExchange();
  let claimed: readonly Run[] = [];
  return {
    submit: () => submit([{ id: randomUUID(), text: '{"n":1}' }]),
    exchange: async () => {
      claimed = await exchange(
        claimed.map((run) => ({ run })),
        1,
      );
    },
    empty,
    close,
  };
}

interface Run extends Claimed {
  readonly id: string;
  readonly epoch: number;
}

interface Stored {
  readonly id: string;
  readonly text: string;
}

interface RedisEngine {
  readonly client: Awaited<ReturnType<typeof connect>>;
  readonly keys: Readonly<Record<(typeof KEYS)[number], string>>;
  readonly submit: (runs: readonly Stored[]) => Promise<unknown>;
  readonly createExchange: () => Exchange<Run>;
  /** Calls a script that does nothing, with the keys of the others. */
  readonly empty: () => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

type Reply = readonly [
  ended: number,
  ids: readonly string[],
  epochs: readonly number[],
  bodies: readonly string[],
];

const connect = (url: string) => createClient({ url }).connect();

async function openEngine({ url, name }: Place): Promise<RedisEngine> {
  const client = await connect(url);
  const named = KEYS.map((key) => [key, `{${name}}:bare:${key}`] as const);
  const keys = Object.fromEntries(named) as RedisEngine['keys']; // a key of each name
  const [submitHash, exchangeHash] = [await client.scriptLoad(SUBMIT), await client.scriptLoad(EXCHANGE)];
  const emptyHash = await client.scriptLoad('return 1');
  const call = (hash: string, args: readonly string[]): string[] => {
    return ['EVALSHA', hash, `${KEYS.length}`, ...named.map(([, key]) => key), ...args];
  };
  const submit = (runs: readonly Stored[]): Promise<unknown> => {
    const args = runs.flatMap(({ id, text }) => [id, text.length < LONG ? text : ELSEWHERE]);
    const long = runs.filter(({ text }) => text.length >= LONG);
    if (long.length === 0) return client.sendCommand(call(submitHash, args));
    const transaction = client.multi().addCommand(call(submitHash, args));
    for (const { id, text } of long) transaction.addCommand(['HSETNX', keys.long, id, text]);
    return transaction.exec();
  };
  const readLong = async (ids: readonly string[]): Promise<readonly string[]> =>
    (await client.sendCommand(['HMGET', keys.long, ...ids])) as string[]; // each was written with its run
  const createExchange = (): Exchange<Run> => {
    const loop = randomUUID();
    return async (handled, limit) => {
      const settled = [...handled.map(({ run }) => run.id), ...handled.map(({ run }) => `${run.epoch}`)];
      const args = [`${limit}`, `${Date.now() + 30_000}`, loop, randomUUID(), ...settled];
      const reply = await client.sendCommand(call(exchangeHash, args));
      const [ended, ids, epochs, bodies] = reply as unknown as Reply; // the reply of our own script
      if (ended !== handled.length) throw new Error('A settlement was refused.');
      const long = ids.filter((_, index) => bodies[index] === ELSEWHERE);
      const texts = (long.length > 0 ? await readLong(long) : []).values();
      return ids.map((id, index) => {
        const body = bodies[index] ?? '';
        return {
          id,
          epoch: epochs[index] ?? 0,
          payload: body === ELSEWHERE ? (texts.next().value ?? '') : body,
        };
      });
    };
  };
  return {
    ...{ client, keys, submit, createExchange },
    empty: () => client.sendCommand(call(emptyHash, [])),
    close: () => client.close(),
  };
}

async function benchOf(engine: RedisEngine, isStrict: boolean): Promise<Bench> {
  const { client, keys, submit, createExchange } = engine;
  const blocking = client.duplicate();
  blocking.on('error', () => {}); // it is closed while it waits
  await blocking.connect();
  // The run stays at the head of the list.
  const wait = () => blocking.blMove(keys.lane, keys.lane, 'LEFT', 'LEFT', 1).catch(() => {});
  const submitOne = together(submit, ({ text }: Stored) => text.length);
  const storedOf = (payload: unknown): Stored => ({ id: randomUUID(), text: JSON.stringify(payload) });
  return {
    submit: (payload) => submitOne(storedOf(payload)),
    submitBulk: (payloads) => submit(payloads.map(storedOf)),
    work: async (work) => {
      const stop = startLoops({ createExchange, wait, isStrict }, work);
      return () => {
        const stopped = stop();
        if (blocking.isOpen) blocking.destroy();
        return stopped;
      };
    },
    count: async () => ({
      left: (await client.lLen(keys.lane)) + (await client.zCard(keys.leases)),
      completed: await client.lLen(keys.finished),
    }),
    close: async () => {
      if (blocking.isOpen) blocking.destroy();
      await engine.close();
    },
  };
}
