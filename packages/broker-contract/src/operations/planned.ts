import type { OperationRequest } from '@retry/core/broker';
import type { ClaimedOperation, OperationStep } from '@retry/core/broker/kit';
import { claimOperation, stepOperation } from '@retry/core/broker/kit';
import type { CaseScene } from '../case-scene.ts';

/** A redrive of all that failed, of which one run was counted. */
export function operationOf(id: string, more: Partial<OperationRequest> = {}): OperationRequest {
  const filter = { state: 'failed', endedBefore: Number.MAX_SAFE_INTEGER } as const;
  return { id, kind: 'redrive', filter, planned: 1, isPlanExact: true, ...more };
}

/** Claims the oldest operation. @throws where there is none */
export async function claimOne({ broker }: CaseScene, carrier = 'w'): Promise<ClaimedOperation> {
  const claimed = await claimOperation(broker, { carrier, leaseMs: 60_000 });
  if (claimed === undefined) throw new Error('there is no operation to claim');
  return claimed;
}

/** Makes a step of an operation that was claimed. */
export function stepOn(
  { broker }: CaseScene,
  claimed: ClaimedOperation,
  ids: readonly string[],
  more: Partial<OperationStep> = {},
): ReturnType<typeof stepOperation> {
  return stepOperation(broker, claimed, { ids, skipped: 0, progress: 'next', isLast: false, ...more });
}
