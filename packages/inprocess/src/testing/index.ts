export type { Policy } from '@retry/core';
export type { VirtualClock } from '@retry/core/testing';
export { instantRetries } from './instant-retries.ts';
export { seededRandom } from './seeded-random.ts';
export { createTestClock } from './test-clock.ts';
