import type { WorkerLoad } from './attendance/worker-report.ts';
import type { EmptyClaim } from './claims.ts';
import type { Room } from './lanes/slots.ts';

/** Why nothing more is claimed. `empty`: nothing that may start now is due. */
export type ClaimsEnd = 'empty' | 'maxRuns';

interface LimitParts {
  /** How many handlers may be called; `Infinity` for no limit. */
  readonly maxRuns: number;
  readonly load: () => Pick<WorkerLoad, 'leases'>;
}

/** Limits how many runs a worker starts in all, and knows when it has started what it may, or what there is. */
export class ClaimLimit {
  readonly #parts: LimitParts;
  #started = 0;
  /** What pending claims may return. */
  #asked = 0;
  /** Whether leases that had expired before are settled, so that their runs are among those that are claimed. */
  #isCleaned = false;

  constructor(parts: LimitParts) {
    this.#parts = parts;
  }

  /** Returns what of the room may be claimed. What was given back without a start is not counted. */
  room(room: Room | undefined): Room | undefined {
    const left = this.#left;
    if (room === undefined || left <= 0) return undefined;
    return left < room.limit ? { ...room, limit: left } : room;
  }

  /** Notes that a claim is sent. @returns notes that it was answered */
  noteClaim(limit: number): () => void {
    this.#asked += limit;
    return () => {
      this.#asked -= limit;
    };
  }

  /** Notes that the handler of a claimed run, which has ended, was called. */
  noteStarted(): void {
    this.#started += 1;
  }

  /** Notes that leases that had expired before are settled. */
  noteCleaned(): void {
    this.#isCleaned = true;
  }

  /**
   * Returns why nothing more is to be claimed, given that nothing runs and no exchange is pending; `undefined` if there is.
   *
   * @param empty - the latest claim, if it returned nothing
   */
  endOf(room: Room | undefined, empty: EmptyClaim | undefined): ClaimsEnd | undefined {
    if (this.#left <= 0) return 'maxRuns';
    const isEmpty = room === undefined || (empty !== undefined && empty.dueInMs > 0);
    return isEmpty && this.#isCleaned ? 'empty' : undefined;
  }

  get #left(): number {
    return this.#parts.maxRuns - this.#started - this.#parts.load().leases - this.#asked;
  }
}
