import type { Claim } from '@retry/core/broker';
import { halves } from '../halves.ts';
import type { QueuedSettlement } from '../settle/queued-settlement.ts';
import { newRequestId } from './request-id.ts';

/** What one exchange carries. */
export interface ExchangeBatch {
  readonly settlements: readonly QueuedSettlement[];
  readonly claim: Claim | undefined;
}

/**
 * Divides an exchange that was refused: first settlements from the claim, then either into halves. `undefined` when it is a
 * single settlement, or a claim from a single lane.
 */
export function divide({ settlements, claim }: ExchangeBatch): readonly ExchangeBatch[] | undefined {
  if (settlements.length > 0 && claim !== undefined) {
    return [
      { settlements, claim: undefined },
      { settlements: [], claim: withLanes(claim, [...claim.lanes]) },
    ];
  }
  if (settlements.length > 1)
    return halves(settlements).map((half) => ({ settlements: half, claim: undefined }));
  if (claim === undefined || claim.lanes.size <= 1) return undefined;
  return halves([...claim.lanes]).map((lanes) => ({ settlements: [], claim: withLanes(claim, lanes) }));
}

/**
 * Moves runs that are given back behind the others, in the order in which they were claimed: so they return to the front of their
 * lane, where those of a later exchange come before them.
 */
export function inOrderOfClaims(settlements: readonly QueuedSettlement[]): readonly QueuedSettlement[] {
  const isRelease = ({ settlement }: QueuedSettlement): boolean => settlement.event === 'release';
  const released = settlements.filter(isRelease).sort((one, other) => (one.order ?? 0) - (other.order ?? 0));
  return [...settlements.filter((settlement) => !isRelease(settlement)), ...released];
}

/** Has a new request id: the broker may have stored the refused claim under the old one. */
function withLanes(claim: Claim, lanes: readonly (readonly [string, number])[]): Claim {
  return { ...claim, requestId: newRequestId(), lanes: new Map(lanes) };
}
