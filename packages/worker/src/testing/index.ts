export type { VirtualClock } from '@retry/core';
export { instantRetries } from './instant-retries.ts';
export { createTestClock } from './test-clock.ts';
