export { guardNestedRetries } from './guard-nested-retries.ts';
export { publishDiagnostics } from './publish-diagnostics.ts';
