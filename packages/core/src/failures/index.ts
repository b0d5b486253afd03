export type { ReplayDecision } from './decide-recorded.ts';
export type { Fingerprint } from './fingerprint.ts';
export { fingerprint } from './fingerprint.ts';
export type { MissingFact } from './missing-facts.ts';
export type {
  AttemptReason,
  ErrorFacts,
  RecordedAttempt,
  RecordedRun,
  UnrecordedFact,
} from './recorded-attempt.ts';
export { readErrorFacts } from './recorded-attempt.ts';
export { areCharged } from './recorded-run.ts';
export type { Replay, ReplayOptions } from './replay.ts';
export { replay } from './replay.ts';
export type { ReplaySummary } from './summarize-replays.ts';
export { summarizeReplays } from './summarize-replays.ts';
