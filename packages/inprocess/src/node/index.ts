export { guardNestedRetries } from './guard-nested-retries.ts';
export type { AttemptingCall } from './publish-diagnostics.ts';
export { publishDiagnostics } from './publish-diagnostics.ts';
