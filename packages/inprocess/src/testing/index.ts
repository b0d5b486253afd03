export type { VirtualClock } from '@retry/core';
export { instantRetries } from './instant-retries.ts';
export { seededRandom } from './seeded-random.ts';
export { createTestClock } from './test-clock.ts';
