import { randomUUID } from 'node:crypto';
import type { Claim, SettleAnswer, Settlement } from '@retry/core/broker';

/** How often a settlement was sent: the answer to one sent again may be about an earlier sending. */
export type Times = 'once' | 'again';

/** A settlement, and who waits for its answer. */
export interface Parcel {
  readonly settlement: Settlement;
  /** Called once, unless there is no more time; `refused`: neither it nor what was sent instead can be kept. */
  readonly onAnswer: (answer: SettleAnswer | 'refused', sent: Times) => void;
  /** What to send instead when the broker refuses it for good, in this order until one is kept. */
  readonly instead?: (error: unknown) => readonly Parcel[];
}

/** What one exchange carries. */
export interface Cargo {
  readonly parcels: readonly Parcel[];
  readonly claim: Claim | undefined;
}

/**
 * The parts of an exchange that was refused: settlements apart from the claim, then halves of either. `undefined` when
 * one settlement, or the claim of one lane, stands alone.
 */
export function divide({ parcels, claim }: Cargo): readonly Cargo[] | undefined {
  if (parcels.length > 0 && claim !== undefined) {
    return [
      { parcels, claim: undefined },
      { parcels: [], claim: withLanes(claim, [...claim.lanes]) },
    ];
  }
  if (parcels.length > 1) return halves(parcels).map((half) => ({ parcels: half, claim: undefined }));
  if (claim === undefined || claim.lanes.size <= 1) return undefined;
  return halves([...claim.lanes]).map((lanes) => ({ parcels: [], claim: withLanes(claim, lanes) }));
}

/** A claim of its own: the broker may have noted the refused one under its request id. */
function withLanes(claim: Claim, lanes: readonly (readonly [string, number])[]): Claim {
  return { ...claim, requestId: randomUUID(), lanes: new Map(lanes) };
}

function halves<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  const middle = Math.ceil(items.length / 2);
  return [items.slice(0, middle), items.slice(middle)];
}
