import type { Concurrency, Submission } from '@retry/core/broker';
import fc from 'fast-check';
import { assertSame, payloadOf } from './broker-agrees.ts';
import type { Model, Ripeness } from './broker-model.ts';
import type { ModelUnique, ModelUntil } from './broker-model-unique.ts';
import { modelSubmitUnique } from './broker-model-unique.ts';
import type { Operation } from './broker-operations.ts';

const KEYS = ['u', 'v'];

/** Ids that unique submissions come to use, so that other commands meet their runs. */
export const UNIQUE_IDS: readonly string[] = ['{u}1', '{u}2', '{u}3', '{v}1', '{v}2'];

/** What the commands are about. */
interface Subjects {
  readonly lanes: fc.Arbitrary<string>;
  readonly concurrencies: fc.Arbitrary<Concurrency | undefined>;
  readonly fairnessKeys: fc.Arbitrary<string | undefined>;
  readonly msOf: (ripeness: Ripeness) => number;
}

interface Drawn extends Omit<ModelUnique, 'id'> {
  readonly ripeness: Ripeness;
  /** Send the latest id of the key once more, if its run is kept. */
  readonly isRepeated: boolean;
}

/** Random unique submissions, some of them several in one call. */
export function uniques({ lanes, concurrencies, fairnessKeys, msOf }: Subjects): fc.Arbitrary<Operation> {
  const one: fc.Arbitrary<Drawn> = fc.record({
    ...{ lane: lanes, concurrency: concurrencies, fairnessKey: fairnessKeys, key: fc.constantFrom(...KEYS) },
    until: fc.constantFrom<ModelUntil[]>('started', 'started', 'ended', 'ended', 'ended', 'soon', 'never'),
    onConflict: fc.constantFrom('keep', 'replace'),
    ripeness: fc.constantFrom<Ripeness[]>('now', 'now', 'now', 'soon', 'never'),
    isRepeated: fc.constantFrom(false, false, false, false, true),
  });
  return fc.array(one, { minLength: 1, maxLength: 4 }).map((some) => [
    `submit unique ${JSON.stringify(some)}`,
    async (model, { broker, clock }) => {
      const drawn = some.map(({ ripeness, isRepeated, ...unique }) => {
        // On a real clock a time that is soon over may be over already.
        const until = clock === 'real' && unique.until === 'soon' ? 'never' : unique.until;
        return { ripeness, unique: { ...unique, until, id: nextId(model, unique.key, isRepeated) } };
      });
      const answers = await broker.submit(
        drawn.map(({ ripeness, unique }) => toSubmission(unique, { ripeness, msOf })),
      );
      assertSame(
        answers,
        drawn.map(({ ripeness, unique }) => modelSubmitUnique(model, unique, ripeness)),
      );
    },
  ]);
}

/** An id is used for one run only. */
function nextId(model: Model, key: string, isRepeated: boolean): string {
  const count = model.uniques.get(key) ?? 0;
  if (isRepeated && model.runs.has(`{${key}}${count}`)) return `{${key}}${count}`;
  model.uniques.set(key, count + 1);
  return `{${key}}${count + 1}`;
}

function toSubmission(
  { id, lane, concurrency, fairnessKey, key, until, onConflict }: ModelUnique,
  { ripeness, msOf }: { readonly ripeness: Ripeness; readonly msOf: Subjects['msOf'] },
): Submission {
  const isTime = until !== 'started' && until !== 'ended';
  return {
    ...{ id, lane, payload: payloadOf(id), delayMs: msOf(ripeness) },
    ...(concurrency && { concurrency }),
    ...(fairnessKey !== undefined && { fairnessKey }),
    unique: { key, onConflict, until: isTime ? msOf(until) : until },
  };
}
