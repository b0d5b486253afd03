export type { OtelOptions } from './instrument-retry.ts';
export { instrumentRetry } from './instrument-retry.ts';
export { resendAttributes } from './resends.ts';
