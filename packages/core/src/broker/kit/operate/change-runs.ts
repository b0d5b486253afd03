import type { Broker } from '../../broker.ts';
import type { Change, SeenRun } from '../../change.ts';
import type { Run } from '../../run.ts';
import type { Locked } from '../../submission.ts';
import { isChange } from '../run/change-rules.ts';

/** The part of a broker by which runs are changed. */
export type ChangeableBroker = Pick<Broker, 'get' | 'change'>;

/** What is to be done with a run: only answered, or also changed. */
export interface Decided<Answer> extends Partial<Pick<Change, 'next' | 'group'>> {
  /** What is answered, if need be once the run is changed. */
  readonly answer: Answer;
}

/** Decides about a run that was read at `now`, by the broker's clock. Pure. */
type Decide<Item, Answer> = (seen: SeenRun, item: Item, now: number) => Decided<Answer>;

/** How often a run is read that has changed each time before it was written. */
const MAX_READINGS = 20;

interface Asked<Item> {
  readonly item: Item;
  /** Among all items of the call. */
  readonly index: number;
  readonly readings: number;
}

/**
 * Reads runs, decides what they are to be, and changes them. A run that changes in between is read again; of several items of one run
 * the first one is decided first. An item is answered `locked` where another client's transaction has the run, or where it changed
 * each time: the caller may ask again later.
 *
 * @throws {Error} when a run is to become what no change can make of it: a mistake of `decide`
 */
export async function changeRuns<Item extends { readonly id: string }, Answer extends string>(
  broker: ChangeableBroker,
  items: readonly Item[],
  decide: Decide<Item, Answer>,
): Promise<readonly (Answer | 'gone' | Locked)[]> {
  const answers: (Answer | 'gone' | Locked)[] = [];
  let left: readonly Asked<Item>[] = items.map((item, index) => ({ item, index, readings: 1 }));
  while (left.length > 0) {
    const { first, later } = firstOfEach(left);
    const given = await changeOnce(
      broker,
      first.map(({ item }) => item),
      decide,
    );
    const again: Asked<Item>[] = [];
    for (const [at, asked] of first.entries()) {
      const answer = given[at] ?? 'gone';
      if (answer !== 'changed') answers[asked.index] = answer;
      else if (asked.readings === MAX_READINGS) answers[asked.index] = 'locked';
      else again.push({ ...asked, readings: asked.readings + 1 });
    }
    left = [...again, ...later];
  }
  return answers;
}

function firstOfEach<Item extends { readonly id: string }>(
  asked: readonly Asked<Item>[],
): { readonly first: readonly Asked<Item>[]; readonly later: readonly Asked<Item>[] } {
  const ids = new Set<string>();
  const later: Asked<Item>[] = [];
  const first = asked.filter((one) => {
    if (!ids.has(one.item.id)) return ids.add(one.item.id);
    later.push(one);
    return false;
  });
  return { first, later };
}

async function changeOnce<Item extends { readonly id: string }, Answer extends string>(
  broker: ChangeableBroker,
  items: readonly Item[],
  decide: Decide<Item, Answer>,
): Promise<readonly (Answer | 'gone' | 'changed' | Locked)[]> {
  const { answers, changes, changed } = await decideAll<Item, Answer | 'changed' | Locked>(
    broker,
    items,
    decide,
  );
  const given = changes.length === 0 ? [] : await broker.change(changes);
  for (const [at, { index, answer }] of changed.entries()) {
    // Only a change with notes is answered as a whole.
    const one = given === 'fenced' ? 'changed' : (given[at] ?? 'gone');
    answers[index] = one === 'done' ? answer : one;
  }
  return answers;
}

function impossible({ id, state }: Run, next: Change['next']): Error {
  const wanted = next === 'forget' ? 'forgotten' : next.state;
  return new Error(`run ${id} is ${state}, which no change makes ${wanted}`);
}

interface DecidedAll<Answer> {
  readonly answers: (Answer | 'gone')[];
  readonly changes: readonly Change[];
  /** Where the answers of the changes belong, and what they are once the runs are changed. */
  readonly changed: readonly { readonly index: number; readonly answer: Answer }[];
}

async function decideAll<Item extends { readonly id: string }, Answer>(
  broker: ChangeableBroker,
  items: readonly Item[],
  decide: Decide<Item, Answer>,
): Promise<DecidedAll<Answer>> {
  const answers: (Answer | 'gone')[] = [];
  const changes: Change[] = [];
  const changed: { readonly index: number; readonly answer: Answer }[] = [];
  const { now, runs } = await broker.get(
    items.map(({ id }) => id),
    { answer: 'seen' },
  );
  for (const [index, item] of items.entries()) {
    const seen = runs[index];
    if (seen === undefined) {
      answers[index] = 'gone';
      continue;
    }
    const { next, group, answer } = decide(seen, item, now);
    answers[index] = answer;
    if (next === undefined) continue;
    // It would be answered `changed` however often it is read.
    if (!isChange(seen.run.state, next)) throw impossible(seen.run, next);
    changes.push({ id: item.id, seen: seen.seen, next, ...(group !== undefined && { group }) });
    changed.push({ index, answer });
  }
  return { answers, changes, changed };
}
