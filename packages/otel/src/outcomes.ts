/** The events of a worker by which an attempt has ended. */
export const OUTCOMES = [
  'completed',
  'stalled',
  'retried',
  'failed',
  'released',
  'cancelled',
  'limited',
  'fenced',
] as const;
