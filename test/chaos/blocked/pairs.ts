import { setTimeout as rest } from 'node:timers/promises';
import { BLOCK_MS, ENDLESS_LOOPS, PAIRS, START_MS } from './plan.ts';
import type { Member } from './process.ts';
import { startMember } from './process.ts';
import type { Fact, Place, Submitter } from './system.ts';
import type { SystemName } from './systems.ts';
import { SYSTEMS } from './systems.ts';

/** How often to look whether a run has ended, in ms. */
const LOOK_MS = 100;

/** What became of one block. */
export interface Repetition {
  /** Of its pair, from 0. */
  readonly number: number;
  readonly executions: number;
  readonly stalls: number;
  readonly fenced: number;
  /** The state that the run ended in. */
  readonly end: string;
}

/** Whether the block was not noticed by anyone. */
export function isClean({ executions, stalls, fenced, end }: Repetition): boolean {
  return executions === 1 && stalls === 0 && fenced === 0 && end === 'completed';
}

/** Two worker processes on one queue. */
interface Pair {
  readonly submitter: Submitter;
  readonly facts: (type: Fact['type'], id: string) => readonly Fact[];
  readonly close: () => Promise<void>;
}

async function openPair(system: SystemName, place: Place): Promise<Pair> {
  const { open } = await SYSTEMS[system]();
  const submitter = await open(place);
  const members: readonly Member[] = await Promise.all([
    startMember(system, place),
    startMember(system, place),
  ]);
  await rest(START_MS);
  return {
    submitter,
    facts: (type, id) =>
      members.flatMap((member) => member.facts().filter((fact) => fact.type === type && fact.id === id)),
    close: async () => {
      for (const member of members) member.kill();
      await submitter.close();
    },
  };
}

/** Blocks the event loop of one of two workers again and again, in several pairs at the same time. */
export async function repeatBlocks(
  system: SystemName,
  server: Omit<Place, 'name'>,
  perPair: number,
): Promise<readonly Repetition[]> {
  const ofPairs = await Promise.all(
    Array.from({ length: PAIRS }, async (_, index) => {
      const pair = await openPair(system, { ...server, name: `${system.toLowerCase()}_${index}` });
      const repetitions: Repetition[] = [];
      for (let block = 0; block < perPair; block += 1)
        repetitions.push({ number: block, ...(await blockOnce(pair)) });
      await pair.close();
      return repetitions;
    }),
  );
  return ofPairs.flat();
}

async function blockOnce({ submitter, facts }: Pair): Promise<Omit<Repetition, 'number'>> {
  const id = await submitter.submit(BLOCK_MS);
  const count = (type: Fact['type']): number => facts(type, id).length;
  for (;;) {
    await rest(LOOK_MS);
    const end = await submitter.endOf(id);
    if (end === undefined || count('start') > count('end')) continue;
    await rest(LOOK_MS * 5); // an outcome that comes too late is refused only when it has been sent
    return { executions: count('start'), stalls: count('stalled'), fenced: count('fenced'), end };
  }
}

/** Returns how long after the start of each endless loop another worker had its run, in ms. */
export function loopEndlessly(system: SystemName, server: Omit<Place, 'name'>): Promise<readonly number[]> {
  return Promise.all(
    Array.from({ length: ENDLESS_LOOPS }, async (_, index) => {
      const { submitter, facts, close } = await openPair(system, { ...server, name: `endless_${index}` });
      const id = await submitter.submit(1e9);
      while (facts('start', id).length < 2) await rest(LOOK_MS);
      const [first = 0, second = 0] = facts('start', id)
        .map(({ at }) => at)
        .sort((one, other) => one - other);
      await close();
      return second - first;
    }),
  );
}
