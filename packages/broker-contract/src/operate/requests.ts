import type { EndRequest } from '@retry/core/broker';

/** The request that completes a waiting run. */
export function completeByHand(id: string, result = '1'): EndRequest {
  return { id, as: 'completed', result };
}

/** The request that fails a waiting run. */
export function failByHand(id: string): EndRequest {
  return { id, as: 'failed', error: { name: 'OperatorError', message: 'enough', stack: 'at desk' } };
}
