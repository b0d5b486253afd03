export type { VirtualClock } from '@retry/core/testing';
export { instantRetries } from './instant-retries.ts';
export { createTestClock } from './test-clock.ts';
