import type { Broker } from '../../broker.ts';
import type { Change, ChangeAnswer } from '../../change.ts';
import { readNote } from '../notes.ts';
import type { Decided } from '../operate/change-runs.ts';
import { decideDiscard, decideRedrive } from '../operate/redrive-runs.ts';
import type { ClaimedOperation } from './claim-operation.ts';
import { countOf, idsDeleted } from './keep-operations.ts';
import { besideKey, operationKey, writeOperation } from './kept-operation.ts';
import type { StepFigures } from './operation-rules.ts';
import { steppedBy } from './operation-rules.ts';

/** What a step of an operation takes. */
export interface OperationStep extends Pick<StepFigures, 'progress' | 'isLast'> {
  /** The runs that are redriven or discarded; at most 500. */
  readonly ids: readonly string[];
  /** When they are to start at the earliest, by id, in epoch milliseconds by the broker's clock. @default now, for all */
  readonly runAts?: ReadonlyMap<string, number>;
  /** How many more runs were passed over; an integer ≥ 0. */
  readonly skipped: number;
}

/** How often a step is tried without the runs that have changed meanwhile. */
const MAX_TRIES = 10;

/** What steps of operations work with. */
type StepBroker = Pick<Broker, 'notes' | 'get' | 'change'>;

/**
 * Makes a step of an operation: redrives or discards runs, and counts them in the same write. It is accepted once, while the operation is
 * running and nobody else has claimed it. Runs that are no dead letters any longer, or that have ended since the plan, are passed over,
 * and those that change while the step is made, too.
 *
 * Runs that are kept elsewhere than the note of the operation are moved first, and are counted there. A step that ends in between is made
 * again, and finds what it has moved no longer among the dead letters.
 *
 * @returns `fenced`: it was not accepted, or not all of it. Claim the operation again.
 */
export async function stepOperation(
  broker: StepBroker,
  claimed: ClaimedOperation,
  step: OperationStep,
): Promise<'made' | 'fenced'> {
  const placed = await decideStep(broker, claimed, step);
  const { '': own = [], ...others } = placed;
  const elsewhere = Object.entries(others);
  const held = await holdFor(broker, claimed, Object.keys(others));
  if (held === undefined) return 'fenced';
  const id = claimed.operation.id;
  const moved = await Promise.all(
    elsewhere.map(([beside, changes]) => moveBeside(broker, besideKey(beside, id), changes)),
  );
  let done = 0;
  for (const one of moved) {
    if (one === undefined) return 'fenced';
    done += one;
  }
  return moveOwn(broker, held, { own, step, elsewhere: done });
}

/** The changes of a step, by what the keys of notes begin with that can be written with them. */
type PlacedChanges = Readonly<Record<string, readonly Change[]>>;

async function decideStep(
  { get }: StepBroker,
  { operation }: ClaimedOperation,
  { ids, runAts }: OperationStep,
): Promise<PlacedChanges> {
  const { kind, keepAttempts = false, filter } = operation;
  const { endedBefore } = filter;
  const { now, runs } = await get([...new Set(ids)], { answer: 'seen' });
  const placed: Record<string, Change[]> = {};
  for (const one of runs) {
    if (one === undefined) continue;
    const { run, seen, beside = '' } = one;
    const at = { runAt: runAts?.get(run.id) ?? now, at: now };
    const { next }: Decided<string> =
      kind === 'discard'
        ? decideDiscard(one, { endedBefore })
        : decideRedrive(one, { keepAttempts, endedBefore, ...at });
    if (next === undefined) continue;
    placed[beside] ??= [];
    placed[beside].push({ id: run.id, seen, next });
  }
  return placed;
}

/**
 * Looks whether the carrier still holds the operation, before runs are moved that are kept elsewhere: their notes do not know of a pause or
 * another claim. Writes where there are such notes.
 */
async function holdFor(
  { notes }: StepBroker,
  claimed: ClaimedOperation,
  besides: readonly string[],
): Promise<ClaimedOperation | undefined> {
  if (besides.length === 0) return claimed;
  const { operation, kept, version } = claimed;
  const known = kept.besides ?? [];
  const missing = besides.filter((one) => !known.includes(one));
  const key = operationKey(operation.id);
  if (missing.length === 0)
    return (await readNote(notes, key)).note?.version === version ? claimed : undefined;
  const next = { ...kept, besides: [...known, ...missing] };
  const written = await notes.write([{ key, seen: version, value: writeOperation(next) }]);
  return written.outcome === 'written'
    ? { ...claimed, kept: next, version: written.versions[0] ?? 0 }
    : undefined;
}

/** Moves runs and counts them in a note beside them. @returns how many; `undefined`: another carrier does so */
async function moveBeside(
  broker: StepBroker,
  key: string,
  changes: readonly Change[],
): Promise<number | undefined> {
  let left = changes;
  for (let tries = 1; tries <= MAX_TRIES && left.length > 0; tries += 1) {
    const { note } = await readNote(broker.notes, key);
    const count = countOf(note?.value) + left.length;
    const answers = await broker.change(left, {
      notes: [{ key, seen: note?.version ?? 0, value: `${count}` }],
    });
    if (answers === 'fenced') return undefined;
    if (areDone(answers)) return left.length;
    left = left.filter((_, index) => answers[index] === 'done');
  }
  return left.length === 0 ? 0 : undefined;
}

interface OwnStep {
  readonly own: readonly Change[];
  readonly step: OperationStep;
  /** How many were moved elsewhere. */
  readonly elsewhere: number;
}

/** Moves the runs that can be written with the note of the operation, and writes that. */
async function moveOwn(
  broker: StepBroker,
  { operation, kept, version }: ClaimedOperation,
  { own, step, elsewhere }: OwnStep,
): Promise<'made' | 'fenced'> {
  const { id } = operation;
  const { ids, progress, isLast } = step;
  let left = own;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const skipped = step.skipped + ids.length - elsewhere - left.length;
    const next = steppedBy(kept, { done: left.length, skipped, progress, isLast });
    const notes = [
      { key: operationKey(id), seen: version, value: writeOperation(next) },
      ...(isLast ? idsDeleted({ id, kept }) : []),
    ];
    const answers = await broker.change(left, { notes });
    if (answers === 'fenced') return 'fenced';
    if (areDone(answers)) return 'made';
    left = left.filter((_, index) => answers[index] === 'done');
  }
  return 'fenced';
}

function areDone(answers: readonly ChangeAnswer[]): boolean {
  return answers.every((answer) => answer === 'done');
}
