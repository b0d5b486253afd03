import { isRetryError } from '@retry/core';
import { createMemoryBroker } from '@retry/inprocess/broker';
import type { Queue } from '@retry/worker';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';

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
  hold: [task, {}],
  resume: [task],
  holds: [],
  health: [{}],
  counts: [],
  unattended: [],
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
