import { defineTask, type JsonSafe, type Task } from '@retry/worker';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

interface Line {
  readonly sku: string & { readonly __brand: 'Sku' };
  readonly order?: Order;
  next: Line | null;
}

interface Order {
  readonly id: string;
  readonly note?: string;
  readonly lines: readonly Line[];
  readonly tag?: 'a' | 'b' | undefined;
}

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
type Day = { readonly kind: 'day'; readonly at: Date };
type Shape =
  | { readonly kind: 'circle'; readonly radius: number }
  | { readonly kind: 'path'; points: [number, number?] };

interface Dated {
  readonly id: string;
  readonly list: readonly { readonly at?: Date }[];
}

class Money {
  readonly amount = 1;
  toJSON(): string {
    return `${this.amount}`;
  }
}

type UserId = string & { readonly __brand: 'UserId' };
declare const tag: unique symbol;
type TaggedId = string & { readonly [tag]: true };
type Cents = number & { readonly __brand: 'Cents' };
type Checked = boolean & { readonly __brand: 'Checked' };
type SortedIds = readonly UserId[] & { readonly __brand: 'Sorted' };
type PaidOrder = Order & { readonly __brand: 'Paid' };
type BrandedDate = Date & { readonly __brand: 'Day' };
type BrandedBigint = bigint & { readonly __brand: 'Wei' };
const ZodId = z.string().brand<'UserId'>();
type ZodId = z.infer<typeof ZodId>;

const LEVELS = { low: 0, high: 1 } as const;
type Level = (typeof LEVELS)[keyof typeof LEVELS];

const name = 'any';

describe('the types of defineTask', () => {
  it('take every payload and result that JSON returns as it was', () => {
    const order = defineTask({ name, run: async (_: Order) => ({ isDone: true }) });
    const tasks = [
      order,
      defineTask({ name, run: async (_: Json, { attempt }) => attempt }),
      defineTask({ name, run: async (shape: Shape): Promise<Shape> => shape }),
      defineTask({ name, run: async (_: Record<string, readonly number[]>) => [1, 'a'] as const }),
      defineTask({ name, run: async () => {} }),
      defineTask({ name, run: () => expect.fail() }),
      defineTask({ name, run: (value: unknown) => value }),
      // biome-ignore lint/suspicious/noExplicitAny: what has no types is not checked
      defineTask({ name, run: (value: any) => value }),
      defineTask({ name, run: async (payload, { id }) => ({ id, payload }) }),
    ];

    expect(tasks).toHaveLength(9);
    expectTypeOf(order).toEqualTypeOf<Task<Order, { isDone: boolean }>>();
  });

  it('take what is branded, as it is and inside of something else', () => {
    const tasks = [
      defineTask({ name, run: async (id: UserId): Promise<UserId> => id }),
      defineTask({ name, run: async (id: ZodId): Promise<ZodId> => id }),
      defineTask({ name, run: async (id: TaggedId): Promise<TaggedId | undefined> => id }),
      defineTask({ name, run: (count: Cents): Cents | null => count }),
      defineTask({ name, run: (is: Checked): Checked => is }),
      defineTask({ name, run: (level: Level): Level => level }),
      defineTask({ name, run: (lane: `${string}@${number}`) => lane }),
      defineTask({ name, run: (list: SortedIds): SortedIds => list }),
      defineTask({ name, run: (order: PaidOrder): PaidOrder => order }),
      defineTask({ name, run: (which: UserId | Cents | PaidOrder): typeof which => which }),
      defineTask({ name, schema: ZodId, run: async (id): Promise<ZodId> => id }),
      defineTask({ name, schema: z.object({ id: ZodId }), run: async ({ id }): Promise<ZodId> => id }),
    ];
    const one = defineTask({ name, run: async (_: string) => 'a' as UserId });

    expect(tasks).toHaveLength(12);
    expectTypeOf(one).toEqualTypeOf<Task<string, UserId>>();
    // @ts-expect-error a brand makes no text of a Date
    void (() => defineTask({ name, run: async (_: string): Promise<BrandedDate> => expect.fail() }));
    // @ts-expect-error nor JSON of a bigint
    void (() => defineTask({ name, run: async (_: string): Promise<BrandedBigint> => expect.fail() }));
    // @ts-expect-error in a union as well
    void (() => defineTask({ name, run: async (_: string): Promise<UserId | Date> => expect.fail() }));
  });

  it('take any payload that a schema makes', () => {
    const dated = defineTask({
      name,
      schema: z.object({ at: z.coerce.date() }),
      run: ({ at }) => at.getTime(),
    });

    expectTypeOf(dated.run).parameter(0).toEqualTypeOf<{ at: Date }>();
  });

  it('can be those of a function with type parameters', () => {
    const define = <Payload extends JsonSafe<Payload>>(
      run: (payload: Payload) => Promise<void>,
    ): Task<Payload, void> => defineTask({ name, run });

    expectTypeOf(define(async (_: Order) => {})).toEqualTypeOf<Task<Order, void>>();
    // @ts-expect-error a Date arrives as text
    void (() => define(async (_: Dated) => {}));
  });

  it('refuse a payload that JSON changes', () => {
    // @ts-expect-error a Date arrives as text
    void (() => defineTask({ name, run: async (_: Dated) => {} }));
    // @ts-expect-error a Date arrives as text
    void (() => defineTask({ name, run: async (_: Date) => {} }));
    // @ts-expect-error in one case of a union
    void (() => defineTask({ name, run: async (_: Shape | Day) => {} }));
    // @ts-expect-error so does any object with a toJSON
    void (() => defineTask({ name, run: async (_: { readonly price: Money }) => {} }));
    // @ts-expect-error a Map is lost
    void (() => defineTask({ name, run: async (_: { readonly byId: Map<string, number> }) => {} }));
  });

  it('refuse a result that JSON changes, with a schema of the payload as well', () => {
    // @ts-expect-error a Date arrives as text
    void (() => defineTask({ name, run: async (_: string) => ({ at: new Date() }) }));
    // @ts-expect-error JSON has no bigint
    void (() => defineTask({ name, schema: z.string(), run: async (_) => ({ count: 1n }) }));
    // @ts-expect-error nor functions
    void (() => defineTask({ name, run: (_: string) => [() => 1] }));
  });
});
