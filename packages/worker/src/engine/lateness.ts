import type { Claim, Run } from '@retry/core/broker';
import { latenessOf } from '../settle/report.ts';

/**
 * Why a run started later than it was due, by the obstacle that went last.
 *
 * `no-slot`: this worker had no slot for its task, or had not begun to work. `rate-limit`: the rate limit of its task was
 * reached. `concurrency-key`: runs of its key took all of the key's starts. `hold`: its lane gave no runs though it was looked
 * into. `poll`: it was found by the next look, or wake signal, and there is no other cause.
 */
export type LateCause = 'no-slot' | 'rate-limit' | 'concurrency-key' | 'hold' | 'poll';

/** A claimed run that starts now; instants by the worker's clock. */
interface Start {
  readonly run: Run<'started'>;
  readonly claimedAt: number;
  readonly now: number;
}

/** What a claim asked for, and what it brought. */
export interface Look {
  readonly claim: Pick<Claim, 'lanes' | 'limit'>;
  readonly sentAt: number;
  readonly claimed: readonly { readonly run: Pick<Run, 'lane'> }[];
}

/** Remembers of each lane when nothing could be claimed from it, and when it was last looked into to its end. */
export class Lateness {
  readonly #pollMs: number;
  readonly #shut = new Map<string, { readonly cause: 'no-slot' | 'rate-limit'; readonly at: number }>();
  /** When a claim was sent that left none of the lane's runs behind that could start. */
  readonly #exhaustedAt = new Map<string, number>();
  /** When a claim was sent that brought nothing at all. */
  readonly #emptyAt = new Map<string, number>();

  constructor({ pollMs }: { readonly pollMs: number }) {
    this.#pollMs = pollMs;
  }

  /** Nothing could be claimed from the lane at this instant. */
  noteShut(lane: string, cause: 'no-slot' | 'rate-limit', at: number): void {
    this.#shut.set(lane, { cause, at });
  }

  /** A claim was answered. */
  noteLook({ claim: { lanes, limit }, sentAt, claimed }: Look): void {
    if (claimed.length >= limit) return;
    const counts = new Map<string, number>();
    for (const { run } of claimed) counts.set(run.lane, (counts.get(run.lane) ?? 0) + 1);
    for (const [lane, most] of lanes) {
      if ((counts.get(lane) ?? 0) < most) this.#exhaustedAt.set(lane, sentAt);
      if (claimed.length === 0) this.#emptyAt.set(lane, sentAt);
    }
  }

  /** How late a run starts, in ms, and why when it is late at all. */
  explain({ run, claimedAt, now }: Start): { readonly latenessMs: number; readonly lateBecause?: LateCause } {
    const claimedLateMs = latenessOf(run);
    const heldMs = now - claimedAt;
    const latenessMs = claimedLateMs + heldMs;
    if (latenessMs <= 0) return { latenessMs };
    if (heldMs >= claimedLateMs) return { latenessMs, lateBecause: 'no-slot' };
    return { latenessMs, lateBecause: this.#causeOf(run, claimedAt - claimedLateMs) };
  }

  #causeOf({ lane, concurrency }: Run, dueAt: number): LateCause {
    const shut = this.#shut.get(lane);
    if (shut !== undefined && shut.at >= dueAt) return shut.cause;
    if (concurrency !== undefined && (this.#exhaustedAt.get(lane) ?? -Infinity) >= dueAt)
      return 'concurrency-key';
    // Shortly after it was due, a run may have been on its way into its lane.
    return (this.#emptyAt.get(lane) ?? -Infinity) >= dueAt + this.#pollMs ? 'hold' : 'poll';
  }
}
