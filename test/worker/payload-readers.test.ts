import type { JsonSafe, StandardSchema, Task } from '@retry/worker';
import { defineTask } from '@retry/worker';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

interface Hook {
  readonly customer: string;
  readonly bytes: number;
  readonly note?: string;
}

const name = 'any';
const limit = { limit: 10, window: '1m' } as const;

describe('fairness and cost of a task', () => {
  it('know the payload of the handler', () => {
    const tasks = [
      defineTask({ name, fairness: (hook) => hook.customer, run: async (_: Hook) => {} }),
      defineTask({ name, fairness: ({ customer }) => customer, run: async (_: Hook) => 5 }),
      defineTask({ name, run: async (_: Hook, _ctx) => {}, fairness: ({ note }) => note }),
      defineTask({
        name,
        globalRateLimit: { ...limit, cost: ({ bytes }) => bytes },
        run: async (_: Hook) => {},
      }),
      defineTask({
        name,
        run: async (_: Hook, { id }) => id.length,
        globalRateLimit: { ...limit, cost: ({ bytes }) => bytes },
      }).run,
      defineTask({ name, fairness: (tenant) => tenant, run: async (_: string) => {} }),
      // biome-ignore lint/suspicious/noExplicitAny: what has no types is not checked
      defineTask({ name, fairness: ({ customer }) => customer, run: (value: any) => value }),
      defineTask({ name, fairness: () => 'all', run: () => {} }),
    ];

    expect(tasks).toHaveLength(8);
  });

  it('refuse a key that the payload has not, and an answer of another type', () => {
    // @ts-expect-error a typo
    void (() => defineTask({ name, fairness: ({ custmer }) => custmer, run: async (_: Hook) => {} }));
    // @ts-expect-error a typo
    void (() => defineTask({ name, run: async (_: Hook, _ctx) => {}, fairness: (hook) => hook.custmer }));
    // @ts-expect-error a typo in the written type
    void (() => defineTask({ name, fairness: (_: { custmer: string }) => '', run: async (_: Hook) => {} }));
    // @ts-expect-error a number is no key
    void (() => defineTask({ name, fairness: ({ bytes }) => bytes, run: async (_: Hook) => {} }));

    const run = async (_: Hook): Promise<void> => {};
    // @ts-expect-error a typo
    void (() => defineTask({ name, globalRateLimit: { ...limit, cost: ({ byte }) => byte }, run }));
    // @ts-expect-error text is no cost
    void (() => defineTask({ name, globalRateLimit: { ...limit, cost: ({ customer }) => customer }, run }));
  });

  it('may write the type of the payload, and change nothing of the type that is submitted', () => {
    const fair = defineTask({
      name,
      fairness: ({ customer }: { customer: string }) => customer,
      globalRateLimit: { ...limit, cost: ({ bytes }: Pick<Hook, 'bytes'>) => bytes },
      run: async (_: Hook, _ctx) => {},
    });
    const untyped = defineTask({ name, fairness: ({ customer }: Hook) => customer, run: async () => {} });

    expectTypeOf(fair).toEqualTypeOf<Task<Hook, void>>();
    expect(untyped.fairness).toBeTypeOf('function');
  });

  it('may be those of a function with type parameters', () => {
    const define = <Payload extends JsonSafe<Payload> & Hook>(
      run: (payload: Payload) => Promise<void>,
      cost: (payload: Payload) => number,
    ): Task<Payload, void> =>
      defineTask({
        name,
        run,
        fairness: ({ customer }: Hook) => customer,
        globalRateLimit: { ...limit, cost },
      });

    expectTypeOf(
      define(
        async (_: Hook) => {},
        ({ bytes }) => bytes,
      ),
    ).toEqualTypeOf<Task<Hook, void>>();
  });

  it('know what is submitted where a schema changes it', () => {
    const schema = z.object({ tenant: z.string(), on: z.coerce.date(), copies: z.number().default(1) });
    const run = ({ on, copies }: z.output<typeof schema>): number => on.getTime() * copies;
    const dated = { name, schema, run };
    const cost = ({ copies }: { copies?: number | undefined }): number => copies ?? 1;
    const tasks = [
      defineTask({ name, schema, fairness: ({ tenant }) => tenant, run: ({ on }, _ctx) => on.getTime() }),
      defineTask({ name, schema, fairness: ({ on }: { on: string }) => on.slice(0, 10), run }),
      defineTask({ name, schema, globalRateLimit: { ...limit, cost: ({ copies = 1 }) => copies }, run }),
      defineTask({ name, schema, globalRateLimit: { ...limit, cost }, run }),
    ];

    expect(tasks).toHaveLength(4);
    // @ts-expect-error a typo
    void (() => defineTask({ name, schema, fairness: ({ tennant }) => tennant, run }));
    // @ts-expect-error it is a Date after the schema only
    void (() => defineTask({ name, schema, fairness: ({ on }) => on.toISOString(), run }));
    // @ts-expect-error the default comes with the schema
    void (() => defineTask({ ...dated, globalRateLimit: { ...limit, cost: ({ copies }) => copies } }));
  });

  it('get the text of a date that was submitted', () => {
    const schema: StandardSchema<{ at: Date; days?: Date[] }> = z.object({ at: z.date() });
    const run = ({ at }: { at: Date }): number => at.getTime();
    const tasks = [
      defineTask({ name, schema, fairness: ({ at }) => at.slice(0, 10), run }),
      defineTask({ name, schema, fairness: ({ days }: { days?: string[] }) => days?.[0], run }),
    ];

    expect(tasks).toHaveLength(2);
  });

  it('write the type of a payload of which nothing is known', () => {
    const schema: StandardSchema<unknown, Hook> = z.object({ customer: z.string(), bytes: z.number() });
    const task = defineTask({
      name,
      schema,
      fairness: ({ customer }: Hook) => customer,
      run: ({ bytes }) => bytes,
    });

    expect(task.fairness).toBeTypeOf('function');
    // @ts-expect-error its type is unknown
    void (() => defineTask({ name, fairness: ({ customer }) => customer, run: async () => {} }));
    // @ts-expect-error the type of the payload is read too late
    void (() => defineTask({ name, fairness: ({ customer }) => customer, run: (_: Hook, _ctx) => {} }));
    // @ts-expect-error its type is unknown
    void (() => defineTask({ name, schema, fairness: (hook) => hook.customer, run: ({ bytes }) => bytes }));
  });
});
