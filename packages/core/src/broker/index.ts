export type {
  AbortSignalLike,
  Audit,
  Beat,
  BeatAnswer,
  Broker,
  CancelAnswer,
  Claim,
  ClaimedRun,
  DiscardAnswer,
  ExchangeReply,
  ExchangeRequest,
  ListQuery,
  RedriveAnswer,
  RedriveOptions,
  Submission,
  SubmitAnswer,
  WaitOptions,
} from './broker.ts';
export { BrokerError, closedError, unsettledError } from './broker-error.ts';
export type { Identity, RunDraft } from './copy-run.ts';
export { copyRun, newRun, transitionRun } from './copy-run.ts';
export type { AttemptError, Concurrency, Run } from './run.ts';
export type { SettleAnswer, Settlement } from './settlement.ts';
export { answerSettlement, settledBy } from './settlement.ts';
