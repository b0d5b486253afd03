import type { OperationRequest, OperationStep, Operations } from '@retry/core/broker';
import type { CaseScene } from '../case-scene.ts';
import { settlementOf } from '../settlement-of.ts';

/** The operations of the scene's broker. @throws where it has none */
export function operationsOf({ broker: { operations } }: Pick<CaseScene, 'broker'>): Operations {
  if (operations === undefined) throw new Error('this case requires a broker with operations');
  return operations;
}

/** A redrive of all that failed, of which one run was counted. */
export function operationOf(id: string, more: Partial<OperationRequest> = {}): OperationRequest {
  const filter = { state: 'failed', endedBefore: Number.MAX_SAFE_INTEGER } as const;
  return { id, kind: 'redrive', filter, planned: 1, isPlanExact: true, ...more };
}

/** Claims the operation and returns its next step. */
export async function stepOf(scene: CaseScene, more: Partial<OperationStep> = {}): Promise<OperationStep> {
  const claimed = await operationsOf(scene).claim({ carrier: 'w', leaseMs: 60_000 });
  if (claimed === undefined) throw new Error('there is no operation to claim');
  const { epoch, operation } = claimed;
  return { id: operation.id, epoch, skipped: 0, progress: `after ${epoch}`, isLast: false, ...more };
}

/** Submits runs and lets each fail. */
export async function failEach(scene: CaseScene, ...ids: readonly string[]): Promise<void> {
  await scene.submit(...ids);
  const claimed = await scene.claim();
  const at = await scene.now();
  await scene.settle(...claimed.map(({ run }) => settlementOf(run, { type: 'fail', at })));
}
