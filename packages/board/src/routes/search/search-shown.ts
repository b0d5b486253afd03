import type { RunView, SearchOptions, SearchPage } from '@retry/worker';
import type { Mask, Maskable } from '../../show/mask.ts';
import type { Desk } from '../call.ts';

/** The most runs of one part, and about how many a page looks at. */
const PART = 500;
const MAX_SEARCHED = 5_000;

type Page = SearchPage<RunView>;

/** What is sought in what the mask leaves. */
interface Sought extends SearchOptions<'ms'> {
  readonly text: string;
  readonly limit: number;
}

/**
 * Searches what a visitor may see. The queue is not asked for the text: where it ends a page would tell in which runs it has found the
 * text, also what the mask hides. A part with too many hits is read again with fewer runs, since only the end of a part has a `next`.
 */
export async function searchShown(desk: Desk, { text, limit, ...options }: Sought): Promise<Page> {
  const isHit = (run: RunView): boolean => isFound(run, text, desk.mask);
  const runs: RunView[] = [];
  let searched = 0;
  for (let { after } = options; ; ) {
    const left = limit - runs.length;
    const part = await readPart(desk, { ...options, after }, { left, isHit });
    runs.push(...part.hits);
    searched += part.searched;
    after = part.next;
    if (after === undefined) return { runs, searched, isComplete: true };
    if (part.isLast || runs.length === limit || searched >= MAX_SEARCHED)
      return { runs, searched, isComplete: false, next: after };
  }
}

interface Wanted {
  /** The most hits. */
  readonly left: number;
  readonly isHit: (run: RunView) => boolean;
}

interface Part extends Pick<Page, 'searched'> {
  readonly next: string | undefined;
  readonly hits: readonly RunView[];
  /** The queue has looked at as much as one call may. */
  readonly isLast: boolean;
}

async function readPart(
  { queue }: Desk,
  options: SearchOptions<'ms'>,
  { left, isHit }: Wanted,
): Promise<Part> {
  for (let limit = Math.max(left, PART); ; ) {
    const { runs, searched, next } = await queue.search({ ...options, limit });
    const hits = runs.filter(isHit);
    const tooMany = hits[left];
    if (tooMany === undefined) return { hits, searched, next, isLast: runs.length < limit };
    limit = Math.max(left, Math.min(runs.indexOf(tooMany), limit - 1));
  }
}

/** Whether the text is in what a visitor may see of a run. */
function isFound({ id, task, version, errors, payload }: RunView, text: string, mask: Mask): boolean {
  const sought = text.toLowerCase();
  const isIn = (shown: string): boolean => shown.toLowerCase().includes(sought);
  const masked = (kind: Maskable['kind'], value: unknown): unknown => mask({ kind, task, version, value });
  return (
    isIn(id) ||
    errors.some(({ name, message }) => isIn(name) || isIn(String(masked('message', message)))) ||
    isIn(jsonOf(masked('payload', payload)))
  );
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // what cannot be written is not shown, either
  }
}
