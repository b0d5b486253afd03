import type { Extras } from '@retry/core/broker/kit';

const ERROR = {
  name: 'Error',
  message: 'elsewhere ü',
  at: 5,
  startedAt: 3,
  code: 'E1',
  reason: 'retried',
} as const;

/** Policy, origin, context and spent attempts that commands submit with an id: most have none. */
export function extrasOf(id: string): Extras {
  if (id === 'f') return { spent: { attempts: 3 } };
  if (id === 'g') return { origin: 'a', context: '00-1-2-01' };
  if (id !== 'h') return {};
  return {
    ...{ retry: '{"maxAttempts":"ü"}', origin: 'h' },
    spent: { attempts: 2, errors: [ERROR, { ...ERROR, at: 9 }], firstStartedAt: 3 },
  };
}
