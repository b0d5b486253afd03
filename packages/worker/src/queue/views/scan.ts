import type { Run } from '@retry/core/broker';
import { MAX_BATCH_BYTES, runBytes } from '@retry/core/broker/kit';

/** Runs in an order, of which a part can be read at a time. */
export interface Source {
  /**
   * Returns the next runs, at most `limit`; fewer, or none, also where more follow.
   *
   * @param after - the `next` of the part before; absent: the first part
   */
  readonly read: (after: string | undefined, limit: number) => Promise<Part>;
}

/** A part of a source. */
export interface Part {
  readonly runs: readonly Run[];
  /** Where the next part begins; absent on the last one. */
  readonly next?: string | undefined;
}

/** What to look for, and how far. */
export interface Scan {
  readonly after: string | undefined;
  /** The most runs to return. */
  readonly limit: number;
  /** Which runs to return. @default all that are read */
  readonly matches?: ((run: Run) => boolean) | undefined;
  /** About how many bytes of runs are read, at most. @default what they may have that are returned */
  readonly maxBytes?: number;
}

/** What a scan found. */
interface Scanned extends Part {
  /** How many runs it has read. */
  readonly searched: number;
}

/** The most runs that one scan reads, and the most calls that it makes. */
export const MAX_SEARCHED = 10_000;
const MAX_CALLS = 100;

/** The most runs of one call. */
const PART = 1_000;

/** How many runs a call reads at least, where only some of them may match. */
const FILTERED_PART = 250;

/** Where a scan is. */
interface Progress {
  readonly found: Run[];
  /** The bytes of the runs that are found, and of all that were read. */
  foundBytes: number;
  bytes: number;
  searched: number;
  calls: number;
  next: string | undefined;
}

/**
 * Returns the next runs of a source that match. It is bounded: what it returns may be short, or empty, where more runs follow.
 *
 * The `next` of a source is only known at the end of a part, so no run may be left over in one: a part with too many matches is
 * read again with fewer runs.
 */
export async function scan(
  source: Source,
  { after, limit, matches, maxBytes = Infinity }: Scan,
): Promise<Scanned> {
  const progress: Progress = { found: [], foundBytes: 0, bytes: 0, searched: 0, calls: 0, next: after };
  const { found } = progress;
  do {
    const left = limit - found.length;
    const wanted = matches === undefined ? left : Math.max(left, FILTERED_PART);
    take(progress, await readFitting(source, progress, { left, wanted, matches }));
  } while (progress.next !== undefined && found.length < limit && hasBudget(progress, maxBytes));
  const { searched, next } = progress;
  return next === undefined ? { runs: found, searched } : { runs: found, searched, next };
}

function hasBudget({ foundBytes, bytes, searched, calls }: Progress, maxBytes: number): boolean {
  return foundBytes < MAX_BATCH_BYTES && bytes < maxBytes && searched < MAX_SEARCHED && calls < MAX_CALLS;
}

interface Fitting extends Pick<Scan, 'matches'> {
  /** The most matches. */
  readonly left: number;
  /** How many runs to read. */
  readonly wanted: number;
}

interface MatchedPart extends Part {
  readonly matching: readonly Run[];
}

/** Reads the next part, with at most as many matches as are left. */
async function readFitting(
  source: Source,
  progress: Progress,
  { left, wanted, matches = () => true }: Fitting,
): Promise<MatchedPart> {
  for (let size = Math.min(wanted, PART); ; ) {
    progress.calls += 1;
    const part = await source.read(progress.next, size);
    const matching = part.runs.filter(matches);
    const firstTooMany = matching[left];
    if (firstTooMany === undefined) return { ...part, matching };
    size = Math.max(left, Math.min(part.runs.indexOf(firstTooMany), size - 1));
  }
}

function take(progress: Progress, { runs, matching, next }: MatchedPart): void {
  const bytesOf = (all: readonly Run[]): number => all.reduce((sum, run) => sum + runBytes(run), 0);
  progress.found.push(...matching);
  progress.foundBytes += bytesOf(matching);
  progress.bytes += bytesOf(runs);
  progress.searched += runs.length;
  progress.next = next;
}
