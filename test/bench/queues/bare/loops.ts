import type { Payload, Work } from '../contender.ts';

/** A run as a bare program claims it. */
export interface Claimed {
  /** JSON. */
  readonly payload: string;
}

/** A run that was handled; without an error it completed. */
export interface Handled<Run> {
  readonly run: Run;
  readonly error?: unknown;
}

/** Settles what was handled and claims at most `limit` runs by one call; throws when a settlement is refused. */
export type Exchange<Run> = (handled: readonly Handled<Run>[], limit: number) => Promise<readonly Run[]>;

/** An engine without a library around it. */
export interface Engine<Run extends Claimed> {
  /** Makes an exchange for one loop, which remembers what it claimed. */
  readonly createExchange: () => Exchange<Run>;
  /** Resolves when there may be something to claim, and when the signal aborts. */
  readonly wait: (signal: AbortSignal) => Promise<unknown>;
  /** Strictly: one run is claimed when the one before is settled. */
  readonly isStrict: boolean;
}

/** How many runs an exchange claims, at most, in bytes and by number, and how many exchanges are under way. */
const BATCH_BYTES = 2 ** 20;
const BATCH = 500;
const LOOPS = 2;

/** Settles what has ended and claims the next by one call, again and again; returns a function that stops it. */
export function startLoops<Run extends Claimed>(engine: Engine<Run>, work: Work): () => Promise<unknown> {
  const stopping = new AbortController();
  const count = engine.isStrict ? 1 : LOOPS;
  let turn: Promise<unknown> = Promise.resolve();
  // One batch is handled at a time, by `concurrency` handlers, while the exchange of the other loop is under way.
  const handleAll: HandleAll<Run> = (claimed) => {
    const handled = turn.then(() => handleBatch(claimed, work));
    turn = handled;
    return handled;
  };
  const makeLoop = () => loop(engine, { handleAll, onDone: work.onDone }, stopping.signal);
  const loops = Promise.all(Array.from({ length: count }, makeLoop));
  loops.catch(() => {}); // the sample fails because nothing moves; who stops the loops gets the error
  return () => {
    stopping.abort();
    return loops;
  };
}

type HandleAll<Run> = (claimed: readonly Run[]) => Promise<readonly Handled<Run>[]>;

async function loop<Run extends Claimed>(
  { createExchange, wait, isStrict }: Engine<Run>,
  { handleAll, onDone }: Pick<Work, 'onDone'> & { readonly handleAll: HandleAll<Run> },
  stopping: AbortSignal,
): Promise<void> {
  const exchange = createExchange();
  let handled: readonly Handled<Run>[] = [];
  let limit = isStrict ? 1 : BATCH;
  while (!stopping.aborted || handled.length > 0) {
    const claimed = await exchange(handled, stopping.aborted ? 0 : limit);
    for (const { error } of handled) if (error === undefined) onDone();
    if (!isStrict) limit = fitting(claimed, limit);
    handled = await handleAll(claimed);
    if (handled.length === 0 && !stopping.aborted) await wait(stopping);
  }
}

function fitting(claimed: readonly Claimed[], limit: number): number {
  const bytes = claimed.reduce((sum, { payload }) => sum + payload.length, 0);
  if (bytes === 0) return limit;
  return Math.max(1, Math.min(BATCH, Math.floor((BATCH_BYTES * claimed.length) / bytes)));
}

/** Handles `concurrency` at a time, as any worker does. */
async function handleBatch<Run extends Claimed>(
  claimed: readonly Run[],
  { concurrency, handle }: Work,
): Promise<readonly Handled<Run>[]> {
  const handled: Handled<Run>[] = [];
  const waiting = claimed.values();
  const handleNext = async (): Promise<void> => {
    for (const run of waiting) {
      const payload = JSON.parse(run.payload) as Payload; // what submit wrote
      handled.push(
        await handle(payload).then(
          () => ({ run }),
          (error: unknown) => ({ run, error }),
        ),
      );
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, claimed.length) }, handleNext));
  return handled;
}
