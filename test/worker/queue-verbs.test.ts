import { isRetryError } from '@retry/core';
import type { Broker } from '@retry/core/broker';
import { figuresBy } from '@retry/core/broker/kit';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { Queue } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';
import { figuresOf } from '../../packages/broker-contract/src/insight/figures-of.ts';
import { setScene } from './scene.ts';

const task = defineTask({ name: 'mail', run: (_: unknown) => {} });
const ID = 'mail@a';

/** Right arguments of every verb of a queue; with each argument that a verb takes. */
const VERBS = {
  submit: [task, 1, {}],
  submitMany: [task, [1], {}],
  resubmit: [ID, {}],
  submitAndWait: [task, 1, { timeout: 0 }],
  waitForResult: [ID, { timeout: 0 }],
  get: [task, ID, {}],
  result: [ID],
  list: [{}],
  search: [{}],
  reschedule: [ID, { delay: 1 }],
  runNow: [ID],
  fail: [ID, new Error('no')],
  complete: [ID, 1],
  cancel: [ID],
  forget: [{ all: true }],
  hold: [task, {}],
  resume: [task],
  holds: [],
  health: [{}],
  counts: [],
  unattended: [],
  schedule: [ID, { task, payload: 1, every: '1h' }],
  unschedule: [ID],
  schedules: [],
  'deadLetters.list': [{}],
  'deadLetters.groups': [{}],
  'deadLetters.redrive': [{ all: true }],
  'deadLetters.discard': [{ all: true }],
  'deadLetters.plan': [{ all: true }],
  'operations.list': [],
  'operations.get': [ID],
  'operations.pause': [ID],
  'operations.resume': [ID],
  'operations.cancel': [ID],
  'operations.wait': [ID, { timeout: 0 }],
} as const satisfies Readonly<Record<string, readonly unknown[]>>;

type Verb = (...parameters: readonly unknown[]) => unknown;

/** The verbs of a queue by their names, those of its parts with a dot. `on` is no verb: it returns no promise. */
function verbsOf(queue: Queue): ReadonlyMap<string, Verb> {
  const { on: _, ...rest } = queue;
  const verbs = Object.entries(rest).flatMap(([name, member]): [string, Verb][] =>
    typeof member === 'function'
      ? [[name, member as Verb]]
      : Object.entries(member).map(([inner, verb]) => [`${name}.${inner}`, verb as Verb]),
  );
  return new Map(verbs);
}

const verbOf = (queue: Queue, name: string): Verb => {
  const verb = verbsOf(queue).get(name);
  if (verb === undefined) throw new Error(`there is no ${name}`);
  return verb;
};

it('lists every verb of a queue', () => {
  const queue = createQueue({ broker: createMemoryBroker() });

  expect([...verbsOf(queue).keys()].sort()).toEqual(Object.keys(VERBS).sort());
});

/** What nothing can be read of: each use throws. */
function revoked(target: object): never {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy as never; // an argument of any type
}

/** The code of the rejection; `undefined` without one. */
async function codeOf(call: () => unknown): Promise<string | undefined> {
  const returned = call();
  expect(returned).toBeInstanceOf(Promise);
  try {
    await returned;
    return undefined;
  } catch (error) {
    if (isRetryError(error)) return error.code;
    throw error;
  }
}

const POSITIONS = Object.entries(VERBS).flatMap(([name, right]) =>
  right.map((_, index) => [name, index] as const),
);

describe('a revoked Proxy', () => {
  it.each(POSITIONS)('is refused by %s as argument %i with a typed error', async (name, index) => {
    const queue = createQueue({ broker: createMemoryBroker() });
    const right: readonly unknown[] = VERBS[name as keyof typeof VERBS]; // by the table
    for (const target of [{}, []]) {
      const given = right.map((argument, at) => (at === index ? revoked(target) : argument));

      const code = await codeOf(() => verbOf(queue, name)(...given));

      // Anything may have been thrown.
      if (name === 'fail' && index === 1) expect(code).toBeUndefined();
      else expect(code).toMatch(/^INVALID_(OPTIONS|PAYLOAD)$/);
    }
    expect((await queue.counts()).created).toBe(0);
  });

  const inside: Readonly<Record<string, (queue: Queue) => unknown>> = {
    'a list of payloads': (queue) => queue.submitMany(task, [1, revoked({})]),
    'what each returns': (queue) => queue.submitMany(task, [1], { each: () => revoked({}) }),
    'a list of states': (queue) => queue.list({ state: ['failed', revoked({})] }),
    'a list of ids': (queue) => queue.deadLetters.redrive({ ids: ['a', revoked({})] }),
    'a list of tasks': (queue) => queue.deadLetters.plan({ all: true, tasks: [task, revoked({})] }),
    'the errors of a spent run': (queue) =>
      queue.submit(task, 1, { spent: { attempts: 1, errors: [revoked({})] } }),
    'the delays of a policy': (queue) =>
      queue.submit(task, 1, { retry: { backoff: { type: 'schedule', delays: [revoked({})] } as never } }),
    'the rules of a policy': (queue) => queue.submit(task, 1, { retry: { retryOn: [revoked({})] } }),
    'the options of apply': async (queue) => (await queue.deadLetters.plan({ all: true })).apply(revoked({})),
  };

  it.each(Object.entries(inside))('within %s is refused with a typed error', async (_, call) => {
    const queue = createQueue({ broker: createMemoryBroker() });

    expect(await codeOf(() => call(queue))).toMatch(/^INVALID_(OPTIONS|PAYLOAD)$/);
    expect((await queue.counts()).created).toBe(0);
  });
});

type Call = (...parameters: never[]) => unknown;

/** The same with each of its functions replaced, those of its parts, too. */
function withCalls<Target extends object>(
  target: Target,
  replace: (name: string, call: Call) => Call,
): Target {
  const members = Object.entries(target).map(([name, member]): [string, unknown] => {
    if (typeof member === 'function') return [name, replace(name, member as Call)];
    return [name, typeof member === 'object' && member !== null ? withCalls(member, replace) : member];
  });
  return Object.fromEntries(members) as Target; // the same keys
}

const DOWN = new Error('down');
const throwDown = (): never => {
  throw DOWN;
};
const throwOther = (): never => {
  throw new Error('other');
};

describe('a broker whose verbs throw at once', () => {
  const broker = withCalls(createMemoryBroker(), (name, call) => (name === 'isRefusal' ? call : throwDown));

  it.each(Object.entries(VERBS))('is a rejection of %s', async (name, right) => {
    const queue = createQueue({ broker });
    const events: unknown[] = [];
    queue.on('error', ({ error }) => events.push(error)); // a wait is told of it, and goes on
    const returned = verbOf(queue, name)(...right);

    expect(returned).toBeInstanceOf(Promise);
    await expect(returned).rejects.toThrow(
      name === 'waitForResult' ? expect.objectContaining({ cause: DOWN }) : DOWN,
    );
    expect(new Set(events)).toEqual(new Set(['waitForResult', 'submitAndWait'].includes(name) ? [DOWN] : []));
  });

  it('leaves no rejection unhandled where another one rejects', async () => {
    const sources = figuresOf({ broker: createMemoryBroker() });
    const figures = figuresBy({ ...sources, lanes: () => Promise.reject(DOWN) });
    const notes = { ...broker.notes, read: throwDown };
    const queue = createQueue({ broker: { ...broker, notes, figures } });

    await expect(queue.health()).rejects.toBe(DOWN);
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe.each([
  ['throws', throwOther],
  ['answers by a promise', () => Promise.resolve(true)],
  ['rejects', () => Promise.reject(new Error('other'))],
])('a broker whose isRefusal %s', (_how, isRefusal) => {
  const rejectDown = () => Promise.reject(DOWN);
  const broker = withCalls(createMemoryBroker(), (name) => (name === 'isRefusal' ? isRefusal : rejectDown));

  it.each(['submit', 'cancel', 'reschedule', 'runNow', 'fail', 'complete'] as const)(
    'is one that refuses nothing: calls of %s that are sent together reject with its error',
    async (name) => {
      const verb = verbOf(createQueue({ broker }), name);
      const right: readonly unknown[] = VERBS[name];

      const answers = await Promise.allSettled([verb(...right), verb(...right)]);

      expect(answers).toEqual(Array(2).fill({ status: 'rejected', reason: DOWN }));
    },
  );

  it.each(['submitMany', 'deadLetters.redrive'] as const)('is one that refuses nothing: %s', async (name) => {
    const given = name === 'submitMany' ? VERBS[name] : [{ ids: ['a', 'b'] }];

    await expect(verbOf(createQueue({ broker }), name)(...given)).rejects.toBe(DOWN);
  });
});

describe('a wait for a result', () => {
  const double = defineTask({ name: 'double', run: (number: number) => number * 2 });

  it.each([
    ['waitForResult', 'waiting for results'],
    ['get', 'collecting results'],
  ] as const)('gets it where the broker throws at once at %s, which is an event', async (verb, doing) => {
    const { clock, broker, startWorker } = setScene();
    const broken: Broker = {
      ...broker,
      ...(verb === 'waitForResult' && { wait: throwDown }),
      get: (ids, options) =>
        verb === 'get' && options?.collect === true ? throwDown() : broker.get(ids, options),
    };
    const queue = createQueue({ broker: broken, clock });
    const events = new Set<string>();
    queue.on('error', ({ error, doing: what }) => void events.add(`${what}: ${String(error)}`));
    startWorker({ tasks: [double] });

    const result = queue.submitAndWait(double, 2);
    await clock.advance('5s');

    expect(await result).toBe(4);
    expect([...events]).toEqual([`${doing}: Error: down`]);
  });
});
